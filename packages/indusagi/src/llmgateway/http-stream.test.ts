import { createHash } from "node:crypto";
import {
  createServer,
  OutgoingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { goesOnHolding, until } from "../../../../tests/support/until.ts";
import { HTTP_LIMITS, type HttpEnd, type HttpPost, postStream } from "./http-stream.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<{ url: URL; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`), server };
}

interface Sent {
  readonly end: HttpEnd;
  readonly text: string;
}

async function post(url: URL, change: Partial<HttpPost> = {}): Promise<Sent> {
  const chunks: Buffer[] = [];
  const end = await postStream({
    url,
    headers: { authorization: "Bearer sk-secret" },
    body: [Buffer.from('{"é":'), "1}"],
    signal: new AbortController().signal,
    limits: HTTP_LIMITS,
    onChunk: (chunk) => chunks.push(chunk) > 0,
    ...change,
  });
  return { end, text: Buffer.concat(chunks).toString() };
}

const STREAM = { "content-type": "text/event-stream; charset=utf-8" };

test("a stream arrives whole, its body was sent as UTF-8, and the connection is used again", async () => {
  const sockets = new Set<Socket>();
  const { url } = await serve((request, response) => {
    sockets.add(request.socket);
    response.writeHead(200, STREAM);
    request.on("data", (chunk: Buffer) => response.write(chunk));
    request.on("end", () => response.end("!"));
  });
  for (let n = 0; n < 3; n++) expect(await post(url)).toEqual({ end: { kind: "ended" }, text: '{"é":1}!' });
  expect(sockets.size).toBe(1);
});

const LONG_BODY = Array.from({ length: 4_000 }, (_, n) => `${n} é 终 🐦 ${"x".repeat(n)}`);

test("a long body arrives whole, at a server that reads slowly, and the connection is used again", async () => {
  const sockets = new Set<Socket>();
  const lengths = new Set<string | undefined>();
  const { url } = await serve(async (request, response) => {
    sockets.add(request.socket);
    lengths.add(request.headers["content-length"]);
    const hash = createHash("sha256");
    for await (const chunk of request) {
      hash.update(chunk);
      await new Promise(setImmediate);
    }
    response.writeHead(200, STREAM).end(hash.digest("hex"));
  });
  const whole = LONG_BODY.join("");
  const text = createHash("sha256").update(whole).digest("hex");
  for (let n = 0; n < 2; n++)
    expect(await post(url, { body: LONG_BODY })).toEqual({ end: { kind: "ended" }, text });
  expect([sockets.size, [...lengths]]).toEqual([1, [String(Buffer.byteLength(whole))]]);
});

test("a long body is sent in parts, each when the one before is on its way, out of one buffer", async () => {
  const asked = Promise.withResolvers<void>();
  const { url } = await serve((request) => {
    request.socket.pause();
    asked.resolve();
  });
  const write = vi.spyOn(OutgoingMessage.prototype, "write");
  onTestFinished(() => write.mockRestore());
  const leave = new AbortController();
  const sent = post(url, { body: LONG_BODY, signal: leave.signal });
  await asked.promise;
  leave.abort();
  expect((await sent).end).toMatchObject({ kind: "failed", reason: "aborted" });
  const parts = write.mock.calls.map(([part]) => part as Buffer);
  expect(new Set(parts.map(({ length }) => length))).toEqual(new Set([64 * 1024]));
  expect(new Set(parts.map(({ buffer }) => buffer)).size).toBe(1);
  expect(parts.length * 64 * 1024).toBeLessThan(Buffer.byteLength(LONG_BODY.join("")));
});

test("a body that the server does not want is refused before it was read", async () => {
  const { url } = await serve((request, response) => {
    request.pause();
    response.writeHead(413).end("too long");
  });
  const { end } = await post(url, { body: LONG_BODY });
  expect(end).toMatchObject({ kind: "answered", status: 413, body: "too long" });
});

test("a redirect is an answer and is not followed; the naive twin carries the key to the other host", async () => {
  const seen: (string | undefined)[] = [];
  const other = await serve((request, response) => {
    seen.push(request.headers["x-api-key"] as string | undefined);
    response.writeHead(200, STREAM).end("data: stolen\n\n");
  });
  const { url } = await serve((_, response) => {
    response.writeHead(307, { location: other.url.href }).end();
  });
  const headers = { "x-api-key": "sk-canary" };
  const { end } = await post(url, { headers });
  expect(end).toMatchObject({ kind: "answered", status: 307, headers: { location: other.url.href } });
  expect(seen).toEqual([]);
  await (await fetch(url, { method: "POST", headers, body: "{}" })).text();
  expect(seen).toEqual(["sk-canary"]);
});

test("an error's text is read up to the limit, whatever the server goes on to send", async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(500);
    const flood = setInterval(() => response.write("e".repeat(10_000)), 1);
    response.on("close", () => clearInterval(flood));
  });
  const { end } = await post(url);
  expect(end).toMatchObject({ kind: "answered", status: 500, body: "e".repeat(HTTP_LIMITS.maxErrorBytes) });
});

test("an endless stream is cut off at the limit", async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, STREAM);
    const flood = setInterval(() => response.write("x".repeat(10_000)), 1);
    response.on("close", () => clearInterval(flood));
  });
  const { end } = await post(url, { limits: { ...HTTP_LIMITS, maxBytes: 100_000 } });
  expect(end).toEqual({ kind: "failed", reason: "too_large" });
});

test("what is no event stream, or comes compressed, is an answer to look at", async () => {
  const { url } = await serve((request, response) => {
    if (request.headers["x-how"] === "gzip") {
      response.writeHead(200, { ...STREAM, "content-encoding": "gzip" }).end(gzipSync("data: x\n\n"));
    } else response.writeHead(200, { "content-type": "text/html" }).end("<h1>Log in</h1>");
  });
  expect((await post(url)).end).toMatchObject({ kind: "answered", status: 200, body: "<h1>Log in</h1>" });
  const compressed = await post(url, { headers: { "x-how": "gzip" } });
  expect(compressed.end).toMatchObject({ kind: "answered", headers: { "content-encoding": "gzip" } });
});

test("a caller that has enough is answered at once, and the connection is kept", async () => {
  const sockets = new Set<Socket>();
  const answers: ServerResponse[] = [];
  const { url } = await serve((request, response) => {
    sockets.add(request.socket);
    response.writeHead(200, STREAM).write("data: all\n\n");
    answers.push(response);
  });
  expect((await post(url, { onChunk: () => false })).end).toEqual({ kind: "stopped" }); // the answer has not ended yet
  await new Promise<void>((resolve) => answers[0]?.end(resolve));
  // The client eventually sees the end; from then on it reuses the connection.
  await until(async () => {
    const before = sockets.size;
    await post(url, { onChunk: () => false });
    return sockets.size === before;
  });
});

test("silence before the answer and within it ends the call", async () => {
  const { url } = await serve((request, response) => {
    if (request.headers["x-how"] === "start") response.writeHead(200, STREAM).write("data: a\n\n");
  });
  const none = { ...HTTP_LIMITS, firstByteMs: 40 };
  expect(await post(url, { limits: none })).toEqual({ end: { kind: "failed", reason: "silent" }, text: "" });
  const begun = { ...HTTP_LIMITS, idleMs: 1_000 };
  const started = await post(url, { limits: begun, headers: { "x-how": "start" } });
  expect(started).toEqual({ end: { kind: "failed", reason: "silent" }, text: "data: a\n\n" });
});

/** Answers with `first`, and then with `life` forever. */
const chatter = (first: string, life: string): RequestListener => {
  return (_, response) => {
    response.writeHead(200, STREAM).write(first);
    const timer = setInterval(() => response.write(life), 5);
    response.on("close", () => clearInterval(timer));
  };
};

test.each([
  ["comments", ": ping\n\n"],
  ["events that say nothing new", 'data: {"type":"ping"}\n\n'],
])("signs of life without progress end the call: %s", async (_, life) => {
  const { url } = await serve(chatter("data: a\n\n", life));
  const limits = { ...HTTP_LIMITS, progressMs: 100 };
  const standing = () => ({ isNew: false, isWhole: false });
  expect((await post(url, { limits, standing })).end).toEqual({ kind: "failed", reason: "silent" });
  // The twin: each of them counts as progress of the answer; only the limit for the whole ends it.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let chunks = 0;
  const all = post(url, { limits: { ...limits, totalMs: 400 }, onChunk: () => ++chunks > 0 });
  for (let passed = 0; passed < 400; passed += 80) {
    for (const before = chunks; chunks === before; ) await new Promise(setImmediate);
    vi.advanceTimersByTime(80);
  }
  expect((await all).end).toEqual({ kind: "failed", reason: "endless" });
});

test("an answer that is whole waits a little for the end of its stream, and no longer", async () => {
  const { url } = await serve(chatter("data: a\n\n", ": ping\n\n"));
  const limits = { ...HTTP_LIMITS, endMs: 60 };
  const standing = () => ({ isNew: false, isWhole: true });
  expect((await post(url, { limits, standing })).end).toEqual({ kind: "stopped" });
});

test("a lost connection is told from one that was never made", async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, STREAM).write("data: a\n\n", () => response.destroy());
  });
  expect(await post(url)).toMatchObject({ end: { kind: "failed", reason: "cut" }, text: "data: a\n\n" });
  expect((await post(new URL("http://127.0.0.1:1/x"))).end).toMatchObject({
    kind: "failed",
    reason: "connect",
    error: { code: "ECONNREFUSED" },
  });
});

test("a kept connection that the server closed meanwhile is replaced without a word", async () => {
  let requests = 0;
  const answer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 2\r\n\r\nok";
  const server = createTcpServer((socket) => {
    let first = true;
    socket.on("error", () => undefined);
    socket.on("data", () => {
      requests++;
      if (first) socket.write(answer);
      else socket.resetAndDestroy(); // closed just as the client sends its next request
      first = false;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
  for (let n = 0; n < 3; n++) expect(await post(url)).toEqual({ end: { kind: "ended" }, text: "ok" });
  expect(requests).toBe(5);
});

test.each(["before the start", "while waiting for the answer", "within the answer"])(
  "an abort %s settles the call and closes the connection",
  async (phase) => {
    const controller = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    const { url } = await serve((request, response) => {
      closed = new Promise((resolve) => request.socket.on("close", resolve));
      if (phase === "within the answer") response.writeHead(200, STREAM).write("data: a\n\n");
    });
    if (phase === "before the start") controller.abort();
    else setTimeout(() => controller.abort(), 50);
    const { end } = await post(url, { signal: controller.signal });
    expect(end).toEqual({ kind: "failed", reason: "aborted" });
    await closed;
  },
);

test("an abort while connecting settles the call, and no request is made", async () => {
  let requests = 0;
  const { url } = await serve(() => requests++);
  const controller = new AbortController();
  const sent = post(url, { signal: controller.signal });
  controller.abort(); // the connection was requested but cannot be open yet: nothing has run in between
  expect((await sent).end).toEqual({ kind: "failed", reason: "aborted" });
  await goesOnHolding(() => expect(requests).toBe(0));
});
