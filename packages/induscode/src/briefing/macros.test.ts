import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import * as fc from "../../../../tests/support/fast-check.ts";
import { rows, theFirst } from "../../../../tests/support/long-form.ts";
import type { MacroDef, MacroToken } from "./contract.ts";
import {
  applyMacros,
  applyMacrosReporting,
  buildMacroScope,
  expandInvocation,
  resolveTokens,
  scanMacroBody,
} from "./macros.ts";

const text = (value: string): MacroToken => ({ kind: "literal", text: value });
const at = (index: number): MacroToken => ({ kind: "positional", index });
const from = (start: number, length?: number): MacroToken => ({
  kind: "slice",
  start,
  length,
});
const all: MacroToken = { kind: "all" };

describe("scanMacroBody", () => {
  it.each<readonly [string, readonly MacroToken[]]>([
    ["", []],
    ["plain", [text("plain")]],
    ["{{arg.1}}", [at(1)]],
    ["{{ arg.12 }}", [at(12)]],
    ["{{arg.all}}", [all]],
    ["{{  arg.all\n}}", [all]],
    ["{{arg.slice 2 3}}", [from(2, 3)]],
    ["{{arg.slice  2   3  }}", [from(2, 3)]],
    ["{{arg.slice 2}}", [from(2)]],
    ["{{arg.rest}}", [from(2)]],
    ["{{arg.rest 4}}", [from(4)]],
    ["{{{{", [text("{{")]],
    ["{{{{arg.1}}", [text("{{"), text("arg.1}}")]],
    ["$1$22", [at(1), at(22)]],
    ["$@", [all]],
    ["$ARGUMENTS", [all]],
    ["$ARGUMENTS[0]", [all, text("[0]")]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the grammar of the macros
    ["${@:2}", [from(2)]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the grammar of the macros
    ["${@:2:1}", [from(2, 1)]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the grammar of the macros
    ["${@}", [all]],
    ["$$1", [text("$"), text("1")]],
    ["a $1 b {{arg.2}} c", [text("a "), at(1), text(" b "), at(2), text(" c")]],
    ["é{{arg.1}}😀", [text("é"), at(1), text("😀")]],
  ])("reads %j", (body, tokens) => {
    expect(scanMacroBody(body)).toEqual(tokens);
  });

  it.each([
    "$",
    "a $ b",
    "$x",
    "$ARGUMENTSX",
    "$ARGUMENTS_",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the grammar of the macros
    "${foo}",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the grammar of the macros
    "${@:}",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the grammar of the macros
    "${@:1:}",
    "{{foo}}",
    "{{",
    "{{arg.",
    "{{arg.}}",
    "{{arg.one}}",
    "{{arg.slice}}",
    "{{arg.slice x}}",
    "{{arg.1",
    "{{arg.99999999999}}",
    "$4294967296",
    "{{ar g.1}}",
  ])("leaves %j as it is", (body) => {
    expect(scanMacroBody(body).map((token) => (token.kind === "literal" ? token.text : token))).toEqual([
      body,
    ]);
  });

  it.each([
    "Budget $36,000 and $5.00, not $1,000.50",
    "US$5 a day, or AU$7",
    "$10k, $2M or $3bn",
    "$100 in all",
    "at most $100 for {{x}}, $50 each",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's own words
    "$0 $? $# $! $* $- ${HOME} $(date) $((1+1)) $PATH `id`",
  ])("leaves amounts of money and a shell's own words as they are: %j", (body) => {
    expect(applyMacros(body, "a b")).toBe(body);
  });

  it.each([
    ["$1 has $100 for $2, at $2.50 each", "a has $100 for b, at $2.50 each"],
    ["$1. Then $2, and $3", "a. Then b, and "],
    ["$1$2.$1/$2-$10", "ab.a/b-"],
    ["{{arg.1}} $12", "a "],
    ["$$5.00 $$1", "$5.00 $1"],
  ])("positions next to them are positions: %j", (body, expected) => {
    expect(applyMacros(body, "a b")).toBe(expected);
  });

  it("reports each legacy form with the one that says the same today, and no other", () => {
    const reported: string[] = [];
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the grammar of the macros
    const body = "$1 $1 $@ $ARGUMENTS ${@:2} ${@:2:3} ${@} $$ {{arg.1}} {{{{ $x";
    applyMacrosReporting(body, "", (legacy, modern) => reported.push(`${legacy} -> ${modern}`));
    expect(reported).toEqual([
      "$1 -> {{arg.1}}",
      "$1 -> {{arg.1}}",
      "$@ -> {{arg.all}}",
      "$ARGUMENTS -> {{arg.all}}",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the grammar of the macros
      "${@:2} -> {{arg.slice 2}}",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the grammar of the macros
      "${@:2:3} -> {{arg.slice 2 3}}",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the grammar of the macros
      "${@} -> {{arg.all}}",
      "$$ -> $",
    ]);
  });

  it("loses no character outside of placeholders, whatever the text is", () => {
    const pieces = [
      "{{",
      "}}",
      "{",
      "arg.",
      "1",
      "slice",
      " ",
      "$",
      "@",
      ":",
      "}",
      "ARGUMENTS",
      "é😀",
      "\n",
      "rest",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
        const body = parts.join("");
        const kept = scanMacroBody(body).flatMap((token) => (token.kind === "literal" ? [token.text] : []));
        let at = 0;
        for (const piece of kept) {
          expect(body.indexOf(piece, at)).toBeGreaterThanOrEqual(at);
          at = body.indexOf(piece, at) + piece.length;
        }
        if (!/\$|\{\{/.test(body)) expect(kept.join("")).toBe(body);
      }),
      { numRuns: 1_000 },
    );
  });

  it("takes linear time for texts made to be slow", () => {
    const hostile = ["{{", "{{ ", "{{arg.slice 1 ", "$", "${@:", "{{arg.1", "{{\n".padEnd(400)];
    for (const piece of rows(hostile, theFirst)) {
      const apply = (length: number) => applyMacros(piece.repeat(Math.ceil(length / piece.length)), "x");
      expect(growthOf([10_000, 100_000, 1_000_000], apply), piece).toBe("even");
    }
  });
});

describe("buildMacroScope", () => {
  it.each([
    ["", []],
    ["  a  b ", ["a", "b"]],
    [`one "two words" 'three "quoted" words'`, ["one", "two words", 'three "quoted" words']],
    [`--x="a b"c`, ["--x=a bc"]],
    [`"" '' x`, ["x"]],
    ["don't stop", ["don't", "stop"]],
    ["don't do what I can't", ["don't", "do", "what", "I", "can't"]],
    ["the users' names aren't 'all of them'", ["the", "users'", "names", "aren't", "all of them"]],
    [`say \\"hi there\\" it\\'s`, ["say", '"hi', 'there"', "it's"]],
    [`"a \\"b\\" c" 'a\\' "x`, ['a "b" c', "a\\", '"x']],
    [String.raw`C:\new "C:\a b\c" \d+`, [String.raw`C:\new`, String.raw`C:\a b\c`, String.raw`\d+`]],
    ["a\tb", ["a", "b"]],
  ])("splits %j", (raw, args) => {
    expect(buildMacroScope(raw)).toEqual({ args, all: args.join(" "), raw });
  });

  it("keeps text of several lines as it is, its indentation and quotes too", () => {
    const raw = `p.py why?\n\ndef f():\n    return "a  b"\n`;
    expect(buildMacroScope(raw).args).toEqual(["p.py", "why?", "def", "f():", "return", "a  b"]);
    expect(applyMacros("In $1: $ARGUMENTS", raw)).toBe(`In p.py: ${raw.trim()}`);
    expect(applyMacros("In $1: {{arg.rest}}|{{arg.slice 9}}", raw)).toBe(
      `In p.py: why?\n\ndef f():\n    return "a  b"|`,
    );
    expect(applyMacros("{{arg.all}}", "one\r\ntwo")).toBe("one\r\ntwo");
  });

  it("takes linear time for lines made to be slow", () => {
    for (const piece of rows(['"', "'", '\\"', '"\\', " '", '\\\\"', "a'", "\n'"], theFirst)) {
      const split = (length: number) => buildMacroScope(`"${piece.repeat(length / piece.length)}`);
      expect(growthOf([10_000, 100_000, 1_000_000], split), piece).toBe("even");
    }
  });
});

describe("resolveTokens", () => {
  const scope = buildMacroScope("a b c");

  it.each<readonly [MacroToken, string]>([
    [at(0), ""],
    [at(3), "c"],
    [at(4), ""],
    [all, "a b c"],
    [from(0), "a b c"],
    [from(0, 1), "a"],
    [from(2), "b c"],
    [from(2, 1), "b"],
    [from(2, 9), "b c"],
    [from(2, 0), ""],
    [from(9), ""],
  ])("%o", (token, expected) => {
    expect(resolveTokens([token], scope)).toBe(expected);
  });
});

describe("an argument", () => {
  const raw = "'$2 {{arg.2}}' secret";

  it("is put in as it is and never scanned again", () => {
    expect(applyMacros("$1!", raw)).toBe("$2 {{arg.2}}!");
  });

  it("would be, in passes of replacements (the twin)", () => {
    const { args } = buildMacroScope(raw);
    const naive = args.reduce((body, value, index) => body.replaceAll(`$${index + 1}`, () => value), "$1!");
    expect(naive).toBe("secret {{arg.2}}!");
  });
});

describe("expandInvocation", () => {
  const macro = (name: string, body: string): MacroDef => ({
    name,
    body,
    description: "",
    origin: "project",
    source: `/${name}`,
  });
  const macros = [
    macro("deploy", "ship $1 in mode $2"),
    macro("deploy", "no"),
    macro("git:commit", "commit {{arg.all}}"),
  ];

  it.each([
    ["/deploy staging fast", "ship staging in mode fast"],
    ["/deploy", "ship  in mode "],
    ["/deploy\nstaging\nfast", "ship staging in mode fast"],
    ["/git:commit all of it", "commit all of it"],
    ["/unknown x", "/unknown x"],
    ["deploy x", "deploy x"],
    [" /deploy x", " /deploy x"],
    ["/", "/"],
  ])("%j", (line, expected) => {
    expect(expandInvocation(line, macros)).toBe(expected);
  });

  it("takes all arguments, and all but the first", () => {
    expect(applyMacros("all: {{arg.all}} | rest: {{arg.rest}}", "a b c")).toBe("all: a b c | rest: b c");
  });
});
