// What a model's command costs before it does anything: its decision, and its start in the sandbox at each level that works here.
import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { localFs, localShell, type Shell } from "indusagi/capabilities";
import { confineCommands } from "../packages/induscode/src/addons/sandbox/command-sandbox.ts";
import type { StrongLevel } from "../packages/induscode/src/addons/sandbox/contract.ts";
import type { NamedHosts } from "../packages/induscode/src/addons/sandbox/hosts/command-proxies.ts";
import { createSandbox } from "../packages/induscode/src/addons/sandbox/sandbox.ts";
import { createPermissions } from "../packages/induscode/src/deck/permissions/permissions.ts";
import { parseRule } from "../packages/induscode/src/deck/permissions/rules.ts";
import { launcher } from "./programs.ts";
import { compare, type ToolFigure } from "./tools-measure.ts";

const LINE = 'cd src && git status --short | head -5; grep -rn "TODO $x" . > out.txt';
const AT_ONCE = 50;
const FIRST_TIMES = 15;

export async function measureCommands(folder: string): Promise<readonly ToolFigure[]> {
  return [...(await decisions(folder)), ...(await confinedStarts(realpathSync(folder)))];
}

async function decisions(folder: string): Promise<readonly ToolFigure[]> {
  const decide = decider(folder);
  await decide();
  const some = async (): Promise<void> => {
    for (let each = 0; each < AT_ONCE; each++) await decide();
  };
  const { ours: warm } = await compare(40, { base: () => undefined, ours: some });
  const [home, cwd] = ["home", "work"].map((name) => join(folder, name)) as [string, string];
  for (const each of [home, cwd]) mkdirSync(each);
  const env = { PATH: process.env.PATH, HOME: home };
  const why = (call: string): Buffer => execFileSync(launcher, ["why", call], { cwd, env });
  const first = await compare(FIRST_TIMES, {
    base: () => why("read(a.txt)"),
    ours: () => why(`bash(${LINE})`),
  });
  return [
    {
      ...{ name: "a decision about a command of four parts", unit: "ms", ours: warm / AT_ONCE },
      target: { kind: "atMost", limit: 0.3 },
    },
    {
      ...{ name: "indus why of that command (base: of reading a file)", unit: "ms", ...first },
      target: { kind: "more", limit: 25 },
    },
  ];
}

function decider(root: string): () => Promise<void> {
  const rule = parseRule("bash(npm test)");
  const permissions = createPermissions({
    policy: { mode: "acceptEdits", allow: "problem" in rule ? [] : [rule], ask: [], deny: [] },
    ...{ root, home: homedir(), realPath: localFs().realPath, files: localFs() },
    ask: async () => ({ kind: "no" }),
  });
  const { signal } = new AbortController();
  return async () => {
    await permissions.check(
      { tool: "bash", accesses: [{ kind: "execute", command: LINE, cwd: root }] },
      signal,
    );
  };
}

/** A command that does nothing, in each sandbox that works here, and the same outside of any. */
async function confinedStarts(root: string): Promise<readonly ToolFigure[]> {
  const [bubblewrap, landlock] = (["bubblewrap", "landlock"] as const).map((prefer) =>
    createSandbox({ prefer }).strong(),
  );
  const hosts: NamedHosts = { refusal: () => "it is out of reach", onRefused: () => undefined };
  const levels: readonly (readonly [string, StrongLevel | undefined, "off" | NamedHosts, number])[] = [
    ["bubblewrap", bubblewrap, "off", 100],
    ["bubblewrap with the relay of named hosts", bubblewrap, hosts, 30],
    ["landlock", landlock, "off", 100],
    [
      "landlock without Perl",
      landlock?.level === "landlock" ? { ...landlock, withoutPerl: true } : undefined,
      "off",
      30,
    ],
  ];
  const figures: ToolFigure[] = [];
  const plain = localShell();
  const run = (by: Shell) => by.exec("true", { cwd: root, signal: new AbortController().signal });
  for (const [name, level, network, rounds] of levels) {
    if (level === undefined) continue;
    const facts = { root, personHome: homedir(), env: process.env, withhold: [], isWritable: true, network };
    const { shell, close } = confineCommands(level, facts);
    const start = await compare(rounds, { base: () => run(plain), ours: () => run(shell) });
    close();
    figures.push({
      name: `bash in the sandbox, ${name} (base: outside)`,
      unit: "ms",
      ...start,
      target: { kind: "more", limit: 10 },
    });
  }
  return figures;
}
