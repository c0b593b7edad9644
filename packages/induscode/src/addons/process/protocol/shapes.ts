// Generated from addon-protocol.schema.json by `npm run protocol`: do not edit. The schema as a program reads it.

import type { Shape } from "../../../feature/shape.ts";
import type { MethodShapes } from "./contract.ts";

/** The version of the protocol that this program speaks. */
export const PROTOCOL_VERSION = 1;

/** The codes of error answers. */
export const ERROR_CODES = {
  /** The line is not JSON. */
  parse: -32700,
  /** It is JSON, but not a JSON-RPC 2.0 message. */
  request: -32600,
  /** The method does not exist. */
  method: -32601,
  /** The parameters do not match the method. */
  params: -32602,
  /** It was attempted and failed; the message says why. */
  failed: -32603,
  /** The grant for it is missing. */
  denied: -32001,
  /** It is not available in this session, or at this moment. */
  unavailable: -32002,
  /** Too many, too much or too fast. */
  limit: -32003,
  /** The request was cancelled. */
  cancelled: -32800,
} as const;

const methods = {
  hostToAddon: {
    describe: { params: "DescribeParams", result: "Registration" },
    event: { params: "EventParams", result: "EventResult" },
    enter: { params: "EnterParams", result: "EnterResult" },
    exit: { params: "ExitParams", result: "ExitResult" },
    tool: { params: "ToolParams", result: "ToolResult" },
    command: { params: "CommandParams", result: "Empty" },
    "task/start": { params: "TaskParams", result: "Empty" },
    "task/stop": { params: "TaskParams", result: "Empty" },
    cancel: { params: "RequestReference" },
    dispose: { params: "Empty", result: "Empty" },
  },
  addonToHost: {
    ack: { params: "RequestReference" },
    cancel: { params: "RequestReference" },
    log: { params: "LogParams", result: "Empty" },
    diagnostic: { params: "DiagnosticParams", result: "Empty" },
    progress: { params: "ProgressParams", result: "Empty" },
    registered: { params: "Registration", result: "Empty" },
    alert: { params: "TextParams", result: "Empty" },
    notify: { params: "TextParams", result: "Empty" },
    exec: { params: "ExecParams", result: "ExecOutcome" },
    readFile: { params: "ReadFileParams", result: "TextParams" },
    writeFile: { params: "WriteFileParams", result: "Empty" },
    fetch: { params: "FetchParams", result: "FetchResult" },
    sample: { params: "SampleParams", result: "SampleResult" },
    secret: { params: "SecretParams", result: "SecretResult" },
    workItemList: { params: "WorkItemListParams", result: "WorkItemListResult" },
    workItemChanges: { params: "WorkItemChangesParams", result: "WorkItemChangesResult" },
    workItemCreate: { params: "WorkItemCreateParams", result: "WorkItemCreateResult" },
    workItemComment: { params: "WorkItemCommentParams", result: "Empty" },
    workItemMove: { params: "WorkItemMoveParams", result: "Empty" },
    workItemDepend: { params: "WorkItemDependParams", result: "Empty" },
    memorySearch: { params: "MemorySearchParams", result: "MemorySearchResult" },
    memoryAdd: { params: "MemoryAddParams", result: "Empty" },
    memoryReplace: { params: "MemoryReplaceParams", result: "Empty" },
    sessionSpawn: { params: "SessionSpawnParams", result: "SessionSpawnResult" },
    sessionList: { params: "Empty", result: "SessionListResult" },
    sessionWait: { params: "SessionReference", result: "SessionWaitResult" },
    sessionStop: { params: "SessionReference", result: "Empty" },
    sessionMessage: { params: "SessionWords", result: "Empty" },
    sessionRestore: { params: "SessionWords", result: "Empty" },
    sendMessage: { params: "TextParams", result: "Empty" },
    setModel: { params: "SetModelParams", result: "Empty" },
    setThinking: { params: "SetThinkingParams", result: "Empty" },
    "ui/offers": { params: "Empty", result: "UiOffers" },
    "ui/status": { params: "StatusParams", result: "Empty" },
    "ui/render": { params: "RenderParams", result: "Empty" },
    "ui/select": { params: "SelectParams", result: "SelectResult" },
    "ui/confirm": { params: "ConfirmParams", result: "ConfirmResult" },
    "ui/input": { params: "InputParams", result: "InputResult" },
  },
} as const;

const definitions = {
  Empty: { type: "object", properties: {} },
  Json: {},
  RequestReference: { type: "object", required: ["id"], properties: { id: { $ref: "#/$defs/RequestId" } } },
  RequestId: { type: ["integer", "string"] },
  Event: {
    enum: [
      "session:start",
      "session:end",
      "turn:start",
      "turn:end",
      "tool:before",
      "tool:after",
      "chat:params",
      "chat:message",
      "shell:env",
      "input:submit",
      "context:build",
      "compact:build",
      "compact:before",
    ],
  },
  Capability: {
    type: "object",
    required: ["kind"],
    properties: {
      kind: {
        enum: [
          "contribute_tool",
          "contribute_hook",
          "background_task",
          "model_notification",
          "alert",
          "files",
          "work_items",
          "memory",
          "sessions",
          "network",
          "secret",
          "browser",
          "sampling",
          "unconfined",
          "ui",
        ],
      },
    },
    additionalProperties: true,
  },
  CapabilityRequest: {
    type: "object",
    required: ["capability", "required", "reason"],
    properties: {
      capability: { $ref: "#/$defs/Capability" },
      required: { type: "boolean" },
      reason: { type: "string", maxLength: 4096 },
    },
  },
  SampleParams: {
    type: "object",
    required: ["messages", "maxTokens"],
    properties: {
      messages: { type: "array", minItems: 1, maxItems: 100, items: { $ref: "#/$defs/SampleMessage" } },
      system: { type: "string", maxLength: 65536 },
      maxTokens: { type: "integer", minimum: 1 },
      temperature: { type: "number" },
    },
  },
  SampleMessage: {
    type: "object",
    required: ["role", "text"],
    properties: { role: { enum: ["user", "assistant"] }, text: { type: "string", maxLength: 262144 } },
  },
  SampleResult: {
    type: "object",
    required: ["text", "model", "isCut"],
    properties: { text: { type: "string" }, model: { type: "string" }, isCut: { type: "boolean" } },
  },
  DescribeParams: {
    type: "object",
    required: ["protocol", "id", "cwd", "grants"],
    properties: {
      protocol: { $ref: "#/$defs/ProtocolRange" },
      id: { type: "string" },
      cwd: { type: "string" },
      grants: { type: "array", items: { $ref: "#/$defs/Capability" } },
    },
  },
  ProtocolRange: {
    type: "object",
    required: ["min", "max"],
    properties: { min: { type: "integer" }, max: { type: "integer" } },
  },
  Registration: {
    type: "object",
    required: ["protocol"],
    properties: {
      protocol: { type: "integer" },
      id: { type: "string", maxLength: 100 },
      version: { type: "string", maxLength: 100 },
      onFailure: { enum: ["allow", "block"] },
      handlers: { type: "array", maxItems: 200, items: { $ref: "#/$defs/HandlerCard" } },
      interceptors: { type: "array", maxItems: 200, items: { $ref: "#/$defs/InterceptorCard" } },
      commands: { type: "array", maxItems: 200, items: { $ref: "#/$defs/CommandCard" } },
      tools: { type: "array", maxItems: 200, items: { $ref: "#/$defs/ToolCard" } },
      tasks: { type: "array", maxItems: 200, items: { $ref: "#/$defs/TaskCard" } },
      capabilities: { type: "array", maxItems: 200, items: { $ref: "#/$defs/CapabilityRequest" } },
      instructions: { type: "string", maxLength: 16384 },
      skipped: { type: "array", maxItems: 200, items: { $ref: "#/$defs/SkippedCard" } },
    },
  },
  SkippedCard: {
    type: "object",
    required: ["kind", "name", "reason"],
    properties: {
      kind: { enum: ["tool", "command", "hook", "task"] },
      name: { type: "string", maxLength: 200 },
      reason: { type: "string", maxLength: 4096 },
    },
  },
  HandlerCard: {
    type: "object",
    required: ["event", "kind"],
    properties: {
      event: { $ref: "#/$defs/Event" },
      kind: { enum: ["observe", "transform", "gate"] },
      onFailure: { enum: ["allow", "block"] },
    },
  },
  InterceptorCard: {
    type: "object",
    required: ["match", "enter", "exit"],
    properties: {
      match: { type: "string", maxLength: 64 },
      enter: { type: "boolean" },
      exit: { type: "boolean" },
    },
  },
  CommandCard: {
    type: "object",
    required: ["name", "summary"],
    properties: {
      name: { type: "string", maxLength: 64 },
      summary: { type: "string", maxLength: 4096 },
      argumentHint: { type: "string", maxLength: 200 },
    },
  },
  ToolCard: {
    type: "object",
    required: ["name", "description", "parameters"],
    properties: {
      name: { type: "string", maxLength: 64 },
      description: { type: "string", maxLength: 16384 },
      parameters: { type: "object", additionalProperties: true },
      resources: { enum: ["list", "read"] },
      requiredCapabilities: { type: "array", maxItems: 20, items: { $ref: "#/$defs/Capability" } },
    },
  },
  TaskCard: {
    type: "object",
    required: ["id", "description"],
    properties: {
      id: { type: "string", maxLength: 64 },
      description: { type: "string", maxLength: 4096 },
      activation: { enum: ["session", "onDemand"] },
      restart: { enum: ["never", "onFailure"] },
      graceMs: { type: "integer", minimum: 0, maximum: 60000 },
      requiredCapabilities: { type: "array", maxItems: 20, items: { $ref: "#/$defs/Capability" } },
    },
  },
  EventParams: {
    type: "object",
    required: ["handler", "event", "payload"],
    properties: {
      handler: { type: "integer" },
      event: { $ref: "#/$defs/Event" },
      payload: { type: "object", additionalProperties: true },
    },
  },
  EventResult: {
    type: "object",
    properties: {
      payload: { type: "object", additionalProperties: true },
      stop: { type: "boolean" },
      reason: { type: "string" },
    },
  },
  EnterParams: {
    type: "object",
    required: ["interceptor", "tool", "callId", "args"],
    properties: {
      interceptor: { type: "integer" },
      tool: { type: "string" },
      callId: { type: "string" },
      args: { $ref: "#/$defs/Json" },
    },
  },
  EnterResult: {
    type: "object",
    properties: { args: { $ref: "#/$defs/Json" }, stop: { type: "boolean" }, reason: { type: "string" } },
  },
  ExitParams: {
    type: "object",
    required: ["interceptor", "tool", "callId", "args", "result"],
    properties: {
      interceptor: { type: "integer" },
      tool: { type: "string" },
      callId: { type: "string" },
      args: { $ref: "#/$defs/Json" },
      result: { $ref: "#/$defs/ToolResult" },
      error: { type: "string" },
    },
  },
  ExitResult: { type: "object", properties: { result: { $ref: "#/$defs/ToolResult" } } },
  ToolParams: {
    type: "object",
    required: ["name", "callId", "args", "cwd"],
    properties: {
      name: { type: "string" },
      callId: { type: "string" },
      args: { $ref: "#/$defs/Json" },
      cwd: { type: "string" },
    },
  },
  ToolResult: {
    type: "object",
    required: ["content"],
    properties: {
      content: { type: ["array", "string"], maxItems: 1000, items: { $ref: "#/$defs/ContentBlock" } },
      isError: { type: "boolean" },
    },
  },
  ContentBlock: {
    type: "object",
    properties: {
      kind: { enum: ["text", "json", "image"] },
      type: { enum: ["text", "json", "image"] },
      data: { type: "string" },
      text: { type: "string" },
      value: { $ref: "#/$defs/Json" },
    },
  },
  CommandParams: {
    type: "object",
    required: ["name", "args", "cwd"],
    properties: { name: { type: "string" }, args: { type: "string" }, cwd: { type: "string" } },
  },
  TaskParams: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
  LogParams: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
  DiagnosticParams: {
    type: "object",
    required: ["severity", "text"],
    properties: { severity: { enum: ["info", "warning", "error"] }, text: { type: "string" } },
  },
  ProgressParams: {
    type: "object",
    required: ["id", "text"],
    properties: { id: { $ref: "#/$defs/RequestId" }, text: { type: "string" } },
  },
  TextParams: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
  ExecParams: {
    type: "object",
    required: ["command"],
    properties: { command: { type: "string" }, args: { type: "array", items: { type: "string" } } },
  },
  ExecOutcome: {
    type: "object",
    required: ["stdout", "stderr", "code"],
    properties: {
      stdout: { type: "string" },
      stderr: { type: "string" },
      code: { type: ["integer", "null"] },
    },
  },
  ReadFileParams: { type: "object", required: ["path"], properties: { path: { type: "string" } } },
  WriteFileParams: {
    type: "object",
    required: ["path", "text"],
    properties: { path: { type: "string" }, text: { type: "string" } },
  },
  FetchParams: {
    type: "object",
    required: ["url"],
    properties: {
      url: { type: "string" },
      method: { enum: ["GET", "POST"] },
      headers: { type: "object", additionalProperties: { type: "string" } },
      body: { type: "string" },
    },
  },
  FetchResult: {
    type: "object",
    required: ["status", "headers", "text"],
    properties: {
      status: { type: "integer" },
      headers: { type: "object", additionalProperties: { type: "string" } },
      text: { type: "string" },
    },
  },
  WorkItemStatus: { enum: ["open", "blocked", "done", "failed"] },
  WorkItemPriority: { enum: ["low", "normal", "high"] },
  WorkItemIds: { type: "array", maxItems: 100, items: { type: "string", maxLength: 100 } },
  WorkItemComment: {
    type: "object",
    required: ["by", "at", "text"],
    properties: { by: { type: "string" }, at: { type: "string" }, text: { type: "string" } },
  },
  WorkItem: {
    type: "object",
    required: ["id", "title", "brief", "priority", "deps", "status", "comments", "postedBy", "postedAt"],
    properties: {
      id: { type: "string" },
      title: { type: "string" },
      brief: { type: "string" },
      priority: { $ref: "#/$defs/WorkItemPriority" },
      deps: { type: "array", items: { type: "string" } },
      status: { $ref: "#/$defs/WorkItemStatus" },
      summary: { type: "string" },
      comments: { type: "array", items: { $ref: "#/$defs/WorkItemComment" } },
      postedBy: { type: "string" },
      postedAt: { type: "string" },
    },
  },
  WorkItemChange: {
    type: "object",
    required: ["step", "at", "by", "id", "what"],
    properties: {
      step: { type: "integer" },
      at: { type: "string" },
      by: { type: "string" },
      id: { type: "string" },
      what: { enum: ["created", "commented", "depends", "open", "blocked", "done", "failed"] },
    },
  },
  WorkItemListParams: { type: "object", properties: { status: { $ref: "#/$defs/WorkItemStatus" } } },
  WorkItemListResult: {
    type: "object",
    required: ["items"],
    properties: { items: { type: "array", items: { $ref: "#/$defs/WorkItem" } } },
  },
  WorkItemChangesParams: { type: "object", properties: { after: { type: "integer" } } },
  WorkItemChangesResult: {
    type: "object",
    required: ["changes"],
    properties: { changes: { type: "array", items: { $ref: "#/$defs/WorkItemChange" } } },
  },
  WorkItemCreateParams: {
    type: "object",
    required: ["title"],
    properties: {
      title: { type: "string", maxLength: 200 },
      brief: { type: "string", maxLength: 65536 },
      priority: { $ref: "#/$defs/WorkItemPriority" },
      deps: { $ref: "#/$defs/WorkItemIds" },
    },
  },
  WorkItemCreateResult: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
  WorkItemCommentParams: {
    type: "object",
    required: ["id", "text"],
    properties: { id: { type: "string", maxLength: 100 }, text: { type: "string", maxLength: 65536 } },
  },
  WorkItemMoveParams: {
    type: "object",
    required: ["id", "to"],
    properties: {
      id: { type: "string", maxLength: 100 },
      to: { $ref: "#/$defs/WorkItemStatus" },
      reason: { type: "string", maxLength: 65536 },
    },
  },
  WorkItemDependParams: {
    type: "object",
    required: ["id", "on"],
    properties: { id: { type: "string", maxLength: 100 }, on: { $ref: "#/$defs/WorkItemIds" } },
  },
  MemoryScope: { enum: ["project", "user"] },
  MemoryEntry: {
    type: "object",
    required: ["scope", "text"],
    properties: { scope: { $ref: "#/$defs/MemoryScope" }, text: { type: "string" } },
  },
  MemorySearchParams: {
    type: "object",
    properties: { words: { type: "string", maxLength: 500 }, scope: { $ref: "#/$defs/MemoryScope" } },
  },
  MemorySearchResult: {
    type: "object",
    required: ["entries"],
    properties: { entries: { type: "array", items: { $ref: "#/$defs/MemoryEntry" } } },
  },
  MemoryAddParams: {
    type: "object",
    required: ["text"],
    properties: { text: { type: "string", maxLength: 500 }, scope: { $ref: "#/$defs/MemoryScope" } },
  },
  MemoryReplaceParams: {
    type: "object",
    required: ["old", "text"],
    properties: {
      old: { type: "string", maxLength: 1000 },
      text: { type: "string", maxLength: 500 },
      scope: { $ref: "#/$defs/MemoryScope" },
    },
  },
  SessionSpawnParams: {
    type: "object",
    required: ["agent", "objective"],
    properties: {
      agent: { type: "string", maxLength: 100 },
      objective: { type: "string", maxLength: 65536 },
      context: { type: "string", maxLength: 65536 },
      limits: { $ref: "#/$defs/SessionLimits" },
      outlives: { type: "boolean" },
    },
  },
  SessionLimits: {
    type: "object",
    properties: {
      turns: { type: "integer", minimum: 1 },
      tokens: { type: "integer", minimum: 1 },
      dollars: { type: "number", minimum: 0 },
      seconds: { type: "integer", minimum: 1, maximum: 86400 },
    },
  },
  SessionSpawnResult: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
  SessionReference: {
    type: "object",
    required: ["id"],
    properties: { id: { type: "string", maxLength: 100 } },
  },
  SessionWords: {
    type: "object",
    required: ["id", "text"],
    properties: { id: { type: "string", maxLength: 100 }, text: { type: "string", maxLength: 65536 } },
  },
  SpawnedSession: {
    type: "object",
    required: ["id", "agent", "state", "turns", "tokens", "cost", "said"],
    properties: {
      id: { type: "string" },
      agent: { type: "string" },
      state: { enum: ["working", "done", "failed", "stopped"] },
      turns: { type: "integer" },
      tokens: { type: "integer" },
      cost: { type: "number" },
      said: { type: "string" },
    },
  },
  SessionListResult: {
    type: "object",
    required: ["sessions"],
    properties: { sessions: { type: "array", items: { $ref: "#/$defs/SpawnedSession" } } },
  },
  SessionWaitResult: {
    type: "object",
    required: ["session"],
    properties: { session: { $ref: "#/$defs/SpawnedSession" } },
  },
  SecretParams: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
  SecretResult: { type: "object", required: ["value"], properties: { value: { type: "string" } } },
  SetModelParams: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
  SetThinkingParams: { type: "object", required: ["level"], properties: { level: { type: "string" } } },
  UiOffers: {
    type: "object",
    required: ["status", "render", "ask"],
    properties: { status: { type: "boolean" }, render: { type: "boolean" }, ask: { type: "boolean" } },
  },
  StatusParams: {
    type: "object",
    required: ["text"],
    properties: { id: { type: "string", maxLength: 64 }, text: { type: "string", maxLength: 200 } },
  },
  RenderParams: { type: "object", required: ["shape"], properties: { shape: { $ref: "#/$defs/UiShape" } } },
  UiShape: {
    oneOf: [
      { $ref: "#/$defs/TextShape" },
      { $ref: "#/$defs/MarkdownShape" },
      { $ref: "#/$defs/TableShape" },
      { $ref: "#/$defs/ListShape" },
      { $ref: "#/$defs/ProgressShape" },
      { $ref: "#/$defs/KeyValueShape" },
    ],
  },
  TextShape: {
    type: "object",
    required: ["kind", "text"],
    properties: {
      kind: { enum: ["text"] },
      title: { type: "string", maxLength: 100 },
      text: { type: "string", maxLength: 16384 },
    },
  },
  MarkdownShape: {
    type: "object",
    required: ["kind", "text"],
    properties: {
      kind: { enum: ["markdown"] },
      title: { type: "string", maxLength: 100 },
      text: { type: "string", maxLength: 16384 },
    },
  },
  TableShape: {
    type: "object",
    required: ["kind", "columns", "rows"],
    properties: {
      kind: { enum: ["table"] },
      title: { type: "string", maxLength: 100 },
      columns: { type: "array", minItems: 1, maxItems: 12, items: { type: "string", maxLength: 80 } },
      rows: {
        type: "array",
        maxItems: 100,
        items: { type: "array", maxItems: 12, items: { type: "string", maxLength: 300 } },
      },
    },
  },
  ListShape: {
    type: "object",
    required: ["kind", "items"],
    properties: {
      kind: { enum: ["list"] },
      title: { type: "string", maxLength: 100 },
      items: { type: "array", maxItems: 100, items: { type: "string", maxLength: 500 } },
      isNumbered: { type: "boolean" },
    },
  },
  ProgressShape: {
    type: "object",
    required: ["kind", "label", "done", "total"],
    properties: {
      kind: { enum: ["progress"] },
      label: { type: "string", maxLength: 100 },
      done: { type: "number", minimum: 0, maximum: 1000000000000 },
      total: { type: "number", minimum: 0, maximum: 1000000000000 },
    },
  },
  KeyValueShape: {
    type: "object",
    required: ["kind", "entries"],
    properties: {
      kind: { enum: ["keyValue"] },
      title: { type: "string", maxLength: 100 },
      entries: { type: "array", maxItems: 100, items: { $ref: "#/$defs/KeyValueEntry" } },
    },
  },
  KeyValueEntry: {
    type: "object",
    required: ["key", "value"],
    properties: { key: { type: "string", maxLength: 80 }, value: { type: "string", maxLength: 500 } },
  },
  SelectParams: {
    type: "object",
    required: ["question", "choices"],
    properties: {
      question: { type: "string", maxLength: 1000 },
      choices: { type: "array", minItems: 1, maxItems: 20, items: { type: "string", maxLength: 200 } },
      timeoutMs: { type: "integer", minimum: 1000, maximum: 600000 },
    },
  },
  SelectResult: {
    type: "object",
    properties: { choice: { type: "integer" }, unanswered: { $ref: "#/$defs/Unanswered" } },
  },
  Unanswered: { enum: ["dismissed", "expired"] },
  ConfirmParams: {
    type: "object",
    required: ["question"],
    properties: {
      question: { type: "string", maxLength: 1000 },
      timeoutMs: { type: "integer", minimum: 1000, maximum: 600000 },
    },
  },
  ConfirmResult: {
    type: "object",
    properties: { isConfirmed: { type: "boolean" }, unanswered: { $ref: "#/$defs/Unanswered" } },
  },
  InputParams: {
    type: "object",
    required: ["question"],
    properties: {
      question: { type: "string", maxLength: 1000 },
      isSecret: { type: "boolean" },
      timeoutMs: { type: "integer", minimum: 1000, maximum: 600000 },
    },
  },
  InputResult: {
    type: "object",
    properties: { text: { type: "string" }, unanswered: { $ref: "#/$defs/Unanswered" } },
  },
} as const;

/** Each method with the names of its shapes; one without result is a notification. */
export const METHODS: Readonly<Record<keyof Methods, MethodShapes>> = methods;
/** The definitions, without their descriptions. */
export const SHAPES: Readonly<Record<string, Shape>> = definitions;

export type Methods = typeof methods;
export type Definitions = typeof definitions;
