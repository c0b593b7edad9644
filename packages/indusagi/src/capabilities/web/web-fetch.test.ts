import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import { LOOPBACK_POLICY, startWebServer } from "../../../../../tests/support/test-web-server.ts";
import type { JsonValue } from "../../core/schema/json-schema.ts";
import type { ToolOutcome } from "../../runtime/contract.ts";
import { makeLocalContext } from "../backends/local.ts";
import { DATA_LABEL, webFetchHost, webFetchTool } from "./web-fetch.ts";

type Page = { readonly status?: number; readonly type?: string; readonly body?: string | Buffer };

function serve(pages: Readonly<Record<string, Page>>): RequestListener {
  return (request, response) => {
    const { status = 200, type, body = "" } = pages[request.url ?? ""] ?? { status: 404 };
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
  };
}

async function fetchPage(input: JsonValue, maxBytes?: number, signal?: AbortSignal): Promise<ToolOutcome> {
  const context = makeLocalContext("/", {
    budget: maxBytes !== undefined ? { kind: "middle", maxBytes } : undefined,
    signal,
  });
  return webFetchTool(LOOPBACK_POLICY).invoke({ id: "call", name: "webfetch", input }, context);
}

test("the model is told the name, the arguments and their limits", () => {
  const { name, parameters } = webFetchTool();
  expect([name, parameters.required, Object.keys(parameters.properties as object)]).toEqual([
    "webfetch",
    ["url"],
    ["url", "maxBytes"],
  ]);
});

test("an HTML page comes as Markdown below its facts, marked as data", async () => {
  const { url } = await startWebServer(
    serve({ "/p": { type: "text/html; charset=utf-8", body: "<title>T</title><h1>Hé</h1><a href=x>l</a>" } }),
  );
  expect(await fetchPage({ url: ` ${url("/p")} ` })).toEqual({
    id: "call",
    isError: false,
    output: `${url("/p")}
status 200, text/html, 43 bytes
[the whole page, not its article: none was recognised]
[${DATA_LABEL}]

Title: T

# Hé

[l](${url("/x")})`,
  });
});

test("JSON and text come as they are", async () => {
  const { url } = await startWebServer(serve({ "/j": { type: "application/json", body: '{"a": "<b>"}' } }));
  const { output } = await fetchPage({ url: url("/j") });
  expect(output).toBe(
    `${url("/j")}\nstatus 200, application/json, 12 bytes\n[${DATA_LABEL}]\n\n{"a": "<b>"}`,
  );
});

test("a redirect is followed and told", async () => {
  const { url } = await startWebServer((request, response) => {
    if (request.url === "/new") response.writeHead(200, { "content-type": "text/plain" }).end("here");
    else response.writeHead(301, { location: "/new" }).end();
  });
  expect((await fetchPage({ url: url("/old") })).output).toBe(
    `${url("/new")}\nstatus 200, text/plain, 4 bytes\n[${url("/old")} redirected here, 1 hop]\n[${DATA_LABEL}]\n\nhere`,
  );
});

test("the body is clipped at 1 MiB, at maxBytes, and never beyond 5 MiB", async () => {
  const big = "x".repeat(6 * 1024 * 1024);
  const { url } = await startWebServer(serve({ "/big": { type: "text/plain", body: big } }));
  const header = async (input: object): Promise<string> => {
    const { output } = await fetchPage({ url: url("/big"), ...input }, 2_000);
    return String(output).split("\n").slice(1, 3).join("\n");
  };
  const clipped = (bytes: number, more: string): RegExp =>
    new RegExp(
      `^status 200, text/plain, ${bytes} bytes\\n\\[clipped: only the first ${bytes} bytes of .*/big were read${more}\\]$`,
    );
  expect(await header({})).toMatch(clipped(1_048_576, "; maxBytes can be up to 5242880"));
  expect(await header({ maxBytes: 100 })).toMatch(clipped(100, "; maxBytes can be up to 5242880"));
  expect(await header({ maxBytes: 99_999_999 })).toMatch(clipped(5_242_880, ""));
});

test("the text is trimmed to what the budget leaves beside the header", async () => {
  const { url } = await startWebServer(serve({ "/t": { type: "text/plain", body: "ab".repeat(5_000) } }));
  const { output } = await fetchPage({ url: url("/t") }, 1_000);
  expect(output).toMatch(/\[trimmed: \d+ of the text's 10000 bytes fit the window\]/);
  expect(output).toMatch(/… trimmed \d+ bytes to fit the window …/);
  expect(Buffer.byteLength(String(output))).toBeLessThan(1_100);
});

test.each<[string, Page, string]>([
  [
    "/401",
    { status: 401 },
    "returned status 401. It requires a sign-in, which webfetch does not support. Look for a public source.",
  ],
  [
    "/404",
    { status: 404 },
    "returned status 404. Page not found. Check the path, or look for it with websearch.",
  ],
  ["/500", { status: 500, body: "x" }, "returned status 500. Server error. Try again later."],
  ["/304", { status: 304 }, "returned status 304."],
  ["/empty", {}, "returned status 200 and an empty body. There is nothing to read."],
  [
    "/png",
    { type: "image/png", body: "\x89PNG" },
    "is not text: image/png, 5 bytes. webfetch reads text only. Download it with a command if needed.",
  ],
  [
    "/raw",
    { body: Buffer.alloc(9) },
    "is not text: no content type, and bytes that are not text, 9 bytes. webfetch reads text only. Download it with a command if needed.",
  ],
])("%s is an error that says what came back and what to do", async (path, page, message) => {
  const { url } = await startWebServer(serve({ [path]: page }));
  expect(await fetchPage({ url: url(path) })).toEqual({
    id: "call",
    isError: true,
    output: `${url(path)} ${message}`,
  });
});

test("a server that asks to wait is quoted", async () => {
  const { url } = await startWebServer((_request, response) =>
    response.writeHead(429, { "retry-after": "30" }).end(),
  );
  expect((await fetchPage({ url: url("/") })).output).toBe(
    `${url("/")} returned status 429. Too many requests. Wait before fetching from this host again. Retry-After: 30.`,
  );
});

test.each<[JsonValue, string]>([
  [{}, '"url" is missing: expected a string.'],
  [{ url: "" }, '"url" must not be empty.'],
  [{ url: "x", maxBytes: 0 }, '"maxBytes" must be a positive whole number, got 0.'],
  [
    { url: "example.com" },
    '"example.com" is not a URL. Use an absolute one, such as https://example.com/page.',
  ],
  [
    { url: "http://192.168.1.1/" },
    "192.168.1.1 is not public (private, RFC 1918). Only public addresses are fetched. For a server on this machine or " +
      "network, use a command instead.",
  ],
  ["nonsense", 'The arguments must be an object, got a string. "url" is missing: expected a string.'],
])("%j is refused", async (input, output) => {
  expect(await fetchPage(input)).toEqual({ id: "call", isError: true, output });
});

test("a cancelled call is an error outcome", async () => {
  const { url } = await startWebServer(() => undefined);
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  expect(await fetchPage({ url: url("/") }, undefined, controller.signal)).toEqual({
    id: "call",
    isError: true,
    output: "Cancelled while webfetch was running.",
  });
});

test("the host of a call is the one that is asked first", () => {
  expect(["https://Docs.Example.com:8443/x", "http://0x7f.1/", "no url"].map(webFetchHost)).toEqual([
    "docs.example.com",
    "127.0.0.1",
    undefined,
  ]);
});
