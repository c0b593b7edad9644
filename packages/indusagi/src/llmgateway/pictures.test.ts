// Pictures in tool outcomes, on every wire, and models that take none.

import { afterEach, describe, expect, test } from "vitest";
import { type ModelServer, startModelServer } from "../../../../tests/support/model-server.ts";
import type { Message, ModelRequest, ModelResult } from "./contract.ts";
import { createGateway } from "./gateway.ts";
import { createLessonBook } from "./lessons.ts";
import { WIRES, type WireName } from "./wires/table.ts";

const PNG = { kind: "image", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
const MESSAGES: readonly Message[] = [
  { role: "user", content: [{ kind: "text", text: "look" }] },
  {
    role: "assistant",
    content: [
      { kind: "tool_call", id: "c1", name: "read", input: {} },
      { kind: "tool_call", id: "c2", name: "ls", input: {} },
    ],
  },
  { role: "tool", callId: "c1", name: "read", text: "A picture.", isError: false, images: [PNG] },
  { role: "tool", callId: "c2", name: "ls", text: "a", isError: false },
];
const request = (model: string): ModelRequest => ({
  model,
  system: "",
  tools: [],
  messages: MESSAGES,
  params: {},
});

describe("a picture in an outcome stands where the wire takes it", () => {
  const url = "data:image/png;base64,iVBORw0KGgo=";
  const inline = { inlineData: { mimeType: "image/png", data: PNG.data } };
  const source = { type: "base64", media_type: "image/png", data: PNG.data };
  test.each<[WireName, string, (body: never) => unknown, unknown]>([
    [
      "messages",
      "claude-opus-5-5",
      ({ messages }: { messages: { content: { content: unknown }[] }[] }) => messages[2]?.content[0]?.content,
      [
        { type: "text", text: "A picture." },
        { type: "image", source },
      ],
    ],
    [
      "responses",
      "gpt-6-sol",
      ({ input }: { input: unknown[] }) => input.slice(3),
      [
        {
          type: "function_call_output",
          call_id: "c1",
          output: [
            { type: "input_text", text: "A picture." },
            { type: "input_image", image_url: url },
          ],
        },
        { type: "function_call_output", call_id: "c2", output: "a" },
      ],
    ],
    [
      "chat",
      "some-model",
      ({ messages }: { messages: unknown[] }) => messages.slice(2),
      [
        { role: "tool", tool_call_id: "c1", content: "A picture." },
        { role: "tool", tool_call_id: "c2", content: "a" },
        {
          role: "user",
          content: [
            { type: "text", text: "What the call c1 shows:" },
            { type: "image_url", image_url: { url } },
          ],
        },
      ],
    ],
    [
      "gemini",
      "gemini-3.1-pro-preview",
      ({ contents }: { contents: { parts: unknown[] }[] }) => contents[2]?.parts[0],
      { functionResponse: { name: "read", response: { output: "A picture." }, parts: [inline] } },
    ],
    [
      "gemini",
      "gemini-2.5-pro",
      ({ contents }: { contents: { parts: unknown[] }[] }) => contents[2]?.parts,
      [
        { functionResponse: { name: "read", response: { output: "A picture." } } },
        { functionResponse: { name: "ls", response: { output: "a" } } },
        inline,
      ],
    ],
  ])("%s, %s", async (wire, model, find, expected) => {
    const write = (await WIRES[wire]()).createWriter("p");
    expect(find(JSON.parse(write(request(model)).join("")) as never)).toEqual(expected);
  });
});

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function askWith(
  refusal: (index: number, body: string) => string | undefined,
  models: Record<string, { images?: boolean }> = {},
  { wire, messages = MESSAGES }: { wire: WireName; messages?: readonly Message[] } = { wire: "chat" },
): Promise<{ results: ModelResult[]; remarks: string[]; bodies: string[] }> {
  const server = await startModelServer(({ rawBody }, index) => {
    const message = refusal(index, rawBody);
    return message === undefined ? { text: "ok" } : { trouble: { kind: "status", status: 400, message } };
  });
  servers.push(server);
  const book = createLessonBook();
  const providers = [{ id: "own", wire, baseUrl: `${server.url}/v1` }] as const;
  const remarks: string[] = [];
  const results: ModelResult[] = [];
  for (const _ of [1, 2]) {
    // A new gateway each time: what was learnt is in the book.
    const found = createGateway({ providers, models, env: {}, lessons: book }).resolve("own/m");
    if (!found.ok) throw new Error(found.fault.message);
    const { provider } = found;
    const options = { signal: new AbortController().signal, onDelta: () => undefined };
    results.push(
      await provider.stream(
        { ...request("m"), messages },
        { ...options, onRemark: (text) => remarks.push(text) },
      ),
    );
  }
  return { results, remarks, bodies: server.requests.map(({ rawBody }) => rawBody) };
}

const shows = (body: string): boolean => body.includes(PNG.data);

test.each([
  "This model does not support image input.",
  "Invalid type for 'messages[4].content[1]': unknown variant `image_url`, expected `text`",
  "No endpoints found that support image input",
  "image_url is not supported by this model",
])("a model that says it takes none (%s) is asked without, now and from now on", async (words) => {
  const { results, remarks, bodies } = await askWith((_, body) => (shows(body) ? words : undefined));
  expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  expect(bodies.map(shows)).toEqual([true, false, false]);
  expect(bodies[1]).toContain("[A picture (image/png) is omitted here: this model cannot see it.");
  const remark = "m does not accept pictures: each is replaced with a line that says so.";
  expect(remarks).toEqual([remark, remark]); // once per session
});

test("a picture that cannot be read does not end the conversation, and other pictures are shown", async () => {
  const words = "Could not process image";
  const { results, remarks, bodies } = await askWith((_, body) => (shows(body) ? words : undefined));
  expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  expect(bodies.map(shows)).toEqual([true, false, true, false]); // nothing is remembered about the model
  expect(remarks[0]).toContain("m refuses the pictures so far");
});

test("a refusal takes away the pictures that came since the last answer, and no earlier one", async () => {
  const huge = { ...PNG, data: "iVBORw0KHUGE" };
  const server = await startModelServer(({ rawBody }) =>
    rawBody.includes(huge.data)
      ? { trouble: { kind: "status", status: 400, message: "image exceeds 5 MB maximum" } }
      : { text: "ok" },
  );
  servers.push(server);
  const providers = [{ id: "own", wire: "chat", baseUrl: `${server.url}/v1` }] as const;
  const found = createGateway({ providers, env: {} }).resolve("own/m");
  if (!found.ok) throw new Error(found.fault.message);
  const remarks: string[] = [];
  const later: readonly Message[] = [...MESSAGES, { role: "user", content: [huge] }];
  for (const messages of [MESSAGES, later])
    await found.provider.stream(
      { ...request("m"), messages },
      {
        signal: new AbortController().signal,
        onDelta: () => undefined,
        onRemark: (text) => remarks.push(text),
      },
    );
  expect(server.requests.map(({ rawBody }) => [shows(rawBody), rawBody.includes(huge.data)])).toEqual([
    [true, false],
    [true, true],
    [true, false],
  ]);
  expect(remarks).toEqual([expect.stringMatching(/^m refuses the new pictures \(/)]);
});

test("the person's setting for pictures counts, and a refusal of something else changes nothing", async () => {
  const told = await askWith(() => undefined, { "own/m": { images: false } });
  expect(told.bodies.map(shows)).toEqual([false, false]);
  const other = await askWith(() => "messages: too many of them");
  expect(other.results.map(({ ok }) => ok)).toEqual([false, false]);
  expect(other.bodies.map(shows)).toEqual([true, true]);
});

const PDF = { kind: "image", mediaType: "application/pdf", data: "JVBERi0xLjc=" } as const;
const BOTH: readonly Message[] = MESSAGES.map((message) =>
  message.role === "tool" && message.images ? { ...message, images: [PNG, PDF] } : message,
);
const hasDocument = (body: string): boolean => body.includes(PDF.data);

test.each([
  "messages.2.content.0.content.2: Input tag 'document' is not supported",
  "unknown variant `document`, expected `text` or `image`",
  "This model does not support PDF input",
])("a server that takes pictures and no documents (%s) is shown the pictures", async (words) => {
  const refusal = (_: number, body: string): string | undefined => (hasDocument(body) ? words : undefined);
  const { results, remarks, bodies } = await askWith(refusal, {}, { wire: "messages", messages: BOTH });
  expect(results.map(({ ok }) => ok)).toEqual([true, true]);
  expect(bodies.map(hasDocument)).toEqual([true, false, false]);
  expect(bodies.map(shows)).toEqual([true, true, true]);
  expect(bodies[1]).toContain("[A document (application/pdf) is omitted here: this model cannot see it.");
  const remark = "m does not accept documents: each is replaced with a line that says so.";
  expect(remarks).toEqual([remark, remark]);
});

test.each(["The PDF specified was not valid.", "A maximum of 100 PDF pages may be provided."])(
  "a document that cannot be read (%s) does not end the conversation",
  async (words) => {
    const refusal = (_: number, body: string): string | undefined => (hasDocument(body) ? words : undefined);
    const { results, remarks } = await askWith(refusal, {}, { wire: "messages", messages: BOTH });
    expect(results.map(({ ok }) => ok)).toEqual([true, true]);
    expect(remarks[0]).toContain("m refuses the pictures and documents so far");
  },
);

test("whoever takes no pictures is shown no documents either", async () => {
  const told = await askWith(
    () => undefined,
    { "own/m": { images: false } },
    { wire: "messages", messages: BOTH },
  );
  expect(told.bodies.map((body) => shows(body) || hasDocument(body))).toEqual([false, false]);
  expect(told.remarks.slice(0, 2)).toEqual([
    "m does not accept documents: each is replaced with a line that says so.",
    "m does not accept pictures: each is replaced with a line that says so.",
  ]);
});
