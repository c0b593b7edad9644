// Real attempts of real programs, at every level that works here, each with its twin: the same program, unconfined, on a scene of its
// own, does the damage. Skipped rows are levels that this machine does not have.

import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { rows } from "../../../../../tests/support/long-form.ts";
import { lacks, lacksLevel } from "../../../../../tests/support/needs.ts";
import {
  isOwnKernels,
  LANDLOCKS,
  levelOf,
  sandboxAt,
  type TestedLevel,
} from "../../../../../tests/support/test-levels.ts";
import { run } from "../../../../../tests/support/test-run.ts";
import { createScene, NODE, PYTHON } from "../../../../../tests/support/test-scene.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import { addonEnvironment, policyOf, sandboxSpec } from "./spec.ts";

/** What an addon that was granted reading and writing files can do: the sandbox does not simply block everything. */
const ALLOWED = [
  "read its own file",
  "read a file of the workspace",
  "change a file of the workspace",
  "make a file below a folder of the workspace",
  "rename a file below a folder",
];
const ALLOWED_TO_PYTHON = [
  ...ALLOWED,
  "start a thread",
  "connect a pair of its own",
  "choose its own processors",
];

const DENIED_TO_BOTH = [
  "read a secret in the home",
  "list the home",
  "make a file outside",
  "append to a file outside",
  "truncate a file outside",
  "delete a file outside",
  "change the mode of a file outside",
  "change the dates of a file outside",
  "change its own program",
  "change a protected file",
  "add to a protected folder",
  "make a protected file that does not exist",
  "make a protected folder that does not exist",
  "put a link where a protected file would be",
  "write a protected file through a hard link",
  "change a protected file below a folder",
  "rename a protected folder away",
  "connect over TCP",
  "send over UDP",
  "connect to a unix socket",
  "read another process's environment",
  "start a program",
];
/** Node's permission model cannot express these; `unconfined.ts` tells the person. */
const OPEN_TO_NODE = [
  "read through a link that leads out",
  "write through a link that leads out",
  "slow another process down",
  "end another process",
];
const DENIED_TO_NODE = [...DENIED_TO_BOTH, "watch the home"];
const DENIED_TO_PYTHON = [
  ...DENIED_TO_BOTH,
  "send to a unix socket from a pair",
  "take another process's files away",
  "make memory that no limit counts",
  "share memory without a file",
  "fork",
  "have another process signalled by a file",
  "choose the processors of another",
];
/** A group leader cannot leave its session anyway, and `run` makes it one: processes.test.ts has the twin. */
const DENIED_AS_LEADER = ["leave its session"];

const GRANTS: readonly HostCapability[] = [{ kind: "files", read: true, write: true, execute: false }];

interface Result {
  readonly outcomes: Readonly<Record<string, string>>;
  readonly damage: Readonly<Record<string, boolean>>;
}

/** `node` is confined by the level only, `node+` by Node's permission model as well. */
type Language = "node" | "node+" | "python";

async function runAttempts(level: TestedLevel | undefined, language: Language): Promise<Result> {
  const scene = await createScene();
  try {
    const program = join(scene.addon, language === "python" ? "attempts.py" : "attempts.mjs");
    const interpreter = language === "python" ? (PYTHON ?? "") : NODE;
    const argv = [interpreter, program, scene.facts(program)];
    const spec = sandboxSpec(
      {
        runtime: language === "python" ? "python" : "module",
        ...{ argv, cwd: scene.addon, readable: [interpreter, scene.addon], isNode: language === "node+" },
        maxMemoryBytes: 1024 ** 3,
      },
      GRANTS,
      scene.workspace,
    );
    const command = level === undefined ? argv : sandboxAt(level).confine(argv, spec).argv;
    const env = addonEnvironment(policyOf(GRANTS, scene.workspace), process.env);
    const { stdout, stderr, status } = await run(command, { cwd: scene.addon, env });
    expect([status, stderr]).toEqual([0, ""]);
    // The twin's messages arrive asynchronously.
    const sent = ["heard: tcp", "heard: udp", "heard: unix", "victim ended"];
    const open = level === "node-permissions" ? ["victim ended"] : [];
    const awaited = level !== undefined ? open : language === "python" ? [...sent, "heard: datagram"] : sent;
    return { outcomes: JSON.parse(stdout) as Result["outcomes"], damage: await scene.damage(awaited) };
  } finally {
    await scene.close();
  }
}

function done({ outcomes }: Result): readonly string[] {
  return Object.keys(outcomes).filter((name) => outcomes[name] === "done");
}

function harmed({ damage }: Result): readonly string[] {
  return Object.keys(damage).filter((name) => damage[name]);
}

/** Each twin runs once, for all levels. */
const twins = new Map<Language, Promise<Result>>();
function twinOf(language: Language): Promise<Result> {
  const known = twins.get(language) ?? runAttempts(undefined, language === "python" ? "python" : "node");
  twins.set(language, known);
  return known;
}

const levels = rows(["bubblewrap", ...LANDLOCKS], isOwnKernels);

describe.each(levels)("%s", (level) => {
  const here = sandboxAt(level).levelFor({ isNode: false }) === levelOf(level);

  describe.skipIf(lacksLevel(levelOf(level), here)).each([
    { language: "node", allowed: ALLOWED, denied: [...DENIED_TO_NODE, ...OPEN_TO_NODE] },
    { language: "node+", allowed: ALLOWED, denied: [...DENIED_TO_NODE, ...OPEN_TO_NODE] },
    { language: "python", allowed: ALLOWED_TO_PYTHON, denied: [...DENIED_TO_PYTHON, ...OPEN_TO_NODE] },
  ] as const)("a program in $language", ({ language, allowed, denied }) => {
    describe.skipIf(language === "python" && lacks("python3", PYTHON !== undefined))("confined", () => {
      let result: Result;
      let twin: Result;
      beforeAll(async () => {
        twin = await twinOf(language);
        result = await runAttempts(level, language);
      });

      it.each(allowed)("may %s", (attempt) => {
        expect([twin.outcomes[attempt], result.outcomes[attempt]]).toEqual(["done", "done"]);
      });

      it.each(denied)("may not %s, as its twin may", (attempt) => {
        expect(twin.outcomes[attempt]).toBe("done");
        expect(result.outcomes[attempt]).toEqual(expect.any(String));
        expect(result.outcomes[attempt]).not.toBe("done");
      });

      it("makes no other attempt", () => {
        const all = [...allowed, ...denied, ...(language === "python" ? DENIED_AS_LEADER : [])];
        expect(Object.keys(result.outcomes).sort()).toEqual([...all].sort());
      });

      it("does no damage, where its twin does all of it", () => {
        expect(harmed(result)).toEqual([]);
        // JavaScript cannot send a datagram to a unix socket.
        const possible = Object.keys(twin.damage).filter(
          (name) => language === "python" || name !== "heard: datagram",
        );
        expect(harmed(twin)).toEqual(possible);
      });
    });
  });
});

describe("node-permissions", () => {
  let result: Result;
  let twin: Result;
  beforeAll(async () => {
    twin = await twinOf("node+");
    result = await runAttempts("node-permissions", "node+");
  });

  it.each(DENIED_TO_NODE)("a Node program may not %s, as its twin may", (attempt) => {
    expect(twin.outcomes[attempt]).toBe("done");
    expect(result.outcomes[attempt]).not.toBe("done");
  });

  it("leaves open what its report names, and nothing else", () => {
    expect(done(result)).toEqual([...ALLOWED, ...OPEN_TO_NODE]);
    expect(harmed(result)).toEqual(["outside: through the link", "victim ended"]);
  });
});
