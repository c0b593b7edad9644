// What an MCP server lists and answers may be odd in one part: it costs that part, by name, through the real command.

import { expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import type { ScriptedTurn } from "../support/model-server.ts";
import { ODD_MCP_SERVER, serverManifest } from "../support/odd-mcp-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

/** The server reads lines as Node does, for which these end one. */
const WORDS = "one\u2028two\u2029three";

async function placeWith(tools: readonly string[]): Promise<Workplace> {
  const turns: readonly ScriptedTurn[] = [
    ...tools.map((name) => ({
      text: "On it.",
      calls: [{ name: `mcp__odd__${name}`, input: { words: WORDS } }],
    })),
    { text: "Done." },
  ];
  const place = await createServedShared((_, at) => turns[at]);
  place.file(".indus/addons/odd/manifest.toml", serverManifest("odd", ["node", "server.mjs"]));
  place.file(".indus/addons/odd/server.mjs", ODD_MCP_SERVER);
  return place;
}

const skippedIn = (stdout: string): readonly string[] =>
  [...stdout.matchAll(/^ {2}skipped +(.*)$/gm)].map(([, part = ""]) => part);

it("a tool that cannot be used is skipped by name, and the others are there", async () => {
  const place = await placeWith([]);
  const { stdout } = await place.run(["addons", "--grant", "odd"]);
  const tools = /^ {2}tools +(mcp__odd__.*)$/m.exec(stdout)?.[1];
  const names =
    "rooted lasting either-way either plain part notes nothing loose long empty none said wrong misfit listed matched steep beside alike wrapped hollow large unmatched".split(
      " ",
    );
  expect(tools).toBe(names.map((name) => `mcp__odd__${name}`).join(", "));
  const skipped = [
    "tool bare: it has no inputSchema",
    "tool worded: its inputSchema is a string, not an object",
    'tool texts: its inputSchema has the type "string", but arguments are an object',
    "tool number 12 of the server: it is null, not an object",
    "tool number 13 of the server: its name is a number, not a string",
    "tool deep: its inputSchema is nested deeper than 100 levels",
  ];
  expect(skippedIn(stdout)).toEqual(skipped);
  // What it lists is known by now: it is said all the same.
  const again = await place.run(["addons", "--grant", "odd"]);
  expect(skippedIn(again.stdout)).toEqual(skipped);
});

it("a server that has other tools works all the same, and what it lacks is said", async () => {
  const place = await placeWith([]);
  const { code, stdout } = await place.run(["mcp", "test", "odd"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("odd works here.")]);
  expect(stdout).toMatch(/^warn +tool bare is skipped: it has no inputSchema$/m);
  // The twin: one that has no tool at all does not.
  place.file(
    ".indus/addons/odd/server.mjs",
    ODD_MCP_SERVER.replace("const PAGES = [", "const PAGES = [[], []]; [").replaceAll(
      "capabilities: { tools: true }",
      "capabilities: {}",
    ),
  );
  const none = await place.run(["mcp", "test", "odd"]);
  expect([none.code, none.stdout]).toEqual([1, expect.stringContaining("odd does not work here yet.")]);
});

/** What the model reads of a call of each. */
const OUTCOMES: Readonly<Record<string, readonly [state: string, text: string]>> = {
  rooted: ["ok", "called"],
  plain: ["ok", "fine"],
  part: [
    "ok",
    'before\n[content of the unknown type "video", not shown]\n[content of the unknown type "note"] words\n[a part of the answer is a number, not shown]\nafter',
  ],
  notes: ["ok", "kept"],
  nothing: ["ok", "[the server's answer has no content]"],
  empty: ["ok", "[the server's answer has no content]"],
  none: ["ok", "[the server's answer is null, not a result]"],
  said: ["ok", "just words"],
  wrong: [
    "ok",
    "[a text block whose text is a number, not shown]\n[image of (missing), without data, not shown]\n[(missing): of no type, without data, not shown]\n(missing): (a number)",
  ],
  misfit: [
    "ok",
    'two\n{"count":"two"}\n[its structured content does not fit its outputSchema: count must be number, got string]',
  ],
  listed: ["ok", '"a"\n"b"'],
  matched: ["ok", 'ok\n{"id":"a1"}'],
  beside: ["ok", '3 found\n{"ids":["a","b","c"]}'],
  alike: ["ok", '{ "n": 1 }'],
  hollow: ["ok", "b"],
  wrapped: ["ok", "a\nb"],
  large: ["ok", "much\n[its structured content (20010 bytes) says something else than this, not shown]"],
  steep: ["ok", "top\n[its structured content is nested deeper than 100 levels, not shown]"],
  unmatched: [
    "ok",
    'no\n{"id":"b1"}\n[its structured content does not fit its outputSchema: id: String does not match pattern.]',
  ],
  loose: ["failed", '{"why":"odd"}'],
  long: ["failed", "no way"],
};

it("a result that is odd in one part is shown without it, and the part is named", async () => {
  const place = await placeWith(Object.keys(OUTCOMES));
  const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "odd"];
  await place.run(["-p", "go", ...flags]);
  expect(place.problems()).toEqual([]);
  const tools = place.entries().filter((entry) => entry.type === "tool");
  expect(Object.fromEntries(tools.map(({ name, state, text }) => [name, [state, text]]))).toEqual(
    Object.fromEntries(Object.entries(OUTCOMES).map(([name, outcome]) => [`mcp__odd__${name}`, outcome])),
  );
});
