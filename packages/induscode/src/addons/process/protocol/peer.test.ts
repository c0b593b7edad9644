import { type JsonObject, type JsonValue, monotonicMs } from "indusagi/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  EVENT_PARAMS,
  FOREVER,
  startPeer,
  type TestPeer,
} from "../../../../../../tests/support/test-peer.ts";
import { untilHolds } from "../../../../../../tests/support/until.ts";
import { type ProtocolBreach, RpcError } from "./contract.ts";
import { ERROR_CODES } from "./messages.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** On a clock that stands still: advancing another one throws. */
const wait = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** From now on only {@link wait} advances time: no stall of the machine comes between two steps. */
function stopTheClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "hrtime"] });
  onTestFinished(() => void vi.useRealTimers());
}
const read = (id: number, path = "a.txt"): JsonObject => ({ id, method: "readFile", params: { path } });
const ask = ({ peer }: TestPeer, method = "event", params: JsonValue = EVENT_PARAMS): Promise<JsonValue> =>
  peer.request(method, params, { signal: FOREVER });

/** The breach that ended it, as one line; the waiting promise must have rejected with it as well. */
async function breachOf(end: TestPeer, asked: Promise<unknown>): Promise<string> {
  const why = await asked.then(
    () => expect.unreachable("it was answered"),
    (error: ProtocolBreach) => error,
  );
  expect(end.breaches).toEqual([why]);
  return `${why.kind}: ${why.message}`;
}

describe("a request", () => {
  it("is one line and resolves with its answer, in any order, null meaning {}", async () => {
    const end = startPeer();
    const ids: number[] = [];
    const asked = ["event", "dispose", "event"].map((method) =>
      end.peer.request(method, method === "event" ? EVENT_PARAMS : {}, {
        signal: FOREVER,
        onId: (id) => ids.push(id),
      }),
    );
    expect(end.sent[1]).toEqual({ jsonrpc: "2.0", id: 2, method: "dispose", params: {} });
    expect([ids, end.peer.pending()]).toEqual([[1, 2, 3], 3]);
    end.say({ id: 3, result: { stop: true } }, { id: 2, result: null }, { id: 1, result: {} });
    expect(await Promise.all(asked)).toEqual([{}, {}, { stop: true }]);
    expect([end.peer.pending(), end.breaches]).toEqual([0, []]);
  });

  it("is written in the order that a program without a JSON parser relies on", async () => {
    const lines: string[] = [];
    const end = startPeer({ write: (line) => void lines.push(line) });
    ask(end, "dispose", {}).catch(() => undefined);
    end.peer.notify("cancel", { id: 1 });
    end.say(read(1), { id: 2, method: "rm" });
    expect(lines).toEqual([
      '{"jsonrpc":"2.0","id":1,"method":"dispose","params":{}}\n',
      '{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}\n',
      '{"jsonrpc":"2.0","id":1,"result":{"text":"readFile {\\"path\\":\\"a.txt\\"}"}}\n',
      '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"unknown method \\"rm\\""}}\n',
    ]);
  });

  it("rejects with the other side's error, its data included", async () => {
    const end = startPeer();
    const asked = ask(end);
    end.say({ id: 1, error: { code: -32603, message: "no such place", data: { kind: "load" } } });
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: -32603, message: "no such place", data: { kind: "load" } });
  });

  it("fails alone when its result does not fit the method", async () => {
    const end = startPeer();
    const asked = ask(end);
    end.say({ id: 1, result: { stop: "yes" } });
    await expect(asked).rejects.toMatchObject({
      code: ERROR_CODES.failed,
      message: "the answer to event does not match the protocol: result.stop must be boolean, found string",
    });
    expect(end.breaches).toEqual([]);
  });

  it("that the other side could not read is not sent: too long, too deep", async () => {
    const end = startPeer({ limits: { maxFrameBytes: 300, maxDepth: 8 } });
    const deep = JSON.parse(`${"[".repeat(9)}${"]".repeat(9)}`) as JsonValue;
    const code = ERROR_CODES.limit;
    await expect(ask(end, "exit", "é".repeat(200))).rejects.toMatchObject({ code });
    await expect(ask(end, "exit", deep)).rejects.toMatchObject({ code });
    expect([end.sent, end.peer.pending()]).toEqual([[], 0]);
    expect(() => end.peer.notify("log", "x".repeat(300))).toThrow("a message may have at most 300 bytes");
    const line = `{"jsonrpc":"2.0","method":"log","params":""}`;
    end.peer.notify("log", "x".repeat(300 - line.length)); // the limit itself
    expect(end.sent).toHaveLength(1);
  });

  it("is refused after the end, with the reason of the end", async () => {
    const end = startPeer();
    end.say("no json\n");
    await expect(ask(end)).rejects.toBe(end.breaches[0]);
    end.peer.notify("cancel", { id: 1 });
    expect(end.sent).toEqual([]);
  });
});

describe("an answer that nobody asked for", () => {
  it.each<readonly [string, JsonObject, string]>([
    ["an unknown id", { id: 7, result: {} }, "message: answered 7, which is not an open request"],
    ["an id as text", { id: "1", result: {} }, 'message: answered "1", which is not an open request'],
    [
      "an error for an unknown id",
      { id: 2, error: { code: 1, message: "" } },
      "message: answered 2, which is not an open request",
    ],
    [
      "no id, with an error",
      { id: null, error: { code: -32700, message: "bad line" } },
      "message: an answer without the id of a request, which says: bad line",
    ],
    [
      "result and error at once",
      { id: 1, result: {}, error: { code: 1, message: "" } },
      'message: expected "method", or exactly one of "result" and "error"; found the keys "jsonrpc", "id", "result", "error"',
    ],
    [
      "neither",
      { id: 1 },
      'message: expected "method", or exactly one of "result" and "error"; found the keys "jsonrpc", "id"',
    ],
    [
      "the key Result (CVE-2026-27896)",
      { id: 1, Result: {} },
      'message: expected "method", or exactly one of "result" and "error"; found the keys "jsonrpc", "id", "Result"',
    ],
    [
      "an error without code",
      { id: 1, error: { message: "" } },
      'message: "error.code" must be an integer, found nothing',
    ],
    ["an error that is a text", { id: 1, error: "no" }, 'message: "error" must be an object, found "no"'],
    [
      "another jsonrpc",
      { jsonrpc: "1.0", id: 1, result: {} },
      'message: "jsonrpc" must be "2.0", found "1.0"',
    ],
    [
      "an acknowledgement of no request",
      { method: "ack", params: { id: 9 } },
      "message: acknowledged 9, which is not a request",
    ],
  ])("ends the connection: %s", async (_what, message, told) => {
    const end = startPeer();
    const asked = ask(end);
    end.say(message);
    expect(await breachOf(end, asked)).toBe(told);
  });

  it("ends the connection when it is a second one", async () => {
    const end = startPeer();
    const asked = ask(end);
    end.say({ id: 1, result: {} }, { id: 1, result: {} });
    expect(await asked).toEqual({});
    expect(end.breaches.map(({ kind }) => kind)).toEqual(["message"]);
  });

  it("is told once, and nothing behind it is heard", () => {
    const handle = vi.fn(() => ({}));
    const end = startPeer({ handle });
    end.say({ id: 7, result: {} }, { id: 8, result: {} }, read(1));
    end.say(read(2));
    expect([end.breaches.length, handle.mock.calls, end.sent]).toEqual([1, [], []]);
  });
});

describe("silence", () => {
  it("of a request makes the other side unresponsive, by the request that waited longest", async () => {
    const end = startPeer({ limits: { acknowledgeMs: 100 } });
    const asked = [ask(end), ask(end, "dispose", {})];
    asked[1]?.catch(() => undefined);
    end.say({ method: "ack", params: { id: 2 } });
    expect(await breachOf(end, asked[0] as Promise<JsonValue>)).toBe(
      "unresponsive: neither acknowledged nor answered event within 100 ms",
    );
    await expect(asked[1]).rejects.toBe(end.breaches[0]);
  });

  it("after an acknowledgement, or after an answer, is no breach", async () => {
    stopTheClock();
    const end = startPeer({ limits: { acknowledgeMs: 40 } });
    const [first, second] = [ask(end), ask(end)];
    end.say({ method: "ack", params: { id: 1 } }, { id: 2, result: {} });
    await second;
    await wait(120);
    expect([end.breaches, end.peer.pending()]).toEqual([[], 1]);
    end.say({ method: "ack", params: { id: 1 } }, { id: 1, result: {} }); // acknowledged twice: counts as an ordinary message
    expect(await first).toEqual({});
    expect(end.breaches).toEqual([]);
  });

  it("is not held against an answer that waits in the pipe while this process is busy", async () => {
    const end = startPeer({ limits: { acknowledgeMs: 30 } });
    const asked = ask(end);
    const until = monotonicMs() + 120;
    setImmediate(() => end.say({ id: 1, result: {} })); // runs after the timers that are overdue by then
    while (monotonicMs() < until);
    expect(await asked).toEqual({});
  });

  it("has one timer for any number of requests, and none when nothing waits", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => timers.mockRestore());
    const end = startPeer();
    const asked = Array.from({ length: 50 }, () => ask(end));
    expect(timers).toHaveBeenCalledTimes(1);
    const timer = timers.mock.results[0]?.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
    for (let id = 1; id <= 50; id++) end.say({ id, result: {} });
    await Promise.all(asked);
    expect(timer).toHaveProperty("_destroyed", true);
  });
});

describe("cancelling", () => {
  function startCancelled(limits: { readonly cancelGraceMs: number }) {
    const end = startPeer({ limits });
    const cancel = new AbortController();
    const asked = end.peer.request(
      "tool",
      { name: "a", callId: "b", args: {}, cwd: "/" },
      { signal: cancel.signal },
    );
    cancel.abort(new Error("stopped by the person"));
    return { end, asked };
  }

  it("tells the other side, rejects at once, and lets a late answer pass", async () => {
    stopTheClock();
    const { end, asked } = startCancelled({ cancelGraceMs: 60 });
    await expect(asked).rejects.toThrow("stopped by the person");
    expect(end.sent[1]).toEqual({ jsonrpc: "2.0", method: "cancel", params: { id: 1 } });
    end.say({ method: "ack", params: { id: 1 } }, { id: 1, error: { code: -32800, message: "cancelled" } });
    await wait(120);
    expect([end.breaches, end.peer.pending()]).toEqual([[], 0]);
    end.say({ id: 1, result: {} }); // the second answer is one too many
    expect(end.breaches[0]?.message).toBe("answered 1, which is not an open request");
  });

  it("makes the other side hung when it does not answer in time", async () => {
    stopTheClock();
    const { end, asked } = startCancelled({ cancelGraceMs: 60 });
    await expect(asked).rejects.toThrow("stopped by the person");
    await untilHolds(() => expect(end.breaches).toHaveLength(1));
    expect(`${end.breaches[0]?.kind}: ${end.breaches[0]?.message}`).toBe(
      "hung: did not answer tool within 60 ms after it was cancelled",
    );
  });

  it("before the request was sent sends nothing", async () => {
    const end = startPeer();
    await expect(
      end.peer.request("dispose", {}, { signal: AbortSignal.abort(new Error("too late")) }),
    ).rejects.toThrow("too late");
    expect(end.sent).toEqual([]);
  });

  it("after the answer does nothing", async () => {
    const end = startPeer();
    const cancel = new AbortController();
    const asked = end.peer.request("dispose", {}, { signal: cancel.signal });
    end.say({ id: 1, result: {} });
    await asked;
    cancel.abort();
    expect(end.sent).toHaveLength(1);
  });
});

describe("a request of the other side", () => {
  it("is answered once, by its own id", async () => {
    const end = startPeer({
      handle: async (method, params) => (method === "log" ? undefined : { text: JSON.stringify(params) }),
    });
    end.say(read(1), { id: "b", method: "log", params: { text: "x" } });
    await turn();
    expect(end.sent).toEqual([
      { jsonrpc: "2.0", id: 1, result: { text: '{"path":"a.txt"}' } },
      { jsonrpc: "2.0", id: "b", result: {} },
    ]);
  });

  it.each<readonly [string, string, number, number | string | null, string]>([
    [
      "no such method",
      '{"jsonrpc":"2.0","id":1,"method":"rm","params":{}}',
      -32601,
      1,
      'unknown method "rm"',
    ],
    [
      "a name of every object",
      '{"jsonrpc":"2.0","id":1,"method":"toString"}',
      -32601,
      1,
      'unknown method "toString"',
    ],
    [
      "the host's own method",
      '{"jsonrpc":"2.0","id":1,"method":"tool","params":{}}',
      -32601,
      1,
      'the method "tool" goes in the other direction: only this side sends it',
    ],
    [
      "another case of a method",
      '{"jsonrpc":"2.0","id":1,"method":"ReadFile","params":{"path":"a"}}',
      -32601,
      1,
      'unknown method "ReadFile"',
    ],
    [
      "another case of a key",
      '{"jsonrpc":"2.0","id":1,"method":"readFile","Params":{"path":"a"}}',
      -32602,
      1,
      "readFile: params.path is missing",
    ],
    [
      "parameters in a list",
      '{"jsonrpc":"2.0","id":1,"method":"readFile","params":["a"]}',
      -32602,
      1,
      "readFile: params must be object, found array",
    ],
    [
      "parameters of another type",
      '{"jsonrpc":"2.0","id":1,"method":"readFile","params":{"path":1}}',
      -32602,
      1,
      "readFile: params.path must be string, found integer",
    ],
    [
      "an id where there is none",
      '{"jsonrpc":"2.0","id":1,"method":"ack","params":{"id":1}}',
      -32600,
      1,
      "ack is a notification: send it without an id",
    ],
    [
      "no version",
      '{"id":"a","method":"readFile","params":{"path":"a"}}',
      -32600,
      "a",
      '"jsonrpc" must be "2.0", found nothing',
    ],
    [
      "the id null",
      '{"jsonrpc":"2.0","id":null,"method":"readFile","params":{"path":"a"}}',
      -32600,
      null,
      '"id" must be an integer or a short string, found null',
    ],
    [
      "a fraction as id",
      '{"jsonrpc":"2.0","id":1.5,"method":"readFile","params":{"path":"a"}}',
      -32600,
      null,
      '"id" must be an integer or a short string, found 1.5',
    ],
    [
      "a method that is no text",
      '{"jsonrpc":"2.0","id":1,"method":["readFile"]}',
      -32600,
      1,
      '"method" must be a string, found a list',
    ],
    [
      "a result besides",
      '{"jsonrpc":"2.0","id":1,"method":"readFile","params":{"path":"a"},"result":{}}',
      -32600,
      1,
      'a call must not have "result" or "error"',
    ],
  ])("is refused by its code, without reaching the handler: %s", (_what, line, code, id, message) => {
    const handle = vi.fn(() => ({}));
    const end = startPeer({ handle });
    end.say(`${line}\n`);
    expect(end.sent).toEqual([{ jsonrpc: "2.0", id, error: { code, message } }]);
    expect([handle.mock.calls, end.breaches]).toEqual([[], []]);
  });

  it.each([
    [
      "a batch",
      '[{"jsonrpc":"2.0","id":1,"method":"readFile","params":{"path":"a"}}]',
      "expected one message per line, found a batch: send each on its own line",
    ],
    ["an empty batch", "[]", "expected one message per line, found a batch: send each on its own line"],
    ["a number", "42", "expected a JSON-RPC message, found 42"],
    ["null", "null", "expected a JSON-RPC message, found null"],
    ["an empty object", "{}", '"jsonrpc" must be "2.0", found nothing'],
    [
      "the key Method",
      '{"jsonrpc":"2.0","id":1,"Method":"readFile"}',
      'expected "method", or exactly one of "result" and "error"; found the keys "jsonrpc", "id", "Method"',
    ],
    ["a notification of another version", '{"jsonrpc":2,"method":"log"}', '"jsonrpc" must be "2.0", found 2'],
  ])("that is none ends the connection: %s", (_what, line, message) => {
    const end = startPeer();
    end.say(`${line}\n`);
    expect(end.breaches.map(({ kind, message: told }) => [kind, told])).toEqual([["message", message]]);
  });

  it("that fails is answered with the error's code, or failed", async () => {
    const end = startPeer({
      handle: (_method, params) => {
        const { path } = params as JsonObject;
        if (path === "denied")
          throw new RpcError(ERROR_CODES.denied, "the grant files is missing", { grant: "files" });
        throw new TypeError("no such file");
      },
    });
    end.say(read(1, "denied"), read(2));
    expect(end.sent.map(({ error }) => error)).toEqual([
      { code: -32001, message: "the grant files is missing", data: { grant: "files" } },
      { code: -32603, message: "no such file" },
    ]);
  });

  it.each<readonly [string, unknown, number, RegExp]>([
    [
      "too long",
      { text: "x".repeat(2_000) },
      -32003,
      /^a message may have at most 1000 bytes, but this message has 2\d+$/,
    ],
    ["no JSON", { big: 1n }, -32603, /^the result cannot be sent: .*BigInt/],
    ["a function", () => 1, -32603, /^the result must be JSON, found a function$/],
  ])("whose result is %s gets an error that says so", (_what, result, code, message) => {
    const end = startPeer({ limits: { maxFrameBytes: 1_000 }, handle: () => result as JsonValue });
    end.say(read(1));
    expect(end.sent).toEqual([
      { jsonrpc: "2.0", id: 1, error: { code, message: expect.stringMatching(message) } },
    ]);
    expect(end.breaches).toEqual([]);
  });

  it("fires its handler's signal when it is cancelled, and is answered -32800 when the handler stops", async () => {
    const reasons: unknown[] = [];
    const end = startPeer({
      handle: (_method, _params, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        ).catch((reason: unknown) => {
          reasons.push(reason);
          throw new Error("stopped half way");
        }) as Promise<JsonValue>,
    });
    end.say(read(1));
    await turn();
    await turn();
    end.say({ method: "cancel", params: { id: 1 } }, { method: "cancel", params: { id: 99 } });
    await turn();
    expect(reasons).toEqual([new RpcError(ERROR_CODES.cancelled, "the request was cancelled")]);
    expect(end.sent).toEqual([
      { jsonrpc: "2.0", id: 1, error: { code: -32800, message: "the request was cancelled" } },
    ]);
  });

  it("is never acknowledged, however long it takes", async () => {
    const end = startPeer({
      handle: () =>
        turn()
          .then(turn)
          .then(() => ({ text: "" })),
    });
    end.say(read(1));
    await untilHolds(() => expect(end.sent.map(({ id }) => id)).toEqual([1]));
  });

  it("is not answered after the end, and its handler is told", async () => {
    let seen: AbortSignal | undefined;
    const end = startPeer({
      handle: async (_method, _params, { signal }) => {
        seen = signal;
        await turn();
        return {};
      },
    });
    end.say(read(1), "garbage\n");
    await turn().then(turn);
    expect([end.sent, seen?.aborted]).toEqual([[], true]);
    expect(seen?.reason).toBe(end.breaches[0]);
  });

  it("may not take an id that is in use, and may take it again afterwards", async () => {
    const end = startPeer({
      handle: (_method, params) =>
        (params as JsonObject).path === "now" ? { text: "" } : turn().then(() => ({ text: "" })),
    });
    end.say(read(1, "now"), read(1, "now"));
    expect(end.breaches).toEqual([]);
    end.say(read(2), read(2));
    expect(end.breaches[0]?.message).toBe("reused the id 2 before it was answered");
  });
});

describe("a notification", () => {
  it("reaches the handler and is never answered, also one of a method that has answers", async () => {
    const handle = vi.fn(() => ({ text: "" }));
    const end = startPeer({ handle });
    end.say({ method: "log", params: { text: "a" } }, { method: "readFile", params: { path: "b" } });
    await turn();
    expect(handle.mock.calls.map(([method]: unknown[]) => method)).toEqual(["log", "readFile"]);
    expect([end.sent, end.ignored]).toEqual([[], []]);
  });

  it("that comes to nothing is told, and ends nothing", async () => {
    const end = startPeer({
      handle: () => {
        throw new RpcError(ERROR_CODES.denied, "the grant alert is missing");
      },
    });
    end.say(
      { method: "shout", params: {} },
      { method: "alert", params: {} },
      { method: "alert", params: { text: "a" } },
      { method: "ack", params: { id: {} } },
      { method: "cancel", params: {} },
    );
    await turn();
    expect(end.ignored).toEqual([
      'unknown method "shout"',
      "alert: params.text is missing",
      "alert: the grant alert is missing",
      "ack: params.id must be integer or string, found object",
      "cancel: params.id is missing",
    ]);
    expect([end.sent, end.breaches]).toEqual([[], []]);
  });
});

describe("too much", () => {
  it("at one time is refused, not the addon's end", async () => {
    const done = Promise.withResolvers<JsonValue>();
    const end = startPeer({ limits: { maxConcurrentRequests: 2 }, handle: () => done.promise });
    end.say(read(1), { method: "readFile", params: { path: "a" } }, read(3));
    const message = "2 requests are already running: wait for an answer";
    expect(end.sent).toEqual([{ jsonrpc: "2.0", id: 3, error: { code: -32003, message } }]);
    done.resolve({ text: "" });
    await turn();
    end.say(read(4));
    await turn();
    expect(end.sent.map(({ id }) => id)).toEqual([3, 1, 4]);
  });

  it("at one time waits for its turn, in order, where it has no answer", async () => {
    const open: (() => void)[] = [];
    const told: JsonValue[] = [];
    const end = startPeer({
      limits: { maxConcurrentRequests: 2, maxFrameBytes: 12_500 },
      handle: async (_method, params) => {
        told.push((params as JsonObject).text ?? null);
        await new Promise<void>((resolve) => open.push(resolve));
        return {};
      },
    });
    const say = (text: string): void => end.say({ method: "writeFile", params: { path: "a", text } });
    for (const text of ["a", "b", "c", "d", "x".repeat(9_000), "y".repeat(2_000), "e"]) say(text);
    expect(told).toEqual(["a", "b"]);
    expect(end.ignored).toEqual(["writeFile: 3 unanswered calls are already waiting"]);
    for (let at = 0; at < 6; at++) {
      open[at]?.();
      await turn();
    }
    expect(told).toEqual(["a", "b", "c", "d", "x".repeat(9_000), "e"]);
    expect(end.breaches).toEqual([]);
  });

  it("at one time holds up no line that is shown at once", () => {
    const heard: string[] = [];
    const end = startPeer({
      limits: { maxConcurrentRequests: 1 },
      handle: (method) => {
        heard.push(method);
        return method === "readFile" ? new Promise(() => undefined) : {};
      },
    });
    end.say(read(1), { method: "writeFile", params: { path: "a", text: "" } });
    end.say({ method: "progress", params: { id: 1, text: "" } });
    expect(heard).toEqual(["readFile", "progress"]);
  });

  it("at one time is all run, without the limit (the twin)", () => {
    const handle = vi.fn(() => new Promise<JsonValue>(() => undefined));
    const end = startPeer({ limits: { maxConcurrentRequests: Infinity }, handle });
    end.say(...Array.from({ length: 500 }, (_, at) => read(at)));
    expect(handle).toHaveBeenCalledTimes(500);
  });

  const flood = (count: number, text = ""): readonly JsonObject[] =>
    Array.from({ length: count }, () => ({ method: "log", params: { text } }));

  it.each<readonly [string, readonly (string | JsonObject)[]]>([
    ["notifications", flood(102)],
    ["requests", Array.from({ length: 102 }, (_, at) => read(at))],
    ["refused requests", Array.from({ length: 102 }, () => ({ id: null, method: "log" }))],
    ["empty lines", ["\n".repeat(200)]],
    ["few long ones", flood(8, "x".repeat(16 * 1024 * 15))],
    ["cancellations", Array.from({ length: 102 }, () => ({ method: "cancel", params: { id: 1 } }))],
    ["acknowledgements", Array.from({ length: 103 }, () => ({ method: "ack", params: { id: 1 } }))],
  ])("in a second ends the connection: %s", async (_what, messages) => {
    stopTheClock();
    const end = startPeer({ limits: { maxMessagesPerSecond: 100 }, handle: () => ({}) });
    const asked = ask(end);
    end.say(...messages);
    expect(await breachOf(end, asked)).toBe("rate: sent more than 100 messages in a second");
  });

  it("in a second is all heard, without the limit (the twin)", async () => {
    const handle = vi.fn(() => ({}));
    const end = startPeer({ limits: { maxMessagesPerSecond: Infinity }, handle });
    end.say(...flood(20_000));
    expect([handle.mock.calls.length, end.breaches]).toEqual([20_000, []]);
  });

  it("never is what was asked for: answers and first acknowledgements do not count", async () => {
    const end = startPeer({ limits: { maxMessagesPerSecond: 3 } });
    for (let id = 1; id <= 200; id++) {
      const asked = ask(end);
      end.say({ method: "ack", params: { id } }, { id, result: {} });
      await asked;
    }
    expect(end.breaches).toEqual([]);
  });

  it("is forgiven at an even pace", async () => {
    stopTheClock();
    const end = startPeer({ limits: { maxMessagesPerSecond: 100 } });
    end.say(...flood(90));
    await wait(300);
    end.say(...flood(30));
    expect(end.breaches).toEqual([]);
    end.say(...flood(60));
    expect(end.breaches).toHaveLength(1);
  });
});

describe("a reader that does not read", () => {
  function startFull(unsent: { bytes: number }) {
    const lines: string[] = [];
    const end = startPeer({
      limits: { maxUnsentBytes: 10_000 },
      write: (line) => {
        lines.push(line);
        unsent.bytes += line.length;
        return false;
      },
      unsent: () => unsent.bytes,
      handle: () => ({ text: "x".repeat(4_000) }),
    });
    return { end, lines };
  }

  it("is unresponsive once more waits than the limit", async () => {
    const unsent = { bytes: 0 };
    const { end } = startFull(unsent);
    const asked = ask(end, "command", { name: "a", args: "x".repeat(9_000), cwd: "/" });
    asked.catch(() => undefined);
    expect(end.breaches).toEqual([]);
    const second = ask(end, "command", { name: "a", args: "x".repeat(2_000), cwd: "/" });
    expect(await breachOf(end, second)).toMatch(/^unresponsive: left 1\d{4} bytes unread$/);
    await expect(asked).rejects.toBe(end.breaches[0]);
  });

  it("gets an error in place of an answer that would exceed it, and goes on when it has read", () => {
    const unsent = { bytes: 0 };
    const { end, lines } = startFull(unsent);
    end.say(read(1), read(2), read(3));
    expect(JSON.parse(lines[2] ?? "")).toMatchObject({
      id: 3,
      error: { code: -32003, message: expect.stringMatching(/^8\d{3} bytes are still unread: read them/) },
    });
    unsent.bytes = 0;
    end.say(read(4));
    expect(JSON.parse(lines[3] ?? "")).toMatchObject({ id: 4, result: {} });
    expect(end.breaches).toEqual([]);
  });
});

it("closing rejects what waits with the caller's reason, once, and tells no breach", async () => {
  const end = startPeer();
  const asked = ask(end);
  const [first, second] = [new RpcError(1, "a"), new RpcError(1, "b")] as unknown as ProtocolBreach[];
  if (!first || !second) throw new Error("unreachable");
  end.peer.close(first);
  end.peer.close(second);
  end.say("garbage\n");
  await expect(asked).rejects.toBe(first);
  await expect(ask(end)).rejects.toBe(first);
  expect([end.breaches, end.peer.pending()]).toEqual([[], 0]);
});
