// What happens to a request when a tool is added later: providers cache the longest prefix they have seen.

import { expect, it } from "vitest";
import type { ModelRequest } from "../contract.ts";
import type { Pieces } from "../wire-json.ts";
import { createChatWriter } from "./chat/request.ts";
import { createGeminiWriter } from "./gemini/request.ts";
import { createMessagesWriter } from "./messages/request.ts";
import { createResponsesWriter } from "./responses/request.ts";

const tool = (name: string) => ({ name, description: name, parameters: { type: "object" } });
const user = (text: string) => ({ role: "user" as const, content: [{ kind: "text" as const, text }] });
const REQUEST: ModelRequest = {
  model: "m",
  system: "Be brief.",
  tools: [tool("read"), tool("bash")],
  messages: [user("one")],
  params: {},
};

const WRITERS: Readonly<Record<string, () => (request: ModelRequest) => Pieces>> = {
  messages: () => createMessagesWriter("p").body,
  chat: () => {
    const write = createChatWriter("p");
    return (request) => write(request, { isOpenAi: true, learnt: new Set() });
  },
  responses: () => {
    const write = createResponsesWriter("p");
    return (request) => write(request, new Set());
  },
  gemini: () => createGeminiWriter("p"),
};

it.each(Object.entries(WRITERS))("every other byte of the request is as it was (%s)", (_, writer) => {
  const write = writer();
  const before = write(REQUEST).join("");
  const after = write({ ...REQUEST, tools: [...REQUEST.tools, tool("late")] }).join("");
  let same = 0;
  while (before[same] === after[same]) same++;
  expect(before.slice(0, same)).toContain('"bash"');
  expect(after.endsWith(before.slice(same))).toBe(true); // one piece was inserted, and nothing else changed
  expect(after.slice(same, after.length - (before.length - same))).toContain('"late"');
});
