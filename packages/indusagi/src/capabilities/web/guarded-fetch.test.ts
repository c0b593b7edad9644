import { get } from "node:http";
import { type AddressInfo, createServer, type LookupFunction, type Socket } from "node:net";
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { bodyText, LOOPBACK_POLICY, startWebServer } from "../../../../../tests/support/test-web-server.ts";
import { Aborted } from "../../core/abort.ts";
import type { AddressPolicy, FetchLimits, WebAnswer, WebRequest } from "./contract.ts";
import { guardedFetch } from "./guarded-fetch.ts";

const MIB = 1024 * 1024;

interface Options extends Omit<WebRequest, "url" | "signal"> {
  readonly signal?: AbortSignal;
  readonly policy?: AddressPolicy;
}

async function ask(
  url: string,
  { signal, policy = LOOPBACK_POLICY, ...request }: Options = {},
): Promise<WebAnswer> {
  return guardedFetch({ url, signal: signal ?? new AbortController().signal, ...request }, policy);
}

/** The parts of an answer that a test compares. */
function facts(answer: WebAnswer): unknown {
  if (answer.kind !== "answered") return answer;
  const { body, url, ...rest } = answer;
  return { ...rest, path: new URL(url).pathname, text: new TextDecoder().decode(body) };
}

function answered(rest: Record<string, unknown>): unknown {
  const common = { kind: "answered", redirects: 0, status: 200, contentType: "", retryAfter: undefined };
  return { ...common, path: "/", text: "", isClipped: false, ...rest };
}

/** An unguarded client for the twins: it dials the loopback, whatever the name. */
function naiveGet(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const lookup = LOOPBACK_LOOKUP;
    get(url, { agent: false, lookup }, (response) => {
      bodyText(response).then(resolve, reject);
    }).on("error", reject);
  });
}

const LOOPBACK_LOOKUP: LookupFunction = (_host, { all }, done) =>
  all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4);

/** A raw TCP server that is closed with the test; returns its port. */
async function startRawServer(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("a page is asked for under its own name and read", async () => {
  const server = await startWebServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end("hello");
  });
  const answer = await ask(server.url("/"), { headers: { "user-agent": "tests" } });
  expect(facts(answer)).toEqual(answered({ contentType: "text/plain", text: "hello" }));
  const [request] = server.requests;
  expect([
    request?.headers.host,
    request?.headers["user-agent"],
    request?.headers["accept-encoding"],
  ]).toEqual([`docs.example.test:${server.port}`, "tests", "gzip, deflate, br, zstd"]);
});

test("a form is posted whole", async () => {
  const server = await startWebServer((request, response) => {
    bodyText(request).then((text) => response.end(`${request.method} ${text}`));
  });
  const answer = await ask(server.url("/"), { method: "POST", body: "q=ü" });
  expect(facts(answer)).toEqual(answered({ text: "POST q=ü" }));
});

// ---- addresses ----------------------------------------------------------------------------------------------------

const SECRET = "secret of the loopback";

test.each([
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "localhost",
  "LOCALHOST.",
  "app.localhost",
  "private.example.test",
])("http://%s is refused, and reached by a client without the guard", async (host) => {
  const server = await startWebServer((_request, response) => response.end(SECRET));
  const url = server.url("/", host);
  const answer = await ask(url, { policy: { lookup: async () => ["127.0.0.1"] } });
  expect(answer).toEqual({
    kind: "refused",
    message: expect.stringMatching(
      /127\.0\.0\.1,? (which )?is not public \(loopback, RFC 1122\)\. Only public addresses are fetched\. For a server on this machine or network, use a command instead\.$/,
    ),
  });
  expect(server.requests).toEqual([]);
  expect(await naiveGet(url)).toBe(SECRET); // the twin
});

test.each([
  ["http://10.0.0.1/", "10.0.0.1"],
  ["http://169.254.169.254/latest/meta-data/", "169.254.169.254"],
  ["http://[::1]/", "::1"],
  ["http://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
  ["http://[::ffff:8.8.8.8]/", "::ffff:808:808"],
  ["http://[64:ff9b::a00:1]/", "64:ff9b::a00:1"],
  ["http://[2002:7f00:1::]/", "2002:7f00:1::"],
  ["http://[fe80::1]/", "fe80::1"],
  ["http://0/", "0.0.0.0"],
])("%s is refused without a lookup", async (url, address) => {
  const lookup = (): Promise<never> => Promise.reject(new Error("looked up"));
  expect(await ask(url, { policy: { lookup } })).toEqual({
    kind: "refused",
    message: expect.stringMatching(new RegExp(`^${address.replaceAll(".", "\\.")} is not public \\(`)),
  });
});

test.each([
  [["203.0.114.1", "10.0.0.1"], "10.0.0.1"],
  [["2606:4700::1", "::ffff:10.0.0.1"], "::ffff:10.0.0.1"],
  [["10.0.0.1", "203.0.114.1"], "10.0.0.1"],
])("a name with the addresses %j is refused for one of them", async (addresses, found) => {
  const answer = await ask("http://mixed.example.test/", { policy: { lookup: async () => addresses } });
  expect(answer).toEqual({
    kind: "refused",
    message: expect.stringMatching(`^mixed.example.test has the address ${found}, which is not public`),
  });
});

test("a resolver that changes its answer is asked once, and what it said first is dialled", async () => {
  const server = await startWebServer((_request, response) => response.end("public page"));
  // The loopback stands in for the public address; the private one must never be dialled.
  const rebinding = (): { lookup: () => Promise<readonly string[]>; asked: () => number } => {
    let count = 0;
    return { lookup: async () => (count++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"]), asked: () => count };
  };
  const guarded = rebinding();
  const policy = { ...LOOPBACK_POLICY, lookup: guarded.lookup };
  expect(facts(await ask(server.url("/"), { policy }))).toEqual(answered({ text: "public page" }));
  expect(guarded.asked()).toBe(1);

  // The twin: check with one lookup, connect with another.
  const naive = rebinding();
  expect(await naive.lookup()).toEqual(["127.0.0.1"]);
  const dialled = await new Promise((resolve) => {
    const request = get(server.url("/"), {
      agent: false,
      lookup: (_host, _options, done) => {
        naive.lookup().then((addresses) => {
          resolve(addresses);
          done(new Error("not dialled in a test"), "", 4);
        });
      },
    });
    request.on("error", () => request.destroy());
  });
  expect(dialled).toEqual(["10.0.0.1"]);
});

test("a name without an address says so", async () => {
  const notFound = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  const none = { lookup: () => Promise.reject(notFound) };
  expect(await ask("http://nosuch.example.test/", { policy: none })).toEqual({
    kind: "failed",
    message: "Cannot resolve nosuch.example.test (ENOTFOUND). Check its spelling.",
  });
  expect(await ask("http://nosuch.example.test/", { policy: { lookup: async () => [] } })).toEqual({
    kind: "failed",
    message: "The host nosuch.example.test has no address. Check its spelling.",
  });
});

test("TLS is asked for under the name, at the checked address", async () => {
  const hello = Promise.withResolvers<string>();
  const port = await startRawServer((socket) => {
    socket.once("data", (chunk) => {
      hello.resolve(chunk.toString());
      socket.destroy();
    });
  });
  expect(await ask(`https://sni.example.test:${port}/`)).toEqual({
    kind: "failed",
    message: expect.stringMatching(`^No response from sni.example.test:${port}: `),
  });
  expect(await hello.promise).toContain("sni.example.test");
});

// ---- redirects ----------------------------------------------------------------------------------------------------

test("redirects are followed, relative ones too, and the final address is told", async () => {
  const server = await startWebServer((request, response) => {
    const next = { "/a": "/b", "/b": `http://other.example.test:${server.port}/c` }[request.url ?? ""];
    if (next === undefined) response.end("there");
    else response.writeHead(302, { location: next }).end();
  });
  expect(facts(await ask(server.url("/a")))).toEqual(answered({ path: "/c", redirects: 2, text: "there" }));
  expect(server.requests.map(({ headers }) => headers.host?.split(":")[0])).toEqual([
    "docs.example.test",
    "docs.example.test",
    "other.example.test",
  ]);
});

test("a redirect to a private address is refused, and followed by a client without the guard", async () => {
  const server = await startWebServer((request, response) => {
    if (request.url === "/secret") response.end(SECRET);
    else response.writeHead(302, { location: `http://inner.example.test:${server.port}/secret` }).end();
  });
  // The loopback stands in for the public host; the inner name has a private address.
  const policy: AddressPolicy = {
    ...LOOPBACK_POLICY,
    lookup: async (host) => (host === "inner.example.test" ? ["192.168.0.1"] : ["127.0.0.1"]),
  };
  expect(await ask(server.url("/"), { policy })).toEqual({
    kind: "refused",
    message: expect.stringMatching("^inner.example.test has the address 192.168.0.1, which is not public"),
  });
  expect(server.requests.map(({ url }) => url)).toEqual(["/"]);

  const location = await new Promise<string>((resolve) => {
    get(server.url("/"), { agent: false, lookup: LOOPBACK_LOOKUP }, (response) => {
      response.resume();
      resolve(response.headers.location ?? "");
    });
  });
  expect(await naiveGet(location)).toBe(SECRET); // the twin
});

test.each([
  ["file:///etc/passwd", "cannot be fetched: only http and https are supported."],
  ["http://user:word@docs.example.test/", "contains a user name or a password."],
  ["http://docs.example.test:22/", "only 80, 443 and ports from 1024 up are."],
  ["http://[::1]:9000/", "::1 is not public (loopback, RFC 4291)."],
])("a redirect to %s is refused", async (location, reason) => {
  const server = await startWebServer((_request, response) => response.writeHead(301, { location }).end());
  expect(await ask(server.url("/"))).toEqual({ kind: "refused", message: expect.stringContaining(reason) });
});

test("a password in a redirect's address is neither sent nor told, whichever host it names", async () => {
  for (const place of [
    "http://user:word@docs.example.test/x",
    "//user:word@other.example.test/x",
    "ftp://user:word@x.test/",
  ]) {
    const server = await startWebServer((_request, response) => {
      response.writeHead(302, { location: place }).end();
    });
    const answer = await ask(server.url("/"));
    expect(answer).toMatchObject({ kind: "refused", message: expect.stringContaining("They are not sent.") });
    expect(JSON.stringify(answer)).not.toMatch(/user:|word@/);
    expect(server.requests.map(({ url }) => url)).toEqual(["/"]);
    // The twin: a client that follows it sends the password to whom the server names.
    expect(new URL(place, server.url("/")).password).toBe("word");
  }
});

test("redirects end at the fifth", async () => {
  const server = await startWebServer((request, response) => {
    const count = Number(request.url?.slice(1));
    response.writeHead(302, { location: `/${count + 1}` }).end();
  });
  expect(await ask(server.url("/0"))).toEqual({
    kind: "failed",
    message: `${server.url("/0")} redirected more than 5 times, last to ${server.url("/6")}. Fetch that address directly.`,
  });
  expect(server.requests.length).toBe(6);
  expect(await ask(server.url("/0"), { limits: { maxRedirects: 0 } })).toEqual({
    kind: "failed",
    message: `${server.url("/0")} redirects to ${server.url("/1")}. Fetch that address directly.`,
  });
});

test.each([
  ["in small letters", (name: string) => name],
  ["in capitals", (name: string) => name.toUpperCase()],
])("a redirect to another origin takes no key and no body along, with headers %s", async (_, written) => {
  const server = await startWebServer((request, response) => {
    const isFirst = request.headers.host?.startsWith("first.");
    if (isFirst) response.writeHead(307, { location: server.url("/", "second.example.test") }).end();
    else bodyText(request).then((text) => response.end(`${request.method} "${text}"`));
  });
  const headers = {
    [written("authorization")]: "Bearer canary",
    [written("user-agent")]: "tests",
    [written("content-type")]: "text/plain",
    [written("x-api-key")]: "canary",
    [written("cookie")]: "canary=1",
  };
  const answer = await ask(server.url("/", "first.example.test"), {
    method: "POST",
    body: "secret",
    headers,
  });
  expect(facts(answer)).toEqual(answered({ redirects: 1, text: 'GET ""' }));
  const sent = server.requests.map((request) => request.headers);
  expect(sent.map((one) => [one.authorization, one["content-type"], one["user-agent"]])).toEqual([
    ["Bearer canary", "text/plain", "tests"],
    [undefined, undefined, "tests"],
  ]);
  expect(sent.map((one) => JSON.stringify(one).includes("canary"))).toEqual([true, false]);
});

// ---- sizes --------------------------------------------------------------------------------------------------------

test.each([
  ["gzip", gzipSync("packed")],
  ["X-GZIP", gzipSync("packed")],
  ["deflate", deflateSync("packed")],
  ["br", brotliCompressSync("packed")],
  ["zstd", zstdCompressSync("packed")],
  ["identity", Buffer.from("packed")],
  ["deflate, gzip", gzipSync(deflateSync("packed"))],
])("a body in %s is unpacked", async (encoding, body) => {
  const server = await startWebServer((_request, response) =>
    response.writeHead(200, { "content-encoding": encoding }).end(body),
  );
  expect(facts(await ask(server.url("/")))).toEqual(answered({ text: "packed" }));
});

test("a gzip body that swells to 1 GB is cut at the limit, in little memory", async () => {
  const member = gzipSync(Buffer.alloc(16 * MIB));
  const bomb = Buffer.concat(Array<Buffer>(64).fill(member));
  const server = await startWebServer((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  });
  const before = process.memoryUsage().rss;
  const answer = await ask(server.url("/"));
  expect(answer).toMatchObject({ kind: "answered", isClipped: true, body: { length: MIB } });
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
  // The twin: a limit on the bytes received lets it pass, and unpacking first yields a thousand times as much.
  expect(member.length).toBeLessThan(32 * 1024);
  expect(gunzipSync(member).length).toBe(16 * MIB);
});

test("a body without an end is cut at the limit", async () => {
  const server = await startWebServer((_request, response) => {
    const timer = setInterval(() => response.write("x".repeat(4_096)), 1);
    response.on("close", () => clearInterval(timer));
  });
  expect(await ask(server.url("/"), { limits: { maxBytes: 10_000 } })).toMatchObject({
    kind: "answered",
    isClipped: true,
    body: { length: 10_000 },
  });
});

test.each([
  ["gzip, gzip, gzip", "The response has 3 content encodings; at most 2 are supported."],
  [Array(5_000).fill("br").join(), "The response has 5000 content encodings; at most 2 are supported."],
  ["compress", 'The response has the content encoding "compress", which was not requested.'],
  ["__proto__", 'The response has the content encoding "__proto__", which was not requested.'],
])("the content encoding %.20s is refused", async (encoding, message) => {
  const server = await startWebServer((_request, response) =>
    response.writeHead(200, { "content-encoding": encoding }).end("x"),
  );
  expect(await ask(server.url("/"))).toEqual({ kind: "refused", message });
});

test("a body that is not what its encoding says is told", async () => {
  const server = await startWebServer((request, response) => {
    const body = request.url === "/cut" ? gzipSync("x".repeat(10_000)).subarray(0, 30) : "no gzip";
    response.writeHead(200, { "content-encoding": "gzip" }).end(body);
  });
  expect(await ask(server.url("/"))).toEqual({
    kind: "failed",
    message: `The response from ${server.url("/")} was cut off after 0 bytes: incorrect header check.`,
  });
  expect(await ask(server.url("/cut"))).toEqual({
    kind: "failed",
    message: expect.stringMatching(/was cut off after \d+ bytes: unexpected end of file\.$/),
  });
});

test("a head that is too long is refused", async () => {
  const server = await startWebServer((_request, response) =>
    response.writeHead(200, { "x-long": "x".repeat(20_000) }).end(),
  );
  expect(await ask(server.url("/"))).toEqual({
    kind: "failed",
    message: `The response headers from docs.example.test:${server.port} are longer than 16384 bytes.`,
  });
});

// ---- times and ends -----------------------------------------------------------------------------------------------

test.each<[string, Partial<FetchLimits>, RegExp]>([
  ["/silent", { firstByteMs: 50 }, /^docs\.example\.test:\d+ did not answer within 0\.05 s\.$/],
  ["/silent", { totalMs: 60 }, /silent did not answer completely within 0\.06 s\.$/],
  ["/drip", { totalMs: 200 }, /drip did not answer completely within 0\.2 s\.$/],
])("%s with %j ends in time", async (path, limits, message) => {
  const server = await startWebServer((request, response) => {
    if (request.url !== "/drip") return;
    const timer = setInterval(() => response.write("."), 5);
    response.on("close", () => clearInterval(timer));
  });
  expect(await ask(server.url(path), { limits })).toEqual({
    kind: "failed",
    message: expect.stringMatching(message),
  });
});

test("a lookup without an end is given up", async () => {
  const policy = { lookup: () => new Promise<never>(() => undefined) };
  expect(await ask("http://slow.example.test/", { policy, limits: { totalMs: 30 } })).toEqual({
    kind: "failed",
    message: "http://slow.example.test/ did not answer completely within 0.03 s.",
  });
});

test("a server that takes the connection and no handshake is given up", async () => {
  const port = await startRawServer(() => undefined);
  expect(await ask(`https://mute.example.test:${port}/`, { limits: { connectMs: 50 } })).toEqual({
    kind: "failed",
    message: `mute.example.test:${port} did not accept a connection within 0.05 s.`,
  });
});

test.each([
  ["nothing at all", "", /^No response from .*socket hang up \(ECONNRESET\)\.$/],
  ["no HTTP", "220 mail.example ready\r\n", /sent an invalid HTTP response \(HPE_INVALID_CONSTANT\)\.$/],
  [
    "half a body",
    "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
    /was cut off after 4 bytes: aborted\.$/,
  ],
  [
    "a bad chunk",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    /was cut off after 0 bytes: /,
  ],
])("a server that says %s is told", async (_name, said, message) => {
  const port = await startRawServer((socket) => socket.once("data", () => socket.end(said)));
  expect(await ask(`http://odd.example.test:${port}/`)).toEqual({
    kind: "failed",
    message: expect.stringMatching(message),
  });
});

test("an empty body has no encoding to undo", async () => {
  const server = await startWebServer((_request, response) =>
    response.writeHead(404, { "content-encoding": "gzip" }).end(),
  );
  expect(facts(await ask(server.url("/")))).toEqual(answered({ status: 404 }));
});

test("a server that does not listen is reported", async () => {
  const server = await startWebServer(() => undefined);
  const free = await new Promise<number>((resolve) => {
    const other = createServer().listen(0, "127.0.0.1", () => {
      const { port } = other.address() as AddressInfo;
      other.close(() => resolve(port));
    });
  });
  expect(server.port).not.toBe(free);
  expect(await ask(`http://closed.example.test:${free}/`)).toEqual({
    kind: "failed",
    message: `No response from closed.example.test:${free}: connect ECONNREFUSED 127.0.0.1:${free} (ECONNREFUSED).`,
  });
  const policy = { ...LOOPBACK_POLICY, lookup: async () => ["127.0.0.1", "127.0.0.1"] };
  expect(await ask(`http://closed.example.test:${free}/`, { policy })).toEqual({
    kind: "failed",
    message: `No response from closed.example.test:${free}: connect ECONNREFUSED 127.0.0.1:${free} (ECONNREFUSED).`,
  });
});

test.each(["/silent", "/drip"])(
  "cancelling %s rejects with Aborted at once and closes the connection",
  async (path) => {
    const closed = Promise.withResolvers<void>();
    const controller = new AbortController();
    const server = await startWebServer((request, response) => {
      response.on("close", () => closed.resolve());
      if (request.url === "/drip") response.write("x", () => controller.abort());
      else controller.abort();
    });
    const asked = ask(server.url(path), { signal: controller.signal });
    await expect(asked).rejects.toThrow(new Aborted());
    await closed.promise;
    await expect(ask(server.url(path), { signal: AbortSignal.abort() })).rejects.toThrow(new Aborted());
  },
);

test("a request that was allowed for one host follows no redirect to another; without that it does (the twin)", async () => {
  const server = await startWebServer((request, response) =>
    request.headers.host?.startsWith("docs.")
      ? response.writeHead(302, { location: server.url("/got", "other.example.test") }).end()
      : response.end("elsewhere"),
  );
  const policy = { lookup: async () => ["127.0.0.1"], allowAddress: () => true };
  const signal = new AbortController().signal;
  const url = server.url("/", "docs.example.test");
  expect(await guardedFetch({ url, signal, staysOnHost: true }, policy)).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("redirects to another host: http://other.example.test"),
  });
  expect(await guardedFetch({ url, signal }, policy)).toMatchObject({ kind: "answered", redirects: 1 });
});
