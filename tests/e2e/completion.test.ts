// `indus completion`: the scripts that it prints are run by their shells, each asked what it offers at a place of a line.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SUBCOMMANDS } from "../../packages/induscode/src/boot/subcommands.ts";
import { FLAGS } from "../../packages/induscode/src/cli/flags.ts";
import { createSharedWorkplace } from "../support/indus.ts";
import { isInstalled, lacks } from "../support/needs.ts";

type Shell = "bash" | "zsh" | "fish";

/** Answers what is offered for `$2`, a line of the script `$1`, one offer a line. In zsh the functions of its completion system stand in. */
const ASK: Readonly<Record<Shell, readonly string[]>> = {
  bash: [
    "bash",
    "--norc",
    "-c",
    `source "$1"; COMP_LINE=$2; COMP_POINT=\${#2}; _indus 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
    "ask",
  ],
  zsh: [
    "zsh",
    "-f",
    "-c",
    `compdef() { : }; _files() { [[ $1 = -/ ]] && print -rl -- *(/N) || print -rl -- *(N) }
     _describe() { for offer in \${(P)2}; do print -r -- \${\${offer//\\\\:/$'\\0'}%%:*} | tr '\\0' ':'; done }
     compadd() { shift; print -rl -- $@ }
     source "$1"; words=("\${(@s: :)2}"); CURRENT=$#words; _indus`,
    "ask",
  ],
  fish: ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2] | string split -f1 \\t"],
};

const place = createSharedWorkplace();

async function asker(shell: Shell): Promise<(line: string) => readonly string[]> {
  const { stdout } = await place.run(["completion", shell]);
  const script = join(place.home, `indus.${shell}`);
  writeFileSync(script, stdout);
  place.file("folder/file.txt", "");
  place.file("file.txt", "");
  const [program = "", ...args] = ASK[shell];
  return (line) => {
    const { stdout: said } = spawnSync(program, [...args, script, line], {
      cwd: place.cwd,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: place.home },
    });
    const cur = line.slice(line.lastIndexOf(" ") + 1);
    const offers = said.split("\n").map((each) => each.replace(/\/$/, ""));
    // zsh and fish leave it to what shows the offers to hide those that do not fit.
    return offers.filter((each) => each !== "" && (shell === "bash" || each.startsWith(cur))).sort();
  };
}

describe.each(["bash", "zsh", "fish"] as const)("in %s", (shell) => {
  const skipped = (): boolean => lacks(shell, isInstalled(shell));

  it("offers the subcommands, and after each its verbs and its flags", async (context) => {
    if (skipped()) return context.skip();
    const ask = await asker(shell);
    expect(ask("indus ")).toEqual(SUBCOMMANDS.map(({ name }) => name).sort());
    expect(ask("indus addons ")).toEqual(["accept", "explain", "restart", "revoke", "search"]);
    expect(ask("indus auth ")).toEqual(["list", "login", "logout"]);
    const flags = ["addon", "cwd", "grant", "help", "json", "mcp-config", "timing"].map(
      (name) => `--${name}`,
    );
    expect(ask("indus addons --")).toEqual(flags);
    expect(ask("indus addons explain --")).not.toContain("--timing");
    expect(ask("indus --")).toEqual(FLAGS.map(({ name }) => `--${name}`).sort());
  });

  it("offers the values that are known", async (context) => {
    if (skipped()) return context.skip();
    const ask = await asker(shell);
    expect(ask("indus --permission-mode ")).toEqual([
      ...["acceptEdits", "ask", "auto", "bypass", "plan", "read-only"],
    ]);
    expect(ask("indus --thinking m")).toEqual(["max", "medium"]);
    expect(ask("indus addon new notes --kind ")).toEqual(["process", "python", "toml", "ts", "wasm"]);
    expect(ask("indus -m anthropic/claude-opus-5-5")).toContain("anthropic/claude-opus-5-5");
    expect(ask("indus auth login anthro")).toEqual(["anthropic"]);
    expect(ask("indus help addo")).toEqual(["addon", "addons"]);
    expect(ask("indus completion ")).toEqual(["bash", "fish", "zsh"]);
    // bash replaces what stands after the last colon.
    expect(ask("indus addons explain tool:b")).toEqual(shell === "bash" ? ["before"] : ["tool:before"]);
    expect(ask("indus addon check f")).toEqual(["file.txt", "folder"]);
    expect(ask("indus --cwd f")).toEqual(["folder"]);
  });

  it("offers nothing for the words of a task, and counts no flag's value among them", async (context) => {
    if (skipped()) return context.skip();
    const ask = await asker(shell);
    expect(ask("indus fix the ")).toEqual([]);
    expect(ask("indus addons explain tool:before ")).toEqual([]);
    expect(ask("indus --model addons addon ")).toEqual([
      "check",
      "dev",
      "import",
      "new",
      "pack",
      "test",
      "types",
    ]);
  });
});

it("every subcommand is in every script (the twin: a script without one is found out)", async () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const { stdout } = await place.run(["completion", shell]);
    const missing = (script: string): readonly string[] =>
      SUBCOMMANDS.map(({ name }) => name).filter((name) => !script.includes(`'${name}'`));
    expect(missing(stdout)).toEqual([]);
    expect(missing(stdout.replaceAll("'doctor'", ""))).toEqual(["doctor"]);
  }
});
