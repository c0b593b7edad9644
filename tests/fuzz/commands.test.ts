// What is decided about a command line against what real shells do with it: a line that passes without a question starts no
// program and opens no file that the decision did not know of.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localFs } from "../../packages/indusagi/src/capabilities/index.ts";
import { commandFacts } from "../../packages/induscode/src/deck/permissions/command-facts.ts";
import {
  createPermissions,
  type PermissionMode,
} from "../../packages/induscode/src/deck/permissions/permissions.ts";
import type { PartFacts } from "../../packages/induscode/src/deck/permissions/resolved-access.ts";
import { parseRule } from "../../packages/induscode/src/deck/permissions/rules.ts";
import { isHarmlessVariable } from "../../packages/induscode/src/feature/variables.ts";
import { protectedBelow } from "../../packages/induscode/src/store/protected-names.ts";
import { isLong } from "../support/long-form.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { traceProblem } from "../support/system-trace.ts";
import { drawFrom } from "./draw.ts";
import { drawLine } from "./shell-lines.ts";
import { ANY_SHELL, BASH, type Traced, type TracedShells, tracedShells } from "./traced-lines.ts";

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_123);
/** Lines that pass, of each policy. `npm run fuzz` asks for a hundred times as many. */
const LINES = Number(process.env.FUZZ_RUNS ?? (isLong ? 300 : 30)) / 6;
const BATCH = 100;

const isAble = [
  lacks("strace", traceProblem() === undefined),
  lacks("bubblewrap", isInstalled("bwrap")),
  lacks("bash", isInstalled("bash")),
].every((isMissing) => !isMissing);

interface Policy {
  readonly mode: PermissionMode;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly isBash?: boolean;
}

const POLICIES: Readonly<Record<string, Policy>> = {
  "acceptEdits without rules": { mode: "acceptEdits" },
  "acceptEdits with rules": {
    mode: "acceptEdits",
    allow: ["bash(tool *)", "bash(git status *)", "bash(echo *)", "Bash(npm:*)"],
  },
  "read-only": { mode: "read-only" },
  "bypass with rules that deny": { mode: "bypass", deny: ["bash(rm *)", "Bash(rm:*)", "edit(guarded.txt)"] },
  "acceptEdits in bash": { mode: "acceptEdits", allow: ["bash(tool *)", "bash(echo *)"], isBash: true },
  "bypass in bash with rules that deny": {
    mode: "bypass",
    deny: ["bash(rm *)", "Bash(rm:*)", "edit(guarded.txt)"],
    isBash: true,
  },
};

/** What passed once and did more. */
const REFUTED: readonly string[] = [
  "time x=src; ls $x",
  "x=a.txt; time x=src; ls $x",
  "time cd src; cat b.txt",
  `cat <<EOF\n\${x:-'$(touch new.txt)'}\nEOF`,
  `x=; echo \${x:=/etc/hostname}; cat $x a.txt`,
  "echo 'import os; os.system(\"touch new.txt\")' | python3 -v",
];

let shells: TracedShells | undefined;
beforeAll(() => {
  if (isAble) shells = tracedShells();
});
afterAll(() => shells?.close());

const rules = (sources: readonly string[] = []) =>
  sources.map((source) => {
    const rule = parseRule(source);
    if ("problem" in rule) throw new Error(rule.problem);
    return rule;
  });

/** Whether a line passes without a question. */
async function passes(
  line: string,
  { mode, allow, deny, isBash = false }: Policy,
  { root, env }: TracedShells,
): Promise<boolean> {
  const permissions = createPermissions({
    policy: { mode, allow: rules(allow), ask: [], deny: rules(deny) },
    root,
    isBash,
    home: env.HOME ?? "",
    realPath: localFs().realPath,
    files: localFs(),
    ask: async () => ({ kind: "no" }),
  });
  const call = {
    tool: "bash",
    accesses: [{ kind: "execute", command: line, cwd: root }],
    confined: false,
  } as const;
  return (await permissions.check(call, new AbortController().signal)).kind === "allow";
}

/** What a line did that was not decided; undefined where there is nothing. */
async function beyond(
  traced: Traced,
  policy: Policy,
  { root: template, env }: TracedShells,
): Promise<string | undefined> {
  const { line, root, starts, reads, writes, others } = traced;
  if (policy.mode === "bypass") {
    const started = starts.find(({ argv: [program = ""] }) => /(?:^|\/)rm$/.test(program));
    const written = writes.find((path) => path.startsWith(`${root}/guarded.txt`));
    return started ? `started ${started.argv.join(" ")}` : written;
  }
  const facts = await commandFacts(line, template, {
    asksGit: true,
    isBash: policy.isBash,
    gitVerdicts: new Map(),
    home: env.HOME ?? "",
    realPath: localFs().realPath,
    hasFileRules: true,
    files: localFs(),
  });
  const outer = root.slice(0, -"/ws".length);
  const here = (path: string): string => path.replace(template.slice(0, -"/ws".length), outer);
  const started = starts.find(({ argv }) => !facts.parts.some((part) => isPart(argv, part, here)));
  if (started) return `started ${JSON.stringify(started.argv)}`;
  for (const { argv, env: variables } of starts) {
    const set = variables.find((each) => !isExpected(each, env, outer));
    if (set !== undefined) return `started ${argv.join(" ")} with ${set}`;
  }
  const opened = facts.parts.flatMap(({ opens }) =>
    opens.filter(({ access }) => access.kind === "write" && policy.mode !== "read-only"),
  );
  const known = new Set(
    opened.map(({ access, realPath }) => here(realPath ?? ("path" in access ? access.path : ""))),
  );
  const written = writes.find((path) => !known.has(path) && !IS_NOTHING.test(path));
  if (written !== undefined) return `wrote ${written}`;
  const redirected = new Set(
    facts.parts.flatMap(({ opens }) => opens.map(({ realPath = "" }) => here(realPath))),
  );
  const isDeep = facts.parts.some((part) => part.unnamedReads !== undefined);
  const read = reads.find(
    (path) =>
      path.startsWith(`${outer}/`) &&
      (!`${path}/`.startsWith(`${root}/`) ||
        (!isDeep && !redirected.has(path) && protectedBelow(root, path) !== undefined)),
  );
  if (read !== undefined) return `read ${read}`;
  return others.find((each) => !/nscd|sh-thd/.test(each));
}

/** Devices, and what a shell keeps a document in. */
const IS_NOTHING = /^\/dev\/(?:null|tty)$|^\/tmp\/sh-thd|^(?:pipe|socket):/;

/** A word that is not known may be none, or many. */
function isPart(argv: readonly string[], { words }: PartFacts, here: (path: string) => string): boolean {
  const match = (at: number, from: number): boolean => {
    const word = words[at];
    if (word === undefined) return from === argv.length;
    if (word.value !== undefined) return argv[from] === here(word.value) && match(at + 1, from + 1);
    return argv.slice(from).some((_each, taken) => match(at + 1, from + taken + 1)) || match(at + 1, from);
  };
  return words.length > 0 && match(0, 0);
}

function isExpected(variable: string, env: Readonly<Record<string, string>>, outer: string): boolean {
  const [name = "", value = ""] = [
    variable.slice(0, variable.indexOf("=")),
    variable.slice(variable.indexOf("=") + 1),
  ];
  if (name === "HOME") return value === `${outer}/home`;
  if (Object.hasOwn(env, name)) return env[name] === value;
  return (
    /^(?:PWD|OLDPWD|_|SHLVL|_STDBUF_\w)$/.test(name) ||
    (name === "LD_PRELOAD" && value.endsWith("/libstdbuf.so")) ||
    isHarmlessVariable("", name, value) ||
    (/^[a-z]\w*$/.test(name) && !name.endsWith("proxy"))
  );
}

describe.skipIf(!isAble)("what passes without a question does no more than was decided", () => {
  it.each(Object.entries(POLICIES))("%s", { timeout: 0 }, async (name, policy) => {
    const scene = shells as TracedShells;
    const draw = drawFrom(SEED + name.length);
    const refuted: string[] = [];
    let [drawn, passed] = [0, 0];
    const first: string[] = [];
    for (const line of REFUTED) if (await passes(line, policy, scene)) first.push(line);
    while (passed < LINES) {
      const lines: string[] = first.splice(0);
      while (lines.length < Math.min(BATCH, LINES - passed)) {
        const line = drawLine(draw);
        drawn++;
        if (!line.includes("\0") && (await passes(line, policy, scene))) lines.push(line);
      }
      passed += lines.length;
      for (const traced of scene.run(lines, policy.isBash ? BASH : ANY_SHELL)) {
        const what = await beyond(traced, policy, scene);
        if (what !== undefined) refuted.push(`${traced.shell}: ${JSON.stringify(traced.line)} ${what}`);
      }
    }
    if (process.env.FUZZ_SHOW) console.log(name, drawn, passed);
    expect(refuted).toEqual([]);
  });

  it.each([
    ["tool a", /started \["tool","a"\]/],
    ["ls -a", /started \["ls","-a"\]/],
    ["echo x > out.txt", /wrote \S+out\.txt/],
    [": < ../secret", /read \S+secret/],
    ["FOO=1 ls", /started ls with FOO=1/],
    [":; find . -name b.txt -delete", /started \["find"|unlink/],
  ])("the twin: what %j does is seen as more than what ls does", { timeout: 0 }, async (line, seen) => {
    const scene = shells as TracedShells;
    for (const traced of scene.run([line], ANY_SHELL))
      expect(await beyond({ ...traced, line: "ls" }, { mode: "acceptEdits" }, scene)).toMatch(seen);
  });
});
