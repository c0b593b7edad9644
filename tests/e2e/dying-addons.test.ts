// No addon ends the host, whatever its process does and whenever: every kind of addon x the moment at which its process dies x
// every way to run the command. `npm test` takes as few cells as hold each of these; the long form takes every cell, several
// times, on an idle machine and on a busy one. INDUS_RUNS says how often:
// `INDUS_TESTS=all INDUS_RUNS=20 npx vitest run tests/e2e/dying-addons.test.ts` is 8,960 runs of the command.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtCommand } from "../support/built.ts";
import { KINDS, MOMENTS } from "../support/dying-addon.ts";
import { allCells, COMMANDS, nameOf, representativeCells, runCells } from "../support/dying-cells.ts";
import { createWorkplace } from "../support/indus.ts";
import { isLong, LONG_ONLY, rows } from "../support/long-form.ts";
import { isInstalled, lacks } from "../support/needs.ts";

const RUNS = Number(process.env.INDUS_RUNS ?? 1);
const FEW: ReadonlySet<string> = new Set(representativeCells().map(nameOf));
const CELLS = rows(allCells(), (cell) => FEW.has(nameOf(cell)));
const FORMS = isLong
  ? [
      { what: "every cell, four at a time", lanes: 4, runs: RUNS },
      { what: "every cell on a busy machine, twelve at a time", lanes: 12, runs: RUNS },
    ]
  : [{ what: "every kind, moment and command", lanes: 3, runs: 1 }];

describe.skipIf(lacks("python3", isInstalled("python3"))).each(FORMS)("$what", ({ lanes, runs }) => {
  it.each(COMMANDS)("indus %s goes on and says so", { timeout: 3_600_000 }, async (command) => {
    const own = CELLS.filter((cell) => cell.command === command);
    expect(own).not.toEqual([]);
    const times = Array.from({ length: runs }, () => own).flat();
    expect(await runCells(times, lanes)).toEqual([]);
  });
});

it("no two cells are the same, and few hold every kind, moment and command", () => {
  expect(new Set(allCells().map(nameOf)).size).toBe(allCells().length);
  expect(FEW.size).toBeLessThan(15);
  const few = representativeCells();
  expect(new Set(few.map(({ kind }) => kind)).size).toBe(KINDS.length);
  expect(new Set(few.map(({ moment }) => moment)).size).toBe(MOMENTS.length);
  expect(new Set(few.map(({ command }) => command)).size).toBe(COMMANDS.length);
});

describe("the twin", () => {
  /** As it was: nothing of the addon's process keeps Node alive, nor does a timer. */
  const OLD = `
require("node:child_process").ChildProcess.prototype.ref = () => undefined;
const { setTimeout: real } = globalThis;
globalThis.setTimeout = Object.assign((...args) => real(...args).unref(), real);
`;
  /** As it was before anything looked for an end that nobody asked for. */
  const UNWATCHED = `
const { on } = process;
process.on = function (name, ...rest) {
  return ["beforeExit", "exit"].includes(name) ? this : on.call(this, name, ...rest);
};
`;

  function runAddons(preload: string): { readonly code: number | null; readonly said: string } {
    const { home, cwd } = createWorkplace();
    mkdirSync(join(home, "addons/wrong"), { recursive: true });
    writeFileSync(
      join(home, "addons/wrong/manifest.toml"),
      'id = "wrong"\n[run]\ncommand = ["sleep", "600"]\n',
    );
    writeFileSync(join(home, "settings.json"), '{"addons":{"grant":["wrong"]}}');
    writeFileSync(join(home, "preload.cjs"), preload);
    const node = join(home, "node");
    writeFileSync(node, `#!/bin/sh\nexec ${process.execPath} --require ${join(home, "preload.cjs")} "$@"\n`);
    chmodSync(node, 0o755);
    const { status, stdout, stderr } = spawnSync(builtCommand(), ["addons"], {
      cwd,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: home, INDUS_HOME: home, INDUS_NODE: node },
    });
    return { code: status, said: stdout + stderr };
  }

  it("without what keeps Node alive, the work is lost, which is told with exit code 70", LONG_ONLY, () => {
    const { code, said } = runAddons(OLD);
    expect(code).toBe(70);
    expect(said).toMatch(/^indus: ended before its work was done, because nothing was left to wait for\./);
  });

  it("and without the watch for it, it ends silently, as if all were well", LONG_ONLY, () => {
    expect(runAddons(OLD + UNWATCHED)).toEqual({ code: 0, said: "" });
  });
});
