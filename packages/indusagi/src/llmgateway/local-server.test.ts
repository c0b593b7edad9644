import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { PATIENCE_MS } from "../../../../tests/support/until.ts";
import { findLocalServer, LOCAL_SERVERS, listLocalServers, windowsOfLocalServer } from "./local-server.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const json =
  (value: unknown): RequestListener =>
  (_, response) =>
    response.end(JSON.stringify(value));
const NOBODY = "http://127.0.0.1:1/v1";

test("the local server found is the first in order that answers with a model list", async () => {
  const page = await serve((_, response) => response.end("<h1>hello</h1>"));
  const other = await serve(json({ models: [] }));
  const error = await serve((_, response) => response.writeHead(500).end('{"data":[]}'));
  const paths: (string | undefined)[] = [];
  const slow = await serve((request, response) => {
    paths.push(request.url);
    setTimeout(() => response.end('{"data":[{"id":"slow"},{"name":"no id"}]}'), 60);
  });
  const fast = await serve(json({ data: [{ id: "fast" }] }));
  const places = [NOBODY, page, other, error, slow, fast];
  expect(await findLocalServer(places, { timeoutMs: PATIENCE_MS })).toEqual({
    baseUrl: slow,
    models: ["slow"],
  });
  expect(paths).toEqual(["/v1/models"]);
});

test("a server that is silent, or talks without end, is not waited for", async () => {
  const silent = await serve(() => undefined);
  const endless = await serve((_, response) => {
    const flood = setInterval(() => response.write(" ".repeat(100_000)), 1);
    response.on("close", () => clearInterval(flood));
  });
  expect(await findLocalServer([silent, endless, NOBODY], { timeoutMs: 100 })).toBeUndefined();
});

test.each([
  "http://example.com/v1",
  "http://10.0.0.1/v1",
  "http://0.0.0.0:11434/v1",
  "http://localhost:11434/v1",
  "http://127.0.0.1.evil.example/v1",
  "https://127.0.0.1/v1",
  "http://[::ffff:7f00:1]/v1",
])("%s is not asked", async (url) => {
  let asked = 0;
  const fine = await serve(() => asked++);
  await expect(findLocalServer([fine, url])).rejects.toThrow(TypeError);
  expect(asked).toBe(0);
});

test("other spellings of this machine's address are this machine", async () => {
  const base = await serve(json({ data: [] }));
  const spelled = base.replace("127.0.0.1", "0x7f.1");
  expect(await findLocalServer([spelled], { timeoutMs: PATIENCE_MS })).toEqual({
    baseUrl: spelled,
    models: [],
  });
});

test("every default place is this machine", async () => {
  await expect(
    findLocalServer(
      LOCAL_SERVERS.map(({ baseUrl }) => baseUrl),
      { timeoutMs: 50 },
    ),
  ).resolves.not.toThrow();
});

test("all that answer are listed, with what each has", async () => {
  const [one, none, other] = [
    await serve(json({ data: [{ id: "a" }] })),
    NOBODY,
    await serve(json({ data: [{ id: "b" }, { id: "c" }] })),
  ];
  expect(await listLocalServers([one, none, other], { timeoutMs: PATIENCE_MS })).toEqual([
    { baseUrl: one, models: ["a"] },
    { baseUrl: none, models: undefined },
    { baseUrl: other, models: ["b", "c"] },
  ]);
});

/** Answers each path with its value, and any other path with 404. */
const paths =
  (answers: Readonly<Record<string, unknown>>): RequestListener =>
  (request, response) => {
    const answer = answers[request.url ?? ""];
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  };

test.each<[string, Record<string, unknown>, Record<string, number>]>([
  ["vLLM", { "/v1/models": { data: [{ id: "a", max_model_len: 32_768 }, { id: "b" }] } }, { a: 32_768 }],
  ["llama.cpp", { "/props": { default_generation_settings: { n_ctx: 8_192 } } }, { a: 8_192, b: 8_192 }],
  [
    "LM Studio",
    {
      "/api/v0/models": {
        data: [
          { id: "a", loaded_context_length: 16_384, max_context_length: 131_072 },
          { id: "b", max_context_length: 131_072 },
        ],
      },
    },
    { a: 16_384 },
  ],
  ["Ollama", { "/api/ps": { models: [{ name: "b", context_length: 4_096 }] } }, { b: 4_096 }],
  ["a server that says nothing of it", {}, {}],
  [
    "one that says nonsense",
    {
      "/v1/models": { data: [{ id: "a", max_model_len: "large" }, 7, { id: "c", max_model_len: 9 }] },
      "/props": { default_generation_settings: { n_ctx: -1 } },
      "/api/ps": [],
    },
    {},
  ],
])("the windows with which %s runs its models are read", async (_, answers, windows) => {
  const baseUrl = await serve(paths(answers));
  const server = { baseUrl, models: ["a", "b"] };
  const patience = { timeoutMs: PATIENCE_MS, othersMs: PATIENCE_MS };
  expect(await windowsOfLocalServer(server, patience)).toEqual(windows);
});

test(
  "an address that never answers is not waited for once the models are listed",
  async () => {
    const listed = paths({ "/v1/models": { data: [{ id: "a", max_model_len: 9 }] } });
    const baseUrl = await serve((request, response) => {
      if (request.url === "/v1/models") listed(request, response);
    });
    const limits = { timeoutMs: 4 * PATIENCE_MS, othersMs: 1 };
    expect(await windowsOfLocalServer({ baseUrl, models: ["a"] }, limits)).toEqual({ a: 9 });
  },
  PATIENCE_MS,
);

test("no other machine is asked for a window", async () => {
  await expect(windowsOfLocalServer({ baseUrl: "http://example.com/v1", models: ["a"] })).rejects.toThrow(
    TypeError,
  );
});
