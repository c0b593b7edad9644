// Generated from serve-protocol.schema.json by `npm run protocol`: do not edit. The schema as a program reads it.

import type { MethodShapes } from "../../../addons/process/protocol/contract.ts";
import type { Shape } from "../../../feature/shape.ts";

/** The version of the protocol that this program speaks. */
export const PROTOCOL_VERSION = 1;

/** The codes of error answers. */
export const ERROR_CODES = {
  /** The line is not JSON, or too long. */
  parse: -32700,
  /** JSON, but not a JSON-RPC 2.0 request or notification. */
  message: -32600,
  /** There is no such method. */
  method: -32601,
  /** The parameters do not fit the method; the message says where. */
  params: -32602,
  /** The server failed. Nothing about the request has to be wrong. */
  failed: -32603,
  /** It cannot be done as things are; the message says why and what to do. */
  refused: -32000,
  /** There is no such session, or no such question. */
  unknown: -32001,
  /** Too many requests of this connection wait for an answer. */
  limit: -32002,
} as const;

const methods = {
  clientToServer: {
    status: { params: "Empty", result: "ServerStatus" },
    shutdown: { params: "Empty", result: "Empty" },
    "sessions/list": { params: "ListParams", result: "SessionList" },
    "sessions/open": { params: "OpenParams", result: "SessionState" },
    "sessions/resume": { params: "ResumeParams", result: "SessionState" },
    "sessions/fork": { params: "SessionParams", result: "SessionState" },
    "sessions/close": { params: "SessionParams", result: "Closed" },
    "session/state": { params: "SessionParams", result: "SessionState" },
    submit: { params: "SubmitParams", result: "TaskEnd" },
    steer: { params: "ContentParams", result: "Empty" },
    interrupt: { params: "SessionParams", result: "Empty" },
    answer: { params: "AnswerParams", result: "Empty" },
    subscribe: { params: "SubscribeParams", result: "Subscribed" },
    unsubscribe: { params: "SessionParams", result: "Empty" },
    rewind: { params: "RewindParams", result: "Rewound" },
    jump: { params: "JumpParams", result: "SessionState" },
    models: { params: "SessionParams", result: "Models" },
    setModel: { params: "SetModelParams", result: "SessionState" },
    setThinking: { params: "SetThinkingParams", result: "SessionState" },
    setMode: { params: "SetModeParams", result: "SessionState" },
    nextMode: { params: "SessionParams", result: "NextMode" },
    permissions: { params: "SessionParams", result: "Permissions" },
    commands: { params: "SessionParams", result: "Commands" },
    run: { params: "RunParams", result: "CommandEnd" },
    exec: { params: "ExecParams", result: "ExecEnd" },
  },
  serverToClient: {
    event: { params: "SessionEvent" },
    state: { params: "SessionState" },
    question: { params: "QuestionParams" },
    answered: { params: "AnsweredParams" },
    ended: { params: "EndedParams" },
    closed: { params: "ClosedParams" },
  },
} as const;

const definitions = {
  Empty: { type: "object", properties: {} },
  Text: {
    type: "object",
    required: ["kind", "text"],
    properties: { kind: { enum: ["text"] }, text: { type: "string" } },
    additionalProperties: false,
  },
  Image: {
    type: "object",
    required: ["kind", "mediaType", "data"],
    properties: {
      kind: { enum: ["image"] },
      mediaType: { enum: ["image/png", "image/jpeg", "image/gif", "image/webp"] },
      data: { type: "string" },
    },
    additionalProperties: false,
  },
  Block: { oneOf: [{ $ref: "#/$defs/Text" }, { $ref: "#/$defs/Image" }] },
  SessionParams: {
    type: "object",
    required: ["session"],
    properties: { session: { type: "string", maxLength: 200 } },
    additionalProperties: false,
  },
  OpenParams: {
    type: "object",
    required: ["cwd"],
    properties: {
      cwd: { type: "string" },
      model: { type: "string" },
      mode: { type: "string" },
      allow: { type: "array", items: { type: "string" } },
      deny: { type: "array", items: { type: "string" } },
      grant: { type: "array", items: { type: "string" } },
      maxCost: { type: "number", minimum: 0, maximum: 1000000 },
    },
    additionalProperties: false,
  },
  ResumeParams: {
    type: "object",
    required: ["session", "cwd"],
    properties: {
      session: { type: "string", maxLength: 200, pattern: "^[A-Za-z0-9][\\w.-]*$" },
      cwd: { type: "string" },
    },
    additionalProperties: false,
  },
  ListParams: {
    type: "object",
    properties: { cwd: { type: "string" }, skip: { type: "integer", minimum: 0, maximum: 1000000000 } },
    additionalProperties: false,
  },
  KeptSession: {
    type: "object",
    required: ["id", "cwd", "title", "lastAt", "isOpen"],
    properties: {
      id: { type: "string" },
      cwd: { type: "string" },
      title: { type: "string" },
      lastAt: { type: "integer" },
      isOpen: { type: "boolean" },
    },
  },
  SessionList: {
    type: "object",
    required: ["sessions"],
    properties: {
      sessions: { type: "array", items: { $ref: "#/$defs/KeptSession" } },
      next: { type: "integer" },
    },
  },
  SessionState: {
    type: "object",
    required: [
      "id",
      "cwd",
      "log",
      "model",
      "thinking",
      "mode",
      "busy",
      "usage",
      "costs",
      "limits",
      "contextTokens",
      "notices",
    ],
    properties: {
      id: { type: "string" },
      before: { type: "array", items: { type: "string" } },
      cwd: { type: "string" },
      log: { type: "string" },
      model: { type: "string" },
      thinking: { type: "string" },
      mode: { type: "string" },
      busy: { type: "boolean" },
      usage: { type: "object", additionalProperties: true },
      costs: { type: "array", items: { type: "object", additionalProperties: true } },
      limits: { type: "array", items: { type: "object", additionalProperties: true } },
      contextTokens: { type: "integer" },
      notices: { type: "array", items: { type: "string" } },
    },
  },
  ServerStatus: {
    type: "object",
    required: ["protocol", "version", "pid", "home", "clients", "sessions"],
    properties: {
      protocol: { type: "integer" },
      version: { type: "string" },
      pid: { type: "integer" },
      home: { type: "string" },
      clients: { type: "integer" },
      sessions: { type: "array", items: { $ref: "#/$defs/SessionState" } },
    },
  },
  Closed: {
    type: "object",
    required: ["problems"],
    properties: { problems: { type: "array", items: { type: "string" } } },
  },
  ContentParams: {
    type: "object",
    required: ["session", "content"],
    properties: {
      session: { type: "string", maxLength: 200 },
      content: { type: "array", minItems: 1, maxItems: 1000, items: { $ref: "#/$defs/Block" } },
    },
    additionalProperties: false,
  },
  SubmitParams: {
    type: "object",
    required: ["session", "content"],
    properties: {
      session: { type: "string", maxLength: 200 },
      content: { type: "array", minItems: 1, maxItems: 1000, items: { $ref: "#/$defs/Block" } },
      wait: { type: "boolean" },
      joins: { type: "boolean" },
    },
    additionalProperties: false,
  },
  TaskEnd: {
    type: "object",
    required: ["kind"],
    properties: {
      kind: { enum: ["complete", "aborted", "faulted", "running"] },
      text: { type: "string" },
      stop: { type: "string" },
      fault: { $ref: "#/$defs/Fault" },
    },
  },
  Fault: {
    type: "object",
    required: ["kind", "message"],
    properties: { kind: { type: "string" }, message: { type: "string" } },
  },
  SubscribeParams: {
    type: "object",
    required: ["session"],
    properties: {
      session: { type: "string", maxLength: 200 },
      from: { type: "integer", minimum: -1000000000, maximum: 1000000000 },
    },
    additionalProperties: false,
  },
  Subscribed: {
    type: "object",
    required: ["next", "state"],
    properties: { next: { type: "integer" }, state: { $ref: "#/$defs/SessionState" } },
  },
  SessionEvent: {
    type: "object",
    required: ["session", "event"],
    properties: {
      session: { type: "string", maxLength: 200 },
      event: {
        type: "object",
        required: ["type"],
        properties: { type: { type: "string" } },
        additionalProperties: true,
      },
    },
  },
  PermissionAsked: {
    type: "object",
    required: ["kind", "permission"],
    properties: {
      kind: { enum: ["permission"] },
      permission: { type: "object", additionalProperties: true },
    },
  },
  DialogAsked: {
    type: "object",
    required: ["kind", "feature", "dialog"],
    properties: {
      kind: { enum: ["dialog"] },
      feature: { type: "string" },
      dialog: { type: "object", additionalProperties: true },
    },
  },
  ListItem: {
    type: "object",
    required: ["label"],
    properties: {
      label: { type: "string" },
      detail: { type: "string" },
      preview: { type: "array", items: { type: "string" } },
    },
  },
  ListAsked: {
    type: "object",
    required: ["kind", "title", "items", "start"],
    properties: {
      kind: { enum: ["list"] },
      said: { type: "string" },
      title: { type: "string" },
      items: { type: "array", items: { $ref: "#/$defs/ListItem" } },
      start: { type: "integer" },
    },
  },
  Question: {
    oneOf: [
      { $ref: "#/$defs/PermissionAsked" },
      { $ref: "#/$defs/DialogAsked" },
      { $ref: "#/$defs/ListAsked" },
    ],
  },
  QuestionParams: {
    type: "object",
    required: ["session", "id", "question"],
    properties: {
      session: { type: "string", maxLength: 200 },
      id: { type: "integer" },
      question: { $ref: "#/$defs/Question" },
    },
  },
  AnsweredParams: {
    type: "object",
    required: ["session", "id"],
    properties: { session: { type: "string", maxLength: 200 }, id: { type: "integer" } },
  },
  Once: {
    type: "object",
    required: ["kind"],
    properties: { kind: { enum: ["once"] } },
    additionalProperties: false,
  },
  ByMode: {
    type: "object",
    required: ["kind"],
    properties: { kind: { enum: ["mode"] } },
    additionalProperties: false,
  },
  ForSession: {
    type: "object",
    required: ["kind"],
    properties: { kind: { enum: ["session"] } },
    additionalProperties: false,
  },
  WithHost: {
    type: "object",
    required: ["kind", "lasts"],
    properties: { kind: { enum: ["host"] }, lasts: { enum: ["once", "session", "here"] } },
    additionalProperties: false,
  },
  WithFolder: {
    type: "object",
    required: ["kind", "lasts"],
    properties: { kind: { enum: ["folder"] }, lasts: { enum: ["once", "session", "here"] } },
    additionalProperties: false,
  },
  Always: {
    type: "object",
    required: ["kind", "where"],
    properties: {
      kind: { enum: ["always"] },
      where: { enum: ["here", "everywhere"] },
      pattern: { type: "string", maxLength: 10000 },
    },
    additionalProperties: false,
  },
  No: {
    type: "object",
    required: ["kind"],
    properties: { kind: { enum: ["no"] }, reason: { type: "string", maxLength: 10000 } },
    additionalProperties: false,
  },
  Choice: {
    type: "object",
    required: ["kind", "choice"],
    properties: { kind: { enum: ["choice"] }, choice: { type: "integer", minimum: 0, maximum: 1000000 } },
    additionalProperties: false,
  },
  YesOrNo: {
    type: "object",
    required: ["kind", "yes"],
    properties: { kind: { enum: ["confirm"] }, yes: { type: "boolean" } },
    additionalProperties: false,
  },
  Line: {
    type: "object",
    required: ["kind", "text"],
    properties: { kind: { enum: ["text"] }, text: { type: "string", maxLength: 1000000 } },
    additionalProperties: false,
  },
  Left: {
    type: "object",
    required: ["kind"],
    properties: { kind: { enum: ["left"] } },
    additionalProperties: false,
  },
  Answer: {
    oneOf: [
      { $ref: "#/$defs/Once" },
      { $ref: "#/$defs/ByMode" },
      { $ref: "#/$defs/ForSession" },
      { $ref: "#/$defs/WithHost" },
      { $ref: "#/$defs/WithFolder" },
      { $ref: "#/$defs/Always" },
      { $ref: "#/$defs/No" },
      { $ref: "#/$defs/Choice" },
      { $ref: "#/$defs/YesOrNo" },
      { $ref: "#/$defs/Line" },
      { $ref: "#/$defs/Left" },
    ],
  },
  AnswerParams: {
    type: "object",
    required: ["session", "id", "answer"],
    properties: {
      session: { type: "string", maxLength: 200 },
      id: { type: "integer" },
      answer: { $ref: "#/$defs/Answer" },
    },
    additionalProperties: false,
  },
  EndedParams: {
    type: "object",
    required: ["session", "end"],
    properties: { session: { type: "string", maxLength: 200 }, end: { $ref: "#/$defs/TaskEnd" } },
  },
  ClosedParams: {
    type: "object",
    required: ["session", "why"],
    properties: { session: { type: "string", maxLength: 200 }, why: { type: "string" } },
  },
  RewindParams: {
    type: "object",
    required: ["session", "back"],
    properties: {
      session: { type: "string", maxLength: 200 },
      back: { type: "integer", minimum: 1, maximum: 1000000 },
    },
    additionalProperties: false,
  },
  Rewound: {
    type: "object",
    required: ["left", "state"],
    properties: { left: { type: "string" }, state: { $ref: "#/$defs/SessionState" } },
  },
  JumpParams: {
    type: "object",
    required: ["session", "to"],
    properties: {
      session: { type: "string", maxLength: 200 },
      to: { type: "integer", minimum: 0, maximum: 1000000000 },
      summarise: { type: "boolean" },
    },
    additionalProperties: false,
  },
  Models: {
    type: "object",
    required: ["current", "names"],
    properties: { current: { type: "string" }, names: { type: "array", items: { type: "string" } } },
  },
  SetModelParams: {
    type: "object",
    required: ["session", "model"],
    properties: { session: { type: "string", maxLength: 200 }, model: { type: "string", maxLength: 1000 } },
    additionalProperties: false,
  },
  SetThinkingParams: {
    type: "object",
    required: ["session", "thinking"],
    properties: { session: { type: "string", maxLength: 200 }, thinking: { type: "string", maxLength: 100 } },
    additionalProperties: false,
  },
  SetModeParams: {
    type: "object",
    required: ["session", "mode"],
    properties: { session: { type: "string", maxLength: 200 }, mode: { type: "string", maxLength: 100 } },
    additionalProperties: false,
  },
  NextMode: {
    type: "object",
    required: ["said", "state"],
    properties: { said: { type: "string" }, state: { $ref: "#/$defs/SessionState" } },
  },
  Mode: {
    type: "object",
    required: ["mode", "meaning"],
    properties: { mode: { type: "string" }, meaning: { type: "string" } },
  },
  Permissions: {
    type: "object",
    required: ["mode", "modes", "report"],
    properties: {
      mode: { type: "string" },
      modes: { type: "array", items: { $ref: "#/$defs/Mode" } },
      report: { type: "string" },
    },
  },
  CommandCard: {
    type: "object",
    required: ["name", "summary", "feature"],
    properties: {
      name: { type: "string" },
      summary: { type: "string" },
      argumentHint: { type: "string" },
      feature: { type: "string" },
      picks: { type: "boolean" },
      values: { type: "array", items: { $ref: "#/$defs/CommandValue" } },
    },
  },
  CommandValue: {
    type: "object",
    required: ["value"],
    properties: { value: { type: "string" }, detail: { type: "string" } },
  },
  Commands: {
    type: "object",
    required: ["commands"],
    properties: { commands: { type: "array", items: { $ref: "#/$defs/CommandCard" } } },
  },
  RunParams: {
    type: "object",
    required: ["session", "line"],
    properties: {
      session: { type: "string", maxLength: 200 },
      line: { type: "string", maxLength: 1000000 },
      lists: { type: "boolean" },
    },
    additionalProperties: false,
  },
  CommandEnd: {
    type: "object",
    required: ["kind"],
    properties: {
      kind: { enum: ["done", "unknown", "faulted"] },
      said: { type: "string" },
      task: { type: "string" },
      leaves: { type: "boolean" },
      message: { type: "string" },
      fault: { $ref: "#/$defs/Fault" },
      writes: { type: "string" },
    },
  },
  ExecParams: {
    type: "object",
    required: ["session", "command"],
    properties: {
      session: { type: "string", maxLength: 200 },
      command: { type: "string", maxLength: 1000000 },
    },
    additionalProperties: false,
  },
  ExecEnd: {
    type: "object",
    required: ["stdout", "stderr"],
    properties: {
      stdout: { type: "string" },
      stderr: { type: "string" },
      code: { type: "integer" },
      totalBytes: { type: "integer" },
    },
  },
} as const;

/** Each method with the names of its shapes; one without result is a notification. */
export const METHODS: Readonly<Record<keyof Methods, MethodShapes>> = methods;
/** The definitions, without their descriptions. */
export const SHAPES: Readonly<Record<string, Shape>> = definitions;

export type Methods = typeof methods;
export type Definitions = typeof definitions;
