// What is chosen on other machines: without bubblewrap, with one that fails or does not confine, with a Node that cannot call the kernel,
// for a user who is not root. bubblewrap itself changes the machine for one process.

import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, test } from "vitest";
import { LONG_ONLY, rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { lacks } from "../../../../../tests/support/needs.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { NODE } from "../../../../../tests/support/test-scene.ts";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
import { findBubblewrap } from "./bubblewrap.ts";
import type { LevelReport } from "./contract.ts";
import { createSandbox } from "./sandbox.ts";

const bwrap = findBubblewrap();
const works = (level: "bubblewrap" | "landlock"): boolean =>
  createSandbox({ prefer: level }).levelFor({ isNode: false }) === level;
const lacksOne = lacks("bubblewrap", works("bubblewrap")) || lacks("Landlock", works("landlock"));

/** Prints what {@link createSandbox} finds; its argument is the level to prefer. */
const REPORT = `
import { createSandbox } from ${JSON.stringify(fileURLToPath(new URL("./sandbox.ts", import.meta.url)))};
const prefer = process.argv[1];
console.log(JSON.stringify(createSandbox(prefer === undefined ? {} : { prefer }).levels()));
`;
const reportArgs = (...args: readonly string[]): string[] => [
  ...["--no-warnings", "--conditions=indus-source", "--input-type=module", "-e", REPORT, ...args],
];

function levelsOf(
  file: string,
  args: readonly string[],
  identity: { uid?: number; gid?: number } = {},
): LevelReport[] {
  const { status, stdout, stderr } = spawnSync(file, args, {
    ...identity,
    encoding: "utf8",
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    timeout: PATIENCE_MS,
  });
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as LevelReport[];
}

/** With this file in place of bwrap, for one process. */
function levelsWithBwrap(replacement: string): LevelReport[] {
  const command = [
    "--dev-bind",
    "/",
    "/",
    "--ro-bind",
    replacement,
    bwrap ?? "",
    "--",
    NODE,
    ...reportArgs(),
  ];
  return levelsOf(bwrap ?? "", command);
}

describe.skipIf(lacksOne)("in place of a bubblewrap", () => {
  const script = (text: string): string => {
    const path = join(createFolder({ bwrap: `#!/bin/sh\n${text}` }), "bwrap");
    chmodSync(path, 0o755);
    return path;
  };

  it("that is missing, Landlock is taken", () => {
    expect(levelsWithBwrap("/dev/null")).toEqual([
      {
        ...{ level: "bubblewrap", works: false },
        reason: "bwrap is not installed (Debian: apt install bubblewrap)",
      },
      { level: "landlock", works: true },
    ]);
  });

  it("that fails, Landlock is taken and the failure named", LONG_ONLY, () => {
    expect(
      levelsWithBwrap(script("echo 'bwrap: No permissions to create a new namespace' >&2; exit 1")),
    ).toEqual([
      {
        ...{ level: "bubblewrap", works: false },
        reason: `${bwrap}: exit code 1: bwrap: No permissions to create a new namespace`,
      },
      { level: "landlock", works: true },
    ]);
  });

  it("that runs the program without confining it, Landlock is taken", LONG_ONLY, () => {
    const open = script('while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    expect(levelsWithBwrap(open)).toEqual([
      { level: "bubblewrap", works: false, reason: `${bwrap}: /etc/passwd could be read inside` },
      { level: "landlock", works: true },
    ]);
  });
});

it("has no Landlock where Node cannot call the kernel", () => {
  const [report] = levelsOf(NODE, ["--no-experimental-ffi", ...reportArgs("landlock")]);
  expect(report).toEqual({
    ...{ level: "landlock", works: false },
    reason: `Node ${process.version} has no node:ffi, Node 26 is needed`,
  });
});

describe("an ordinary user", () => {
  const nobody = { uid: 65534, gid: 65534 };
  const readable = (): boolean =>
    process.getuid?.() === 0 &&
    spawnSync("/bin/cat", [NODE, fileURLToPath(import.meta.url)], { ...nobody, stdio: "ignore" }).status ===
      0;

  test.skipIf(lacksOne || !readable()).each(rows(["bubblewrap", "landlock"] as const, theFirst))(
    "has %s as well",
    (level) => {
      expect(levelsOf(NODE, reportArgs(level), nobody)).toEqual([{ level, works: true }]);
    },
  );
});
