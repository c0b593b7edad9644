// Reading what a disk, a server or a person left behind: a value or a named problem, never an exception.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import type { JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { CassetteError, parseCassette } from "../../packages/indusagi/src/llmgateway/cassette-format.ts";
import { createSseReader } from "../../packages/indusagi/src/llmgateway/sse.ts";
import { LoaderError } from "../../packages/induscode/src/addons/contract.ts";
import { parseManifest } from "../../packages/induscode/src/addons/source/manifest.ts";
import { PARTS } from "../../packages/induscode/src/boot/parts.ts";
import { SUBCOMMANDS } from "../../packages/induscode/src/boot/subcommands.ts";
import { parseCommandLine } from "../../packages/induscode/src/cli/command-line.ts";
import { readEntries } from "../../packages/induscode/src/conductor/log-reader.ts";
import { loadSettings } from "../../packages/induscode/src/settings/load-settings.ts";
import * as fc from "../support/fast-check.ts";
import { anyText, bagOf, jsonOf, textOf } from "./inputs.ts";
import { property, watchPrototypes } from "./property.ts";

watchPrototypes();

const folder = mkdtempSync(join(tmpdir(), "indus-fuzz-readers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const json = (value: JsonValue): string => JSON.stringify(value);

const cassetteNames = [
  "turn",
  "match",
  "reply",
  "deltas",
  "message",
  "role",
  "content",
  "kind",
  "text",
  "id",
  "name",
  "stop",
  "usage",
];
const block = bagOf({
  kind: fc.constantFrom("text", "thinking", "tool_call", "image", "__proto__"),
  text: anyText,
  id: anyText,
  name: anyText,
  provider: anyText,
  input: jsonOf(["path"]),
});
const turn = bagOf({
  turn: fc.constantFrom(1, 2, 3),
  match: anyText,
  deltas: fc.array(block, { maxLength: 3 }),
  reply: bagOf({
    message: bagOf({ role: fc.constant("assistant"), content: fc.array(block, { maxLength: 3 }) }),
    stop: fc.constantFrom("complete", "tool_calls", "constructor"),
    usage: jsonOf(["inputTokens", "outputTokens"]),
  }),
});
const cassetteLine = fc.oneof(turn.map(json), jsonOf(cassetteNames).map(json), anyText);

property(
  "a cassette plays or says what is wrong with it",
  fc.array(cassetteLine, { maxLength: 5 }),
  (rows) => {
    try {
      for (const each of parseCassette(['{"cassette":1,"about":"x"}', ...rows].join("\n")))
        expect(each.reply.message.role).toBe("assistant");
    } catch (error) {
      expect(error).toBeInstanceOf(CassetteError);
    }
  },
);

const events = textOf(
  ["data:", "data: ", "event: x", "id: 1", "retry: 9", ":", "\n", "\r", "\r\n", "\n\n", "\ufeff", "é", "😀"],
  40,
);
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });

property(
  "an event stream cut anywhere gives the same events as whole",
  fc.tuple(events, cuts),
  ([text, sizes]) => {
    const bytes = Buffer.from(text);
    const read = (chunks: readonly Buffer[]): readonly string[] => {
      const frames: string[] = [];
      const reader = createSseReader((data) => frames.push(data));
      for (const chunk of chunks) expect(reader.feed(chunk)).toBe(true);
      return frames;
    };
    const chunks: Buffer[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? 1;
      chunks.push(bytes.subarray(at, at + size));
      at += size;
    }
    expect(read(chunks)).toEqual(read([bytes]));
  },
);

property(
  "a stream of any bytes within a bound is read or refused",
  fc.tuple(fc.uint8Array({ maxLength: 400 }), fc.nat(50)),
  ([bytes, bound]) => {
    let longest = 0;
    const reader = createSseReader((data) => (longest = Math.max(longest, data.length)), bound);
    for (let at = 0; at < bytes.length; at += 7)
      if (!reader.feed(Buffer.from(bytes.subarray(at, at + 7)))) break;
    expect(longest).toBeLessThanOrEqual(bound + 7);
  },
);

const entryNames = ["type", "n", "at", "v", "id", "cwd", "text"];
const logLine = fc.oneof(
  jsonOf(entryNames).map(json),
  bagOf({ type: fc.constantFrom("user", "session", "__proto__"), n: fc.nat(9), at: fc.nat() }).map(json),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom("", "{", "\0\0\0\0", '{"type":"user","n":1,"at":1', "\ufeff"),
);
const logBytes = fc
  .tuple(fc.array(logLine, { maxLength: 12 }), fc.uint8Array({ maxLength: 40 }))
  .map(([rows, tail]) => Buffer.concat([Buffer.from(rows.map((row) => `${row}\n`).join("")), tail]));

property(
  "any bytes are a log: each line is an entry, blank, or counted as damaged",
  logBytes,
  (bytes) => {
    const path = join(folder, "log.jsonl");
    writeFileSync(path, bytes);
    const { entries, damage, goodLength, lacksNewline } = readEntries(path);
    const wholeLines = bytes.filter((byte) => byte === 10).length + (lacksNewline ? 1 : 0);
    expect(damage.lines).toBeLessThanOrEqual(wholeLines);
    expect(entries.length).toBeLessThanOrEqual(wholeLines);
    if (!lacksNewline) expect(goodLength).toBe(bytes.lastIndexOf(10) + 1);
    expect(goodLength + damage.tail).toBeLessThanOrEqual(bytes.length);
    for (const entry of entries) expect([typeof entry.type, typeof entry.n]).toEqual(["string", "number"]);
  },
  { cost: 5 },
);

const settingNames = [
  "model",
  "thinking",
  "maxTurns",
  "providers",
  "permissions",
  "allow",
  "ask",
  "deny",
  "mode",
  "localServers",
  "id",
  "kind",
  "baseUrl",
];
const rules = fc.oneof(fc.array(anyText, { maxLength: 3 }), jsonOf(settingNames));
const settings = bagOf({
  model: jsonOf([]),
  thinking: fc.constantFrom("off", "high", "toString"),
  maxTurns: fc.constantFrom(1, 0, -1, 1.5, "9"),
  providers: jsonOf(["id", "kind", "baseUrl", "apiKey"]),
  permissions: bagOf({
    mode: fc.constantFrom("bypass", "constructor"),
    allow: rules,
    ask: rules,
    deny: rules,
  }),
  onGateFailure: fc.constantFrom("allow", "block", "x"),
});
const settingsText = fc.oneof(
  settings.map(json),
  jsonOf(settingNames).map(json),
  textOf(
    ["{", "}", "[", "]", ",", ":", '"model"', '"x"', "//", "/*", "*/", "\n", '"permissions"', '"__proto__"'],
    20,
  ),
  anyText,
);

property(
  "any settings file loads, and a repository's only narrows",
  fc.tuple(settingsText, settingsText),
  async ([own, project]) => {
    const [home, cwd] = [join(folder, "home"), join(folder, "cwd")];
    mkdirSync(home, { recursive: true });
    mkdirSync(join(cwd, ".indus"), { recursive: true });
    writeFileSync(join(home, "settings.json"), own);
    writeFileSync(join(cwd, ".indus", "settings.json"), project);
    const { settings: both } = await loadSettings(home, cwd, PARTS);
    writeFileSync(join(cwd, ".indus", "settings.json"), "{}");
    const { settings: alone } = await loadSettings(home, cwd, PARTS);
    const { ask = [], deny = [] } = both.permissions ?? {};
    expect([...ask, ...deny].every((rule) => typeof rule === "string")).toBe(true);
    expect({ ...both, permissions: { ...both.permissions, ask: [], deny: [] } }).toEqual({
      ...alone,
      permissions: { ...alone.permissions, ask: [], deny: [] },
    });
    expect(deny).toEqual(expect.arrayContaining([...(alone.permissions?.deny ?? [])]));
  },
  { cost: 20 },
);

const argument = fc.oneof(
  anyText,
  textOf(
    [
      "-",
      "--",
      "p",
      "print",
      "model",
      "=",
      "json",
      "allow",
      "deny",
      "bash(x)",
      "@",
      "help",
      "version",
      "c",
      "resume",
    ],
    4,
  ),
);

property("any command line is understood or refused", fc.array(argument, { maxLength: 6 }), (argv) => {
  expect(typeof parseCommandLine(argv, SUBCOMMANDS)).toBe("object");
});

const toml = textOf(
  [
    ...[
      "[",
      "]",
      "[[",
      "]]",
      "=",
      '"',
      "'",
      '"""',
      "\n",
      "\r\n",
      ".",
      ",",
      "{",
      "}",
      "#",
      "1",
      "1e9",
      "-",
      "true",
      "nan",
    ],
    ...[
      "id",
      "name",
      "version",
      "grants",
      "commands",
      "gates",
      "kind",
      "__proto__",
      "constructor",
      'id = "a"\n',
      "\ufeff",
    ],
  ],
  40,
);

property("any addon manifest is understood or refused with its place", toml, async (text) => {
  try {
    await parseManifest(text, "/addons/a/manifest.toml");
  } catch (error) {
    expect(error).toBeInstanceOf(LoaderError);
  }
});
