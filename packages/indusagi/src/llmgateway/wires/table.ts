// The wires by name. A wire is a folder: how a request is written, how an answer is read, what counts as a failure. Its code is
// loaded by the first model that needs it.

import type { Wire } from "./contract.ts";

/** The name of a wire. */
export type WireName = "chat" | "gemini" | "messages" | "responses";

export const WIRES: Readonly<Record<WireName, () => Promise<Wire>>> = {
  chat: async (): Promise<Wire> => (await import("./chat/wire.ts")).chatWire,
  gemini: async (): Promise<Wire> => (await import("./gemini/wire.ts")).geminiWire,
  messages: async (): Promise<Wire> => (await import("./messages/wire.ts")).messagesWire,
  responses: async (): Promise<Wire> => (await import("./responses/wire.ts")).responsesWire,
};
