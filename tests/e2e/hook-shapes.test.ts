// Files of hooks in the shapes that plugins have: each hook runs at its event, or the report says why it does not.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { rows } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

/** What a hook's program does: it leaves its word. */
const leaves = (word: string): string => `echo ${word} >> "$CLAUDE_PLUGIN_DATA/ran"`;
const command = (word: string, more: object = {}) => ({ type: "command", command: leaves(word), ...more });
/** The seconds that a hook may take. */
const lasting = (seconds: number) => ({ timeout: seconds });
const at = (event: string, matcher: string | undefined, ...hooks: readonly object[]) =>
  JSON.stringify({ hooks: { [event]: [{ matcher, hooks }] } });

interface Shape {
  readonly name: string;
  /** Of the short form. */
  readonly represents?: true;
  /** The text of `hooks/hooks.json`, unless `files` has it elsewhere. */
  readonly hooks?: string;
  /** Further files, by their path in the plugin. */
  readonly files?: Readonly<Record<string, string>>;
  /** The words of those that ran, sorted; what is not among them is explained by a line of the report. */
  readonly ran: readonly string[];
  readonly told?: RegExp;
}

const ROOT = "$" + "{CLAUDE_PLUGIN_ROOT}";
const SCRIPT = `#!/bin/sh\n${leaves("script")}\n`;
const SHAPES: readonly Shape[] = [
  { name: "one tool", hooks: at("PreToolUse", "Bash", command("a")), ran: ["a"] },
  {
    name: "a list of tools",
    represents: true,
    hooks: at("PreToolUse", "Edit|Write|MultiEdit", command("a")),
    ran: ["a"],
  },
  { name: "every tool, by a star", hooks: at("PreToolUse", "*", command("a")), ran: ["a", "a"] },
  { name: "every tool, by an empty matcher", hooks: at("PostToolUse", "", command("a")), ran: ["a", "a"] },
  {
    name: "every tool, without a matcher",
    hooks: at("PostToolUse", undefined, command("a")),
    ran: ["a", "a"],
  },
  { name: "a regular expression", hooks: at("PreToolUse", "^(Bash|Task)$", command("a")), ran: ["a"] },
  {
    name: "a regular expression with a look-ahead",
    hooks: at("PreToolUse", "^(?!Read)", command("a")),
    ran: [],
    told: /hook PreToolUse .* is skipped: .*linear time/,
  },
  {
    name: "the start, by its reasons",
    hooks: at("SessionStart", "startup|resume|clear", command("a")),
    ran: ["a"],
  },
  { name: "the start", hooks: at("SessionStart", undefined, command("a")), ran: ["a"] },
  { name: "a person's line", hooks: at("UserPromptSubmit", undefined, command("a")), ran: ["a"] },
  { name: "the end of a turn", hooks: at("Stop", "", command("a")), ran: ["a"] },
  { name: "the end", hooks: at("SessionEnd", undefined, command("a")), ran: ["a"] },
  {
    name: "several commands with their times",
    hooks: at("PreToolUse", "Bash", command("a", lasting(10)), command("b", lasting(60))),
    ran: ["a", "b"],
  },
  {
    name: "several events and a description",
    represents: true,
    hooks: JSON.stringify({
      description: "What it is for",
      hooks: {
        PreToolUse: [
          { matcher: "Bash", hooks: [command("a")] },
          { matcher: "Write", hooks: [command("b")] },
        ],
        Stop: [{ hooks: [command("c")] }],
        Notification: [{ hooks: [command("d")] }],
      },
    }),
    ran: ["a", "b", "c"],
    told: /idle .*Notification: /,
  },
  {
    name: "a script of its own, in quotes",
    represents: true,
    hooks: at("PreToolUse", "Bash", { type: "command", command: `sh "${ROOT}/hooks/do it.sh"` }),
    files: { "hooks/do it.sh": SCRIPT },
    ran: ["script"],
  },
  {
    name: "a script of its own, by a shell",
    hooks: at("PreToolUse", "Bash", { type: "command", command: `bash ${ROOT}/scripts/do.sh` }),
    files: { "scripts/do.sh": SCRIPT },
    ran: ["script"],
  },
  {
    name: "a program of Node",
    hooks: at("PreToolUse", "Write", { type: "command", command: `node "${ROOT}/do.mjs"` }),
    files: {
      "do.mjs":
        'import { appendFileSync } from "node:fs"; appendFileSync(process.env.CLAUDE_PLUGIN_DATA + "/ran", "node\\n");\n',
    },
    ran: ["node"],
  },
  {
    name: "a file that the manifest names",
    files: {
      ".claude-plugin/plugin.json": '{"name":"shape","hooks":"./config/hooks.json"}',
      "config/hooks.json": at("PreToolUse", "Bash", command("a")),
    },
    ran: ["a"],
  },
  {
    name: "in the manifest itself",
    files: {
      ".claude-plugin/plugin.json": `{"name":"shape",${at("PreToolUse", "Bash", command("a")).slice(1)}`,
    },
    ran: ["a"],
  },
  {
    name: "a question to a model, and an address",
    hooks: at(
      "PreToolUse",
      "Bash",
      { type: "prompt", prompt: "?" },
      { type: "http", url: "http://127.0.0.1:9/" },
    ),
    ran: [],
    told: /hook type prompt is not supported[\s\S]*hook type http is not supported/,
  },
  {
    name: "a mark at the file's start and CRLF",
    hooks: `\ufeff${at("Stop", undefined, command("a"))}\r\n`,
    ran: ["a"],
  },
  {
    name: "an event of another agent",
    hooks: at("beforeShellExecution", undefined, command("a")),
    ran: [],
    told: /beforeShellExecution: unknown hook event/,
  },
];

/** Files that are not as they should be: what of them is no hook costs itself, and the plugin's other parts are there. */
const ODD: readonly Shape[] = (
  [
    {
      name: "empty",
      hooks: "",
      ran: [],
      told: /hooks\.json are not used: line 1, column 1: expected a value/,
    },
    {
      name: "no JSON",
      represents: true,
      hooks: "{oops",
      ran: [],
      told: /hooks\.json are not used: line 1, column 2: /,
    },
    {
      name: "other bytes than UTF-8",
      hooks: Buffer.from(at("Stop", undefined, command("a")), "utf16le").toString("latin1"),
      ran: [],
      told: /hooks\.json are not used: line 1, column \d+: /,
    },
    {
      name: "larger than is read",
      hooks: at("Stop", undefined, command("a".repeat(1_100_000))),
      ran: [],
      told: /hooks\.json are not used: it has \d+ bytes; the limit is 1048576/,
    },
    { name: "a list", hooks: "[]", ran: [], told: /are not used: expected an object of events, found \[\]/ },
    {
      name: "hooks that are a list",
      hooks: '{"hooks":[]}',
      ran: [],
      told: /are not used: expected "hooks" to be an object of events, found \[\]/,
    },
    { name: "no hooks", hooks: "{}", ran: [], told: /are not used: it has none/ },
    {
      name: "a list in a list",
      hooks: JSON.stringify({ hooks: { Stop: [[{ hooks: [command("a")] }]] } }),
      ran: [],
      told: /Stop: expected a group with a list "hooks", found a list/,
    },
    {
      name: "three thousand lists in each other",
      hooks: `{"hooks":{"Stop":${"[".repeat(3_000)}${"]".repeat(3_000)}}}`,
      ran: [],
      told: /Stop: expected a group with a list "hooks", found a list/,
    },
    {
      name: "names that every object has",
      represents: true,
      hooks: JSON.stringify({
        hooks: { constructor: [], toString: [{}], Stop: [{ hooks: [command("a")] }] },
      }),
      ran: ["a"],
      told: /constructor: unknown hook event[\s\S]*toString: unknown hook event/,
    },
    {
      name: "an event twice",
      hooks: `{"hooks":{"Stop":[],"Stop":[{"hooks":[${JSON.stringify(command("a"))}]}]}}`,
      ran: ["a"],
      told: /the name "Stop" appears twice/,
    },
    {
      name: "more hooks than are used",
      hooks: at(
        "PreToolUse",
        "Nothing",
        ...Array.from({ length: 14_000 }, (_, n) => ({ command: `: ${n}` })),
      ),
      ran: [],
      told: /only the first 200 of its 14000 hooks are used/,
    },
    {
      name: "a condition of another type",
      represents: true,
      hooks: at("PreToolUse", undefined, command("a", { if: 5 }), command("b", { if: "Bash(echo *)" })),
      ran: ["b"],
      told: /expected "if" to be a string, found a number/,
    },
    {
      name: "a manner of another type",
      hooks: at("Stop", undefined, command("a", { timeout: "5", once: "yes", async: 1, onFailure: "deny" })),
      ran: ["a"],
      told: /"timeout" has no effect[\s\S]*"once" has no effect[\s\S]*"async" has no effect[\s\S]*"onFailure" has no effect/,
    },
    ...[5, null, ["Bash"], { tool_name: "Bash" }].map((matcher) => ({
      name: `a matcher that is ${JSON.stringify(matcher)}`,
      hooks: JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [command("a")] }] } }),
      ran: [],
      told: /PreToolUse: expected "matcher" to be a string, found /,
    })),
    {
      name: "a matcher that is a rule",
      hooks: at("PreToolUse", "Bash(git *)", command("a")),
      ran: [],
      told: /its matcher "Bash\(git \*\)" is a rule, and no tool is called so/,
    },
    {
      name: "a matcher that is no regular expression",
      hooks: at("PreToolUse", "Bash|*", command("a")),
      ran: [],
      told: /hook PreToolUse Bash\|\* is skipped: Invalid regular expression/,
    },
    {
      name: "a matcher for reasons that there are none of",
      hooks: at("SessionStart", "resume|compact", command("a")),
      ran: [],
      told: /its matcher "resume\|compact" never matches: the only reason here is startup/,
    },
    {
      name: "a matcher where there is nothing to match",
      hooks: at("Stop", "Bash", command("a")),
      ran: ["a"],
      told: /Stop: its matcher "Bash" has no effect/,
    },
  ] satisfies readonly Shape[]
).map((shape: Shape) => ({ ...shape, files: { "commands/hi.md": "Hi." } }));

it("the shapes are 22", () => {
  expect(SHAPES).toHaveLength(22);
});

it.each(rows([...SHAPES, ...ODD], ({ represents }) => represents === true))(
  "$name: runs, or is told",
  async ({ hooks, files = {}, ran, told }) => {
    const place = await createServedShared(
      (_, step) =>
        [
          { text: "On it.", calls: [{ name: "bash", input: { command: "echo plain" } }] },
          { text: "On it.", calls: [{ name: "write", input: { path: "a.txt", content: "a\n" } }] },
        ][step] ?? { text: "Done." },
    );
    const folder = join(dirname(place.cwd), "shape");
    const all = {
      ".claude-plugin/plugin.json": '{"name":"shape"}',
      ...(hooks === undefined ? {} : { "hooks/hooks.json": hooks }),
      ...files,
    };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const added = await place.run(["add", folder, "--yes"]);
    if (told !== undefined) expect(added.stdout + added.stderr).toMatch(told);
    if (told === undefined || ran.length > 0) expect(added).toMatchObject({ code: 0, stderr: "" });
    const run = await place.run(["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"]);
    expect(run).toMatchObject({ code: 0, stdout: "Done.\n" });
    const left = join(place.home, "state/shape/ran");
    expect(existsSync(left) ? readFileSync(left, "utf8").trim().split("\n").sort() : []).toEqual(ran);
  },
);
