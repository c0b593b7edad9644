// What a provider refuses in a request on its own wire, written from its documentation and independently of the code that writes
// requests: unknown fields, calls without results and results without calls, missing or altered proofs of thought,
// empty contents, roles out of order, too many cache marks.

import type { WireName } from "../../../packages/indusagi/src/llmgateway/wires/table.ts";
import { chatRefusal } from "./chat.ts";
import { geminiRefusal } from "./gemini.ts";
import { messagesRefusal } from "./messages.ts";
import { responsesRefusal } from "./responses.ts";

export type Loose = Readonly<Record<string, unknown>>;

/** What a server issued and requires back unaltered. */
export interface Issued {
  /** The text of a thought, by its proof. */
  readonly thoughts: Map<string, string>;
  /** The proof that must precede a call, by the call's id. */
  readonly proofOfCall: Map<string, string>;
}

export function createIssued(): Issued {
  return { thoughts: new Map(), proofOfCall: new Map() };
}

/** Why the real provider would answer 400; undefined for a body that it accepts. */
export const REFUSALS: Readonly<
  Record<WireName, (body: Loose, issued: Issued, path: string) => string | undefined>
> = {
  chat: chatRefusal,
  gemini: geminiRefusal,
  messages: messagesRefusal,
  responses: responsesRefusal,
};

export const TOOL_NAME: RegExp = /^[a-zA-Z0-9_-]{1,64}$/;
export const PICTURES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export const DOCUMENT = "application/pdf";

/** The first key of `value` that is not one of `known`. */
export function unknownKey(value: Loose, known: string): string | undefined {
  const names = known.split(" ");
  return Object.keys(value).find((key) => !names.includes(key));
}

export function isBase64(data: unknown): boolean {
  return typeof data === "string" && data !== "" && Buffer.from(data, "base64").toString("base64") === data;
}
