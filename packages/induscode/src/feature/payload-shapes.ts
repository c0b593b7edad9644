// Generated from events.schema.json by `npm run protocol`: do not edit. What the events carry, as what is returned is held to it.

import type { EventPayloads } from "./payloads.ts";
import type { Shape } from "./shape.ts";

/** The name of each event's shape. */
export const SHAPE_OF_EVENT: Readonly<Record<keyof EventPayloads, string>> = {
  "session:start": "LifecyclePayload",
  "session:end": "LifecyclePayload",
  "turn:start": "LifecyclePayload",
  "turn:end": "LifecyclePayload",
  "tool:before": "ToolBeforePayload",
  "tool:after": "ToolAfterPayload",
  "chat:params": "ChatParamsPayload",
  "chat:message": "ChatMessagePayload",
  "shell:env": "ShellEnvPayload",
  "input:submit": "InputPayload",
  "context:build": "ContextPayload",
  "compact:build": "CompactBuildPayload",
  "compact:before": "CompactBeforePayload",
};

/** The definitions, without their descriptions. */
export const PAYLOAD_SHAPES: Readonly<Record<string, Shape>> = {
  Json: {},
  LifecyclePayload: {
    type: "object",
    required: ["sessionId"],
    properties: {
      sessionId: { type: "string", readOnly: true },
      again: { type: "boolean", readOnly: true },
      delegate: { $ref: "#/$defs/DelegateName", readOnly: true },
    },
    additionalProperties: false,
  },
  ToolBeforePayload: {
    type: "object",
    required: ["name", "callId", "args"],
    properties: {
      name: { type: "string", readOnly: true },
      callId: { type: "string", readOnly: true },
      args: { $ref: "#/$defs/Json" },
      delegate: { $ref: "#/$defs/DelegateName", readOnly: true },
    },
    additionalProperties: false,
  },
  ToolAfterPayload: {
    type: "object",
    required: ["name", "callId", "args", "text", "isError"],
    properties: {
      name: { type: "string", readOnly: true },
      callId: { type: "string", readOnly: true },
      args: { $ref: "#/$defs/Json", readOnly: true },
      text: { type: "string" },
      isError: { type: "boolean", readOnly: true },
      delegate: { $ref: "#/$defs/DelegateName", readOnly: true },
    },
    additionalProperties: false,
  },
  ChatParamsPayload: {
    type: "object",
    required: ["provider", "model", "params"],
    properties: {
      provider: { type: "string", readOnly: true },
      model: { type: "string", readOnly: true },
      params: { $ref: "#/$defs/ModelParams" },
      delegate: { $ref: "#/$defs/DelegateName", readOnly: true },
    },
    additionalProperties: false,
  },
  ChatMessagePayload: {
    type: "object",
    required: ["message"],
    properties: {
      message: { $ref: "#/$defs/AssistantMessage" },
      delegate: { $ref: "#/$defs/DelegateName", readOnly: true },
    },
    additionalProperties: false,
  },
  ShellEnvPayload: {
    type: "object",
    required: ["command", "env"],
    properties: {
      command: { type: "string", readOnly: true },
      env: { $ref: "#/$defs/Environment" },
      delegate: { $ref: "#/$defs/DelegateName", readOnly: true },
    },
    additionalProperties: false,
  },
  InputPayload: {
    type: "object",
    required: ["text"],
    properties: {
      text: { type: "string", pattern: "\\S" },
      delegate: { $ref: "#/$defs/DelegateName", readOnly: true },
    },
    additionalProperties: false,
  },
  ContextPayload: {
    type: "object",
    required: ["messages"],
    properties: {
      messages: { type: "array", minItems: 1, items: { $ref: "#/$defs/Message" } },
      delegate: { $ref: "#/$defs/DelegateName", readOnly: true },
    },
    additionalProperties: false,
  },
  CompactBuildPayload: {
    type: "object",
    required: ["reason", "summary"],
    properties: {
      reason: { enum: ["asked", "full"], readOnly: true },
      summary: { type: "string", pattern: "\\S" },
      delegate: { $ref: "#/$defs/DelegateName", readOnly: true },
    },
    additionalProperties: false,
  },
  CompactBeforePayload: {
    type: "object",
    required: ["reason"],
    properties: {
      reason: { enum: ["asked", "full"], readOnly: true },
      delegate: { $ref: "#/$defs/DelegateName", readOnly: true },
    },
    additionalProperties: false,
  },
  DelegateName: { type: "string" },
  ModelParams: {
    type: "object",
    properties: {
      maxOutputTokens: { type: "integer", minimum: 1, maximum: 10000000 },
      temperature: { type: "number", minimum: 0, maximum: 2 },
      thinking: { enum: ["off", "low", "medium", "high", "xhigh", "max"] },
    },
    additionalProperties: false,
  },
  Environment: {
    type: "object",
    propertyNames: { pattern: "^[A-Za-z_][A-Za-z0-9_]*$", maxLength: 200 },
    additionalProperties: { type: "string", pattern: "^[^\\0]*$", maxLength: 30000 },
  },
  Message: {
    oneOf: [
      { $ref: "#/$defs/UserMessage" },
      { $ref: "#/$defs/AssistantMessage" },
      { $ref: "#/$defs/ToolMessage" },
    ],
  },
  UserMessage: {
    type: "object",
    required: ["role", "content"],
    properties: {
      role: { enum: ["user"] },
      content: { type: "array", maxItems: 10000, items: { $ref: "#/$defs/UserBlock" } },
    },
    additionalProperties: false,
  },
  AssistantMessage: {
    type: "object",
    required: ["role", "content"],
    properties: {
      role: { enum: ["assistant"] },
      content: { type: "array", maxItems: 10000, items: { $ref: "#/$defs/AssistantBlock" } },
    },
    additionalProperties: false,
  },
  ToolMessage: {
    type: "object",
    required: ["role", "callId", "name", "text", "isError"],
    properties: {
      role: { enum: ["tool"] },
      callId: { type: "string" },
      name: { type: "string" },
      text: { type: "string" },
      isError: { type: "boolean" },
      images: { type: "array", maxItems: 100, items: { $ref: "#/$defs/ImageBlock" } },
    },
    additionalProperties: false,
  },
  UserBlock: { oneOf: [{ $ref: "#/$defs/TextBlock" }, { $ref: "#/$defs/ImageBlock" }] },
  AssistantBlock: {
    oneOf: [
      { $ref: "#/$defs/TextBlock" },
      { $ref: "#/$defs/ThinkingBlock" },
      { $ref: "#/$defs/ToolCallBlock" },
    ],
  },
  TextBlock: {
    type: "object",
    required: ["kind", "text"],
    properties: { kind: { enum: ["text"] }, text: { type: "string" } },
    additionalProperties: false,
  },
  ImageBlock: {
    type: "object",
    required: ["kind", "mediaType", "data"],
    properties: {
      kind: { enum: ["image"] },
      mediaType: { type: "string", pattern: "^(image/[a-z0-9.+-]+|application/pdf)$" },
      data: { type: "string", pattern: "^[A-Za-z0-9+/]+={0,2}$" },
    },
    additionalProperties: false,
  },
  ThinkingBlock: {
    type: "object",
    required: ["kind", "text", "provider"],
    properties: {
      kind: { enum: ["thinking"] },
      text: { type: "string" },
      provider: { type: "string" },
      signature: { type: "string" },
      redacted: { type: "string" },
    },
    additionalProperties: false,
  },
  ToolCallBlock: {
    type: "object",
    required: ["kind", "id", "name", "input"],
    properties: {
      kind: { enum: ["tool_call"] },
      id: { type: "string" },
      name: { type: "string" },
      input: { $ref: "#/$defs/Json" },
      unparsed: { type: "string" },
      problem: { type: "string" },
    },
    additionalProperties: false,
  },
};
