// The twins of the corpora: what the same bombs do to whoever reads them without the guard. Each shows the harm itself, not how
// long it takes.

import { runInNewContext } from "node:vm";
import { deflateSync, gzipSync, inflateSync } from "node:zlib";
import { diff } from "fast-myers-diff";
import { analyse } from "scslre";
import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { makeMemoryContext } from "../../packages/indusagi/src/capabilities/backends/memory.ts";
import { RecordParser } from "../../packages/indusagi/src/capabilities/backends/ripgrep-records.ts";
import { changedRanges } from "../../packages/indusagi/src/capabilities/files/changed-ranges.ts";
import { decodeFile, encodeFile } from "../../packages/indusagi/src/capabilities/files/text-encoding.ts";
import { parseNameQuery, QueryError } from "../../packages/indusagi/src/capabilities/search/name-query.ts";
import { printable } from "../../packages/indusagi/src/core/printable.ts";
import { compileSchema, type JsonSchema } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { createSseReader, MAX_FRAME_CHARS } from "../../packages/indusagi/src/llmgateway/sse.ts";
import { parseToolArguments } from "../../packages/indusagi/src/llmgateway/tool-arguments.ts";
import { parseYaml as guardedYaml } from "../../packages/induscode/src/briefing/yaml.ts";
import { MAX_LINE_CHARS } from "../../packages/induscode/src/deck/shell/read-command.ts";
import { parseToml as guardedToml } from "../../packages/induscode/src/store/toml.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { around } from "./make.ts";
import { PARSERS } from "./parsers.ts";

/** Deeper than any stack of this size of process goes. */
const deepObjects = around('{"a":', "1", "}", 400_000);

/** Whoever walks a value by calling itself, as validators, differs and writers do. */
function walk(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + walk(item), 1);
}

const overrunsTheStack = (): void => expect(() => walk(JSON.parse(deepObjects))).toThrow(RangeError);

/** More work than in proportion to the text: the analysis derives it, no clock does. */
const isSlow = (source: string, flags = ""): void =>
  expect(
    analyse({ source, flags }, { reportTypes: { Move: true, Self: true, Trade: true } }).reports,
  ).not.toEqual([]);

/** It has 2^60 ways to go wrong, and tries them all: no machine sees the end. */
function neverEnds(source: string, text: string): void {
  const attempt = (): unknown =>
    runInNewContext(
      `new RegExp(${JSON.stringify(source)}).test(${JSON.stringify(text)})`,
      {},
      { timeout: 100 },
    );
  expect(attempt).toThrow(/timed out/);
}
const GREEDY = "^(a+)+$";
const ALMOST = `${"a".repeat(60)}!`;

/** A list of lists of lists: nine names stand for a hundred million values. */
const LAUGHS = [
  "a: &a [1,1,1,1,1,1,1,1,1,1]",
  ..."bcde".split("").map((name, at) => `${name}: &${name} [${Array(10).fill(`*${"abcde"[at]}`).join(",")}]`),
].join("\n");

function yamlUnfolds(): void {
  const value = parseYaml(LAUGHS, { maxAliasCount: -1 }) as unknown;
  expect(JSON.stringify(value).length).toBeGreaterThan(200_000); // of 200 characters
  expect(() => guardedYaml(LAUGHS)).toThrow(/alias/i);
}

async function tomlOverruns(): Promise<void> {
  const text = `a = ${around("[", "", "]", 100_000)}`;
  expect(() => parseToml(text, { maxDepth: Number.POSITIVE_INFINITY })).toThrow(RangeError);
  await expect(guardedToml(text, 64)).rejects.toThrow(/nested/);
}

/** The shortest script between two long texts with little in common. */
function comparesEverything(): void {
  const old = Array.from({ length: 4_000 }, (_, at) => `${at}\n`);
  const now = old.toReversed();
  let compared = 0;
  const isSame = (one: number, other: number): boolean => ++compared > 0 && old[one] === now[other];
  for (const _ of diff(old, now, isSame));
  expect(compared).toBeGreaterThan(5_000_000); // what changedRanges spends at most
  expect(changedRanges(old, now).length).toBeGreaterThan(0);
}

/** `{a,b}` written out, as a shell does it. */
function writtenOut(query: string): readonly string[] {
  const [whole, first = "", second = ""] = /\{(\w),(\w)\}/.exec(query) ?? [];
  return whole === undefined
    ? [query]
    : [first, second].flatMap((each) => writtenOut(query.replace(whole, each)));
}

async function readsAll(): Promise<void> {
  const { fs } = await makeMemoryContext("/w", { files: { "/w/.git": "gitdir: ".repeat(100_000) } });
  expect((await fs.readBytes("/w/.git")).length).toBe(800_000); // and of a device without an end, for ever
  expect((await fs.readBytes("/w/.git", { start: 0, maxBytes: 4_096 })).length).toBe(4_096);
}

function holdsTheLine(): void {
  const line = "a".repeat(1_000_000);
  const records = new RecordParser(10);
  records.write(Buffer.from(`a.txt\0${1}:1:${line}\n`));
  expect(records.hits[0]?.text.length).toBeLessThan(3_000);
  expect(`a.txt:1:${line}`.split("\n")[0]?.length).toBeGreaterThan(1_000_000);
}

/** What is not UTF-8, read as if it were: another file is written than was read. */
function losesBytes(): void {
  const bytes = Buffer.from([0x61, 0xe9, 0x62]);
  expect(Buffer.from(bytes.toString("utf8")).equals(bytes)).toBe(false);
  const file = decodeFile(bytes);
  if (file.kind === "other") throw new Error(file.reason);
  expect(encodeFile(file.text, file.encoding)?.equals(bytes)).toBe(true);
}

/** A title that nobody ends takes all that follows with it. */
function swallowsTheSession(): void {
  const text = `\u001b]0;${"a".repeat(100_000)} what was said`;
  const title = /\u001b\][^\u0007]*(?:\u0007|$)/;
  expect(text.replace(title, "")).toBe("");
  expect(printable(text)).toContain("what was said");
}

const TWINS: Readonly<Record<string, () => void | Promise<void>>> = {
  "event streams": () => {
    const chunk = Buffer.alloc(MAX_FRAME_CHARS + 16, "a");
    expect(createSseReader(() => undefined).feed(chunk)).toBe(false);
    expect(createSseReader(() => undefined, Number.POSITIVE_INFINITY).feed(chunk)).toBe(true); // and so on, for ever
  },
  "Chat Completions events": overrunsTheStack,
  "Messages events": overrunsTheStack,
  "Gemini events": overrunsTheStack,
  "Responses events": overrunsTheStack,
  "refusals of model servers": () => isSlow("<(style|script)[\\s\\S]*?<\\/\\1>|<[^>]*>", "gi"),
  "answers of token servers": overrunsTheStack,
  "tool arguments": () => {
    overrunsTheStack();
    expect(parseToolArguments(deepObjects).input).toEqual({});
  },
  cassettes: overrunsTheStack,
  "headers of commands, skills and agents": yamlUnfolds,
  "profiles in TOML": tomlOverruns,
  manifests: tomlOverruns,
  settings: () => isSlow("\\)\\s*[,\\s]\\s*[A-Za-z_*][\\w*.-]*\\("),
  "models.json": overrunsTheStack,
  "package.json and the product's own files": overrunsTheStack,
  "files of other agents": overrunsTheStack,
  instructions: () => isSlow("[.,;:!?)\\]}'\"]+$"),
  "permission rules": () => isSlow("\\)\\s*[,\\s]\\s*[A-Za-z_*][\\w*.-]*\\("),
  "requests to the proxy": () => isSlow("\\.+$"), // how the dots behind a name are cut off
  "ignore rules": () => neverEnds(`^${"(.*\\/)?".repeat(30)}b$`, `${"a/".repeat(60)}c`), // `**/` thirty times, translated
  "git's own files": readsAll,
  "session logs": () => isSlow("[\\0 \\t\\r]+$"),
  "commands of the model": () => neverEnds("^(?:\\S+\\s*)+;$", ALMOST),
  // A variable that is twice itself in each part of a line.
  "command lines": () =>
    expect(() => {
      let value = "a";
      for (let part = 0; part < MAX_LINE_CHARS / 12; part++) value += value;
    }).toThrow("Invalid string length"),
  "paths in calls": () => isSlow("[. ]+$"),
  "conditions of gates": () => neverEnds(`^${"(a*)*".repeat(10)}$`, ALMOST),
  "frames of addons": overrunsTheStack,
  "answers and requests of addons": overrunsTheStack,
  "schemas of tools": async () => {
    neverEnds(GREEDY, ALMOST);
    const schema = { type: "object", properties: { a: { type: "string", pattern: GREEDY } } };
    const check = await compileSchema(schema as JsonSchema);
    expect(await check({ a: ALMOST })).toContain("it takes over 2 s"); // on a thread of its own
  },
  "paths of addons": () => isSlow("^[ \\t\\n\\v\\f\\r]+|[ \\t\\n\\v\\f\\r]+$", "g"),
  "search patterns": () => neverEnds(GREEDY, ALMOST),
  "names to find": () => {
    expect(writtenOut("{a,b}".repeat(14)).length).toBe(16_384); // and twice as many with each further one
    expect(() => parseNameQuery("{a,b}".repeat(14))).toThrow(QueryError);
  },
  "edits and diffs": comparesEverything,
  "files of any encoding": losesBytes,
  "pages of documents": () => {
    const bomb = deflateSync(Buffer.alloc(8 * 1024 * 1024));
    expect([bomb.length < 10_000, inflateSync(bomb).length]).toEqual([true, 8 * 1024 * 1024]);
    expect(() => inflateSync(bomb, { maxOutputLength: 1024 * 1024 })).toThrow(RangeError);
  },
  "web pages": () => isSlow("<(style|script)[\\s\\S]*?<\\/\\1>|<[^>]*>", "gi"),
  "answers of search services": overrunsTheStack,
  "compressed bodies": () => expect(gzipSync(Buffer.alloc(8 * 1024 * 1024)).length).toBeLessThan(10_000), // 800 bytes for each
  "ripgrep's output": holdsTheLine,
  "text for the screen": swallowsTheSession,
  "Markdown of answers": () => isSlow("\\[[^\\]]*\\]\\(", "g"), // how a link is found without a bound
  "code in answers": () => isSlow("\\w+\\s*\\(", "g"), // how grammars find the name of a function
};

describe("the twin, without the guard", LONG_ONLY, () => {
  test("is there for each parser", () => {
    expect(Object.keys(TWINS).sort()).toEqual(PARSERS.map(({ name }) => name).sort());
  });
  test.each(Object.entries(TWINS))("of %s", (_name, twin) => twin());
});
