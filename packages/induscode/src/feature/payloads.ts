// Generated from events.schema.json by `npm run protocol`: do not edit. What the events carry, as types.

import type { JsonValue } from "indusagi/core";

/** The payload of each event. */
export interface EventPayloads {
  readonly "session:start": LifecyclePayload;
  readonly "session:end": LifecyclePayload;
  readonly "turn:start": LifecyclePayload;
  readonly "turn:end": LifecyclePayload;
  readonly "tool:before": ToolBeforePayload;
  readonly "tool:after": ToolAfterPayload;
  readonly "chat:params": ChatParamsPayload;
  readonly "chat:message": ChatMessagePayload;
  readonly "shell:env": ShellEnvPayload;
  readonly "input:submit": InputPayload;
  readonly "context:build": ContextPayload;
  readonly "compact:build": CompactBuildPayload;
  readonly "compact:before": CompactBeforePayload;
}

/** Any JSON value. */
export type Json = JsonValue;

/** Which session it is. */
export interface LifecyclePayload {
  /** The session's id, as the log's file name has it. */
  readonly sessionId: string;
  /** At a turn's start and end: whether the model goes on because a gate at the end of the turn before said so. Absent: it does not. */
  readonly again?: boolean;
  readonly delegate?: DelegateName;
}

/** The call as it stands. */
export interface ToolBeforePayload {
  /** The tool's name. */
  readonly name: string;
  /** The call's id, the same in `tool:after`. */
  readonly callId: string;
  /** The arguments as they stand: the model's, or what an earlier transform made of them. They are held against the tool's schema and the permissions afterwards. */
  readonly args: Json;
  readonly delegate?: DelegateName;
}

/** The call and what came of it. */
export interface ToolAfterPayload {
  /** The tool's name. */
  readonly name: string;
  /** The call's id. */
  readonly callId: string;
  /** The arguments that the tool got. */
  readonly args: Json;
  /** What the model will read of the result; where another addon changed the call and this one may not make it, how large that is. A changed text is cut to the same budget. */
  readonly text: string;
  /** Whether the call failed or was refused. */
  readonly isError: boolean;
  readonly delegate?: DelegateName;
}

/** Who is asked, and how. */
export interface ChatParamsPayload {
  /** Who is asked, e.g. `anthropic`. */
  readonly provider: string;
  /** The model's name there. A command switches it with `setModel`. */
  readonly model: string;
  /** The parameters of the request. One of them that is returned beside `params` counts as one in it. */
  readonly params: ModelParams;
  readonly delegate?: DelegateName;
}

/** What the model said. */
export interface ChatMessagePayload {
  /** The model's message. Its calls may be left out, not added or changed: `tool:before` is where a call is changed, and where that is checked. */
  readonly message: AssistantMessage;
  readonly delegate?: DelegateName;
}

/** The command and its variables. */
export interface ShellEnvPayload {
  /** The command line that is about to be judged and run. */
  readonly command: string;
  /** Variables laid over the environment of the command. To change others than the harmless ones an addon needs the grant `files` with `execute`. */
  readonly env: Environment;
  readonly delegate?: DelegateName;
}

/** The line. */
export interface InputPayload {
  /** The person's line; of a delegate's session the objective that it was given. Never blank. */
  readonly text: string;
  readonly delegate?: DelegateName;
}

/** What the model is about to be shown. */
export interface ContextPayload {
  /** The messages of this request, oldest first. What a transform changes holds for this request only. The first message stays a user's, each call is followed by its outcome and each outcome follows its call, and the outcomes that the model has not seen yet stay. At least 1 item. */
  readonly messages: readonly Message[];
  readonly delegate?: DelegateName;
}

/** The summary and why there is one. */
export interface CompactBuildPayload {
  /** `asked`: a person asked for it. `full`: the context window is nearly full. */
  readonly reason: "asked" | "full";
  /** The text that replaces the transcript. Never blank. */
  readonly summary: string;
  readonly delegate?: DelegateName;
}

/** Why it is condensed. */
export interface CompactBeforePayload {
  /** `asked`: a person asked for it. `full`: the context window is nearly full. */
  readonly reason: "asked" | "full";
  readonly delegate?: DelegateName;
}

/** The delegate whose session it is; absent in the session that the person talks to. */
export type DelegateName = string;

/** The parameters of a request. One that is not there is left to the provider. */
export interface ModelParams {
  /** How long the answer may be. From 1 to 10000000 tokens. */
  readonly maxOutputTokens?: number;
  /** How freely the next word is chosen. A model that takes none, or none while it thinks, is not sent it. From 0 to 2. */
  readonly temperature?: number;
  /** How hard the model thinks before it answers. */
  readonly thinking?: "off" | "low" | "medium" | "high" | "xhigh" | "max";
}

/** Values by the names of variables. */
export type Environment = { readonly [key: string]: string };

/** One message of the conversation. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** What the person said, or a notice for the model. */
export interface UserMessage {
  /** Whose message it is. */
  readonly role: "user";
  /** Its parts, in order. At most 10000 items. */
  readonly content: readonly UserBlock[];
}

/** What the model said. */
export interface AssistantMessage {
  /** Whose message it is. */
  readonly role: "assistant";
  /** Its parts, in order. At most 10000 items. */
  readonly content: readonly AssistantBlock[];
}

/** The outcome of one call, as the model reads it. */
export interface ToolMessage {
  /** Whose message it is. */
  readonly role: "tool";
  /** The id of the call that it answers. */
  readonly callId: string;
  /** The tool's name. */
  readonly name: string;
  /** What the model reads of the result. */
  readonly text: string;
  /** Whether the call failed or was refused. */
  readonly isError: boolean;
  /** What the model sees of it besides the text. At most 100 items. */
  readonly images?: readonly ImageBlock[];
}

/** A part of what the person said. */
export type UserBlock = TextBlock | ImageBlock;

/** A part of what the model said. */
export type AssistantBlock = TextBlock | ThinkingBlock | ToolCallBlock;

/** A text. */
export interface TextBlock {
  /** Which part it is. */
  readonly kind: "text";
  /** The text. */
  readonly text: string;
}

/** A picture or a document that the person attached or that a tool shows. */
export interface ImageBlock {
  /** Which part it is. */
  readonly kind: "image";
  /** E.g. `image/png`; `application/pdf` of a document. */
  readonly mediaType: string;
  /** Its bytes in base64. */
  readonly data: string;
}

/** The model's reasoning. */
export interface ThinkingBlock {
  /** Which part it is. */
  readonly kind: "thinking";
  /** The reasoning; empty where it is `redacted`. */
  readonly text: string;
  /** Who made it; it goes back to them and to nobody else. */
  readonly provider: string;
  /** The provider's proof of the text. */
  readonly signature?: string;
  /** Reasoning that only the provider can read. */
  readonly redacted?: string;
}

/** One call that the model asks for. */
export interface ToolCallBlock {
  /** Which part it is. */
  readonly kind: "tool_call";
  /** The call's id, which its outcome names. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** The arguments. */
  readonly input: Json;
  /** The arguments as they came, where they are not JSON; `input` is `{}` then. */
  readonly unparsed?: string;
  /** What is wrong with them. */
  readonly problem?: string;
}
