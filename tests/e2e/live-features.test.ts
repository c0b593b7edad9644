// Features that come and go while a session runs, through the real command on a terminal: what the model is shown, what the
// log says of it, and what becomes of calls that are under way or come too late.

import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest, Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";
import { untilHolds } from "../support/until.ts";

const MODULE = (body: string): string =>
  `import type { AddonSurface } from "induscode/addons";\n\nexport function register(surface: AddonSurface): void {\n${body}\n}\n`;
const TOOL = (name: string, run: string): string =>
  `surface.addTool({ name: "${name}", description: "${name}", parameters: { type: "object" }, run: ${run} });`;
const SLOW = TOOL("slow", '() => new Promise((resolve) => setTimeout(() => resolve("old"), 2_000))');

const MODELS = { anthropic: "anthropic/scripted", openai: "openai/scripted" } as const;

type Loose = Readonly<Record<string, unknown>>;

/** A request's parts in the order in which a provider caches them, without the marks of what to keep. */
function partsOf({
  wire,
  body,
}: RecordedRequest): Readonly<Record<"tools" | "system" | "messages", string[]>> {
  const texts = (list: unknown): string[] =>
    ((list ?? []) as readonly Loose[]).map((each) =>
      JSON.stringify(each, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
    );
  const messages = texts(body.messages);
  return wire === "anthropic"
    ? { tools: texts(body.tools), system: texts(body.system), messages }
    : { tools: texts(body.tools), system: messages.slice(0, 1), messages: messages.slice(1) };
}

function toolNames(request: RecordedRequest | undefined): readonly string[] {
  const tools = (request?.body.tools ?? []) as readonly (Loose & { readonly function?: Loose })[];
  return tools.map((tool) => String(tool.function?.name ?? tool.name));
}

/** The prompt entries after the first: what they say came and went. */
function changesIn(place: Workplace): readonly unknown[] {
  return place
    .entries()
    .flatMap((entry) => (entry.type === "prompt" ? [entry] : []))
    .slice(1)
    .map(({ toolChanges }) => toolChanges);
}

function outcomesIn(place: Workplace): readonly string[] {
  return place.entries().flatMap((entry) => (entry.type === "tool" ? [`${entry.name}: ${entry.text}`] : []));
}

/** Nothing before the new tools is another byte than before. */
function expectSamePrefix(before: RecordedRequest | undefined, after: RecordedRequest | undefined): void {
  if (!before || !after) throw new Error("a request is missing");
  const [old, now] = [partsOf(before), partsOf(after)];
  expect(now.system).toEqual(old.system);
  expect(now.messages.slice(0, old.messages.length)).toEqual(old.messages);
  const kept = old.tools.filter((tool) => now.tools.includes(tool));
  expect(now.tools.slice(0, kept.length)).toEqual(kept);
}

it.each(rows(["anthropic", "openai"] as const, theFirst))(
  "a save while a call runs: the call ends as it began, the next turn has the new tools, in one entry (%s)",
  async (wire) => {
    const script: Script = [
      { calls: [{ name: "slow", input: {} }] },
      { text: "One." },
      { calls: [{ name: "slow", input: {} }] },
      { text: "Two." },
      { text: "Three." },
    ];
    const place = await createServedShared(script);
    const path = place.file(".indus/addons/notes.ts", MODULE(SLOW + TOOL("keep", '() => "kept"')));
    const terminal = openTerminal({
      console: "plain",
      place,
      url: place.server.url,
      columns: 1_000,
      args: [
        "addon",
        "dev",
        ".indus/addons/notes.ts",
        "--model",
        MODELS[wire],
        "--permission-mode",
        "bypass",
      ],
    });
    await terminal.waitFor("notes is loaded: + tool slow, + tool keep");
    terminal.type("work\r");
    await terminal.waitFor(/slow/);
    await untilHolds(() => expect(place.entries().some(({ type }) => type === "assistant")).toBe(true));
    writeFileSync(path, MODULE(TOOL("extra", '() => "more"') + TOOL("keep", '() => "kept"')));
    await terminal.waitFor("One.");
    await terminal.waitFor("notes is reloaded: + tool extra, - tool slow");
    terminal.type("again\r");
    await terminal.waitFor("Two.");
    terminal.type("and again\r");
    await terminal.waitFor("Three.");
    terminal.type("/quit\r");
    expect(await terminal.left).toBe(0);

    const { requests } = place.server;
    const names = requests.map((request) => toolNames(request).slice(-2));
    expect(names).toEqual([
      ["slow", "keep"],
      ["slow", "keep"],
      ["keep", "extra"],
      ["keep", "extra"],
      ["keep", "extra"],
    ]);
    expectSamePrefix(requests[1], requests[2]);
    expect(changesIn(place)).toEqual([
      [
        { tool: "slow", how: "removed", feature: "project:notes" },
        { tool: "extra", how: "added", feature: "project:notes" },
      ],
    ]);
    expect(outcomesIn(place)).toEqual([
      "slow: old",
      'slow: This session exposes no tool called "slow" any more: its owner, project:notes, was removed or changed.',
    ]);
    expect(verifyEntries(place.entries())).toMatchObject({ requests: 5, mismatches: [] });
    expect((await place.run(["session", "verify"])).stdout).toMatch(
      /\nEntry \d+: the model's tools changed: slow removed \(project:notes\), extra added \(project:notes\)\.\nEvery request is explained/,
    );
  },
);

it(
  "trust in a session: asked as at a start, taken in behind everything else, changed in its place, and taken out",
  LONG_ONLY,
  async () => {
    const script: Script = [
      { text: "One." },
      { calls: [{ name: "late", input: {} }] },
      { text: "Two." },
      { calls: [{ name: "late", input: {} }] },
      { text: "Three." },
      { calls: [{ name: "late", input: {} }] },
      { text: "Four." },
    ];
    const place = await createServedShared(script);
    const terminal = openTerminal({
      console: "plain",
      place,
      url: place.server.url,
      columns: 1_000,
      args: ["--model", "anthropic/scripted", "--permission-mode", "bypass"],
    });
    await terminal.waitFor(/\n› ?$/);
    terminal.type("first\r");
    await terminal.waitFor("One.");
    terminal.type("/addons trust late\r");
    await terminal.waitFor('No addon called "late" was found.');
    const path = place.file(".indus/addons/late.ts", MODULE(TOOL("late", '() => "one"')));
    terminal.type("/addons trust lat\r");
    await terminal.waitFor('Did you mean "late"?');
    terminal.type("/addons trust late\r");
    await terminal.waitFor(/Trust the addon late\? It is new here, or has changed[\s\S]*y\/n ›\s*$/);
    await terminal.answer("y\r");
    await terminal.waitFor("Added project:late to this session: tool late.");
    terminal.type("/addons trust late\r");
    await terminal.waitFor("late is already in this session, with this content.");
    terminal.type("second\r");
    await terminal.waitFor("Two.");

    writeFileSync(path, MODULE(TOOL("late", '() => "two"') + TOOL("later", '() => "x"')));
    terminal.type("/addons trust late\r");
    await terminal.waitFor(
      /new here, or has changed[\s\S]*It has changed since you trusted it on[\s\S]*y\/n ›\s*$/,
    );
    await terminal.answer("y\r");
    await terminal.waitFor("Added project:late to this session: tool late, tool later.");
    terminal.type("third\r");
    await terminal.waitFor("Three.");

    terminal.type("/addons remove late\r");
    await terminal.waitFor("Removed project:late from this session. To add it again: /addons trust late.");
    terminal.type("fourth\r");
    await terminal.waitFor("Four.");
    terminal.type("/addons trust late\r");
    await terminal.waitFor(
      /to this session: tool late, tool later\.[\s\S]*to this session: tool late, tool later\./,
    );
    terminal.type("/quit\r");
    expect(await terminal.left).toBe(0);

    const { requests } = place.server;
    const [bare = 0, late, both, none] = [0, 1, 3, 5].map((at) => toolNames(requests[at]).length);
    expect([late, both, none]).toEqual([bare + 1, bare + 2, bare]);
    for (const [before, after] of [
      [0, 1],
      [2, 3],
      [4, 5],
    ] as const)
      expectSamePrefix(requests[before], requests[after]);
    const feature = "project:late";
    expect(changesIn(place)).toEqual([
      [{ tool: "late", how: "added", feature }],
      [{ tool: "later", how: "added", feature }],
      [
        { tool: "late", how: "removed", feature },
        { tool: "later", how: "removed", feature },
      ],
    ]);
    expect(outcomesIn(place)).toEqual([
      "late: one",
      "late: two",
      'late: This session exposes no tool called "late" any more: its owner, project:late, was removed or changed.',
    ]);
    expect(verifyEntries(place.entries()).mismatches).toEqual([]);
  },
);

it(
  "trust that was refused takes nothing in, and is asked for again where the person names the addon",
  LONG_ONLY,
  async () => {
    const place = await createServedShared([{ text: "One." }]);
    place.file(".indus/addons/late.ts", MODULE(TOOL("late", '() => "one"')));
    const terminal = openTerminal({
      console: "plain",
      place,
      url: place.server.url,
      columns: 1_000,
      args: ["--model", "anthropic/scripted"],
    });
    await terminal.waitFor(/Trust the addon late\? It is new here[\s\S]*y\/n ›\s*$/);
    await terminal.answer("n\r");
    await terminal.waitFor(/\n› ?$/);
    terminal.type("/addons trust late\r");
    await terminal.waitFor(/Trust the addon late\? It was refused on \d{4}-\d\d-\d\d\.\n[\s\S]*y\/n ›\s*$/);
    await terminal.answer("n\r");
    await terminal.waitFor("late was not added.\nproject:late was not trusted: the answer was no");
    terminal.type("go\r");
    await terminal.waitFor("One.");
    expect(toolNames(place.server.requests[0])).not.toContain("late");
    terminal.type("/trust\r");
    await terminal.waitFor(/Not trusted [^\n]*\n {2}late {2}refused/);
    terminal.type("/trust late\r");
    await terminal.waitFor(/was refused on[\s\S]*was refused on[\s\S]*y\/n ›\s*$/);
    await terminal.answer("y\r");
    await terminal.waitFor("Added project:late to this session: tool late.");
    terminal.type("/quit\r");
    expect(await terminal.left).toBe(0);
  },
);

it.each(rows(["anthropic", "openai"] as const, theFirst))(
  "the third fault: the tools are gone from the next turn on, once, and back after a restart (%s)",
  async (wire) => {
    const broken = { calls: [{ name: "flaky", input: {} }] };
    const script: Script = [
      ...[broken, broken, broken, broken, { text: "One." }],
      { text: "Two." },
      { text: "Three." },
      { text: "Four." },
    ];
    const place = await createServedShared(script);
    place.file(
      ".indus/addons/flaky.ts",
      MODULE(TOOL("flaky", '() => { throw new Error("it broke"); }') + TOOL("other", '() => "x"')),
    );
    const terminal = openTerminal({
      console: "plain",
      place,
      url: place.server.url,
      columns: 1_000,
      args: ["--grant", "flaky", "--model", MODELS[wire], "--permission-mode", "bypass"],
    });
    await terminal.waitFor(/\n› ?$/);
    terminal.type("one\r");
    await terminal.waitFor("One.");
    await terminal.waitFor("is in quarantine after 3 handler faults in five minutes");
    terminal.type("two\r");
    await terminal.waitFor("Two.");
    terminal.type("three\r");
    await terminal.waitFor("Three.");
    terminal.type("/addons restart flaky\r");
    await terminal.waitFor("Restarted flaky");
    terminal.type("four\r");
    await terminal.waitFor("Four.");
    terminal.type("/quit\r");
    expect(await terminal.left).toBe(0);

    const { requests } = place.server;
    const hasFlaky = requests.map((request) => toolNames(request).slice(-2).join(" ") === "flaky other");
    expect(hasFlaky).toEqual([true, true, true, true, true, false, false, true]);
    expectSamePrefix(requests[4], requests[5]);
    expectSamePrefix(requests[6], requests[7]);
    const feature = "project:flaky";
    expect(changesIn(place)).toEqual([
      ["flaky", "other"].map((tool) => ({ tool, how: "removed", feature })),
      ["flaky", "other"].map((tool) => ({ tool, how: "added", feature })),
    ]);
    expect(outcomesIn(place).at(-1)).toContain("is in quarantine; to run it again");
    expect(verifyEntries(place.entries()).mismatches).toEqual([]);
  },
);
