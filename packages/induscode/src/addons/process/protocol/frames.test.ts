import type { JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { ProtocolBreach } from "./contract.ts";
import { createFrameReader, excessOf, parseFrame } from "./frames.ts";

const LIMITS = { maxFrameBytes: 1_000, maxDepth: 20, maxValues: 400 };
const LAX = { maxDepth: Infinity, maxValues: Infinity };

/** What a reader produced from the chunks, up to the breach that ended it. */
function read(chunks: readonly (string | Uint8Array)[], limits: typeof LIMITS = LIMITS) {
  const messages: JsonValue[] = [];
  let emptyLines = 0;
  const reader = createFrameReader({
    limits,
    onMessage: (message) => messages.push(message),
    onEmptyLine: () => emptyLines++,
  });
  let breach: ProtocolBreach | undefined;
  for (const chunk of chunks)
    try {
      reader.receive(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    } catch (error) {
      if (!(error instanceof ProtocolBreach)) throw error;
      breach = error;
    }
  return { messages, emptyLines, breach };
}

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("lines", () => {
  it("are the same wherever the bytes are cut", () => {
    const text = '{"a":"é😀\u2028"}\r\n\n[1,2]\n\r\n"x"\n{"unfinished":';
    const bytes = Buffer.from(text);
    const whole = read([bytes]);
    expect(whole).toEqual({ messages: [{ a: "é😀\u2028" }, [1, 2], "x"], emptyLines: 2, breach: undefined });
    for (let at = 0; at <= bytes.length; at++)
      expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it("cost hardly more room than they are long, before they end, also where small pieces stand between large ones", () => {
    const total = 8 * 2 ** 20;
    const reader = createFrameReader({
      limits: { ...LAX, maxFrameBytes: total },
      onMessage: () => undefined,
    });
    const before = process.memoryUsage().arrayBuffers;
    for (let sent = 0; sent < total - 40_000; sent += 32_769) {
      reader.receive(Buffer.alloc(32_768, 0x78));
      reader.receive(Buffer.alloc(1, 0x78));
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(total * 1.2);
  });

  it("end at a line feed only: the line ends that JSON lets stand in a text do not", () => {
    expect(read(['"a\u2028b\u2029c\u0085d"\n']).messages).toEqual(["a\u2028b\u2029c\u0085d"]);
  });

  it("are whole before they count: what no line feed ended is no message", () => {
    expect(read(['{"a":1}']).messages).toEqual([]);
  });

  it("may be as long as the limit, with either line end", () => {
    const line = JSON.stringify("x".repeat(LIMITS.maxFrameBytes - 2));
    expect(read([`${line}\n`, `${line}\r\n`]).messages).toHaveLength(2);
    expect(read([...`${line}\r\n`]).messages).toHaveLength(1);
  });

  it("hand over nothing more after the first that is refused", () => {
    const { messages, breach } = read(["1\nno json\n2\n", "3\n"]);
    expect([messages, breach?.kind]).toEqual([[1], "json"]);
  });
});

describe("an endless line (CWE-400)", () => {
  it.each([
    ["at once", ["x".repeat(2_000)]],
    ["in pieces", Array.from({ length: 30 }, () => "x".repeat(100))],
    ["with an end that comes too late", [`${"x".repeat(2_000)}\n`]],
  ])("is a breach as soon as it exceeds the limit: %s", (_how, chunks) => {
    const { breach } = read(chunks);
    expect([breach?.kind, breach?.message]).toEqual([
      "frame",
      expect.stringMatching(/^a line may have at most 1000 bytes, found at least \d+$/),
    ]);
  });

  it("is held without bound where there is no limit (the twin)", () => {
    const chunks = Array.from({ length: 300 }, () => "x".repeat(100));
    expect(read(chunks, { ...LIMITS, maxFrameBytes: Infinity }).breach).toBeUndefined();
  });

  it("costs no buffer a byte when it comes a byte at a time", () => {
    const reader = createFrameReader({
      limits: { ...LIMITS, maxFrameBytes: 1_000_000 },
      onMessage: () => expect.unreachable("it has no end"),
    });
    const before = process.memoryUsage();
    for (let at = 0; at < 100_000; at++) reader.receive(Uint8Array.of(0x61));
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(10_000_000);
  });
});

describe("a message nested too deep (CWE-674)", () => {
  it("is a breach before it is parsed, whether or not it is JSON", () => {
    expect(read([`${nested(20)}\n`]).breach).toBeUndefined();
    expect(read([`${nested(21)}\n`]).breach?.kind).toBe("depth");
    expect(read([`${"[".repeat(900)}\n`]).breach?.kind).toBe("depth");
    expect(read([`${'{"a":'.repeat(30)}\n`]).breach?.kind).toBe("depth");
  });

  it("exhausts the stack of whoever walks it, without the limit (the twin)", () => {
    const deep = Buffer.from(`{"a":${nested(100_000)},"__proto__":1}`);
    expect(() => parseFrame(deep, LAX)).toThrow(RangeError);
    expect(() => parseFrame(deep, { ...LAX, maxDepth: 200 })).toThrow(ProtocolBreach);
  });

  it.each([
    [JSON.stringify(nested(50)), false],
    [JSON.stringify(`\\"${nested(50)}`), false],
    [JSON.stringify(`"${nested(50)}\\`), false],
    [`"\\\\"${"[".repeat(21)}`, true],
    [`["${"\\\\".repeat(30)}",${nested(20)}]`, true],
    [`["${"\\\\".repeat(30)}",${nested(19)}]`, false],
    [`"unfinished ${nested(50)}`, false],
    ["[]".repeat(50), false],
  ])("is told from brackets inside texts: %s", (json, deeper) => {
    expect(excessOf(Buffer.from(json), LIMITS)).toBe(deeper ? "be nested at most 20 deep" : undefined);
  });
});

describe("a message of very many values (CWE-770)", () => {
  it.each([
    ["lists", `[${"[],".repeat(250)}1]`],
    ["numbers", `[${"1,".repeat(450)}1]`],
    ["keys", `{${'"a":1,'.repeat(150)}"b":{${'"":{},'.repeat(130)}"":1}}`],
  ])("is a breach before it is parsed: %s", (_what, json) => {
    expect(read([`${json}\n`], { ...LIMITS, maxFrameBytes: 10_000 }).breach?.message).toMatch(
      /^a message may contain at most 400 values/,
    );
    expect(read([`${json}\n`], { ...LIMITS, ...LAX, maxFrameBytes: 10_000 }).breach).toBeUndefined(); // the twin
  });

  it("is told from commas and brackets inside texts", () => {
    expect(read([`${JSON.stringify({ a: "[,".repeat(450) })}\n`]).breach).toBeUndefined();
  });

  it("may have as many as the limit", () => {
    const list = (count: number): Buffer => Buffer.from(`[${"1,".repeat(count - 1)}1]`);
    expect(excessOf(list(398), LIMITS)).toBeUndefined();
    expect(excessOf(list(401), LIMITS)).toBe("contain at most 400 values");
  });
});

describe("a message", () => {
  it.each([
    ["Latin-1", Uint8Array.of(0x22, 0xe9, 0x22, 0x0a)],
    ["a cut character", Uint8Array.of(0x22, 0xc3, 0x22, 0x0a)],
    ["an encoded surrogate", Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22, 0x0a)],
    ["an overlong slash", Uint8Array.of(0x22, 0xc0, 0xaf, 0x22, 0x0a)],
  ])("must be UTF-8: %s is a breach", (_what, bytes) => {
    expect(read([bytes]).breach?.message).toMatch(/^expected UTF-8, found /);
  });

  it.each(["hello", "{'a':1}", "{}{}", "\ufeff{}", "NaN", "Content-Length: 2", " "])(
    "must be JSON: %j is a breach",
    (line) => {
      expect(read([`${line}\n`]).breach?.kind).toBe("json");
    },
  );

  it("shows what was found without control characters, and not much of it", () => {
    const { breach } = read([`\x1b]0;owned\x07 \u202e${"x".repeat(500)}\n`]);
    expect(breach?.message).toMatch(/^expected one JSON message per line, found "[ -~]{60,140} … \(write/);
  });

  it("keeps no key __proto__ that an assignment would make a prototype (CWE-1321)", () => {
    const attack = '{"__proto__":{"isAdmin":true},"a":[{"\\u005f_proto__":{"isAdmin":true}}],"b":1}';
    const [message] = read([`${attack}\n`]).messages as [Record<string, JsonValue>];
    expect(Object.assign({}, message)).not.toHaveProperty("isAdmin");
    expect(Object.assign({}, (message.a as JsonValue[])[0])).not.toHaveProperty("isAdmin");
    expect(message).toEqual({ a: [{}], b: 1 });
    // The twin: what JSON.parse alone would have passed on.
    expect(Object.assign({}, JSON.parse(attack))).toHaveProperty("isAdmin", true);
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });
});
