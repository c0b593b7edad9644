// What a confined command reaches: real attempts, at every level that works here, compared with the same attempts of an unconfined
// command, on a scene of its own.

import { localShell } from "indusagi/capabilities";
import { beforeAll, describe, expect, it } from "vitest";
import { untilGone } from "../../../../../tests/isolation/processes.ts";
import { LONG_ONLY, rows } from "../../../../../tests/support/long-form.ts";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { createCommandScene, HARMS } from "../../../../../tests/support/test-command-scene.ts";
import {
  isOwnKernels,
  LANDLOCKS,
  levelOf,
  strongAt,
  type TestedLevel,
} from "../../../../../tests/support/test-levels.ts";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
import { confineCommands } from "./command-sandbox.ts";

const ALLOWED = [
  "read a file of the workspace",
  "make a file below a folder",
  "make a temporary file",
  "read the system's settings",
  "start a program",
];
/** Landlock cannot allow these without allowing more. */
const ALLOWED_IN_NAMESPACES = ["make a file at the top", "change a mode", "reach a server of its own"];
const DENIED = [
  "read a key in the home",
  "see what lies in the home",
  "read another home",
  "read what is denied",
  "read another process's environment",
  "read shared memory",
  "read another program's messages",
  "open another terminal",
  "connect to a unix socket",
  "connect to an agent",
  "connect to an abstract socket",
  "know where the bus is",
  "know where containers are made",
];
/** Closed by a /proc of its own; Landlock leaves it open, as its report says. */
const DENIED_IN_NAMESPACES = ["read another process's command line"];
const NETWORK = ["connect over TCP", "send over UDP"];

interface Reached {
  readonly outcomes: Readonly<Record<string, string>>;
  readonly damage: readonly string[];
  readonly note: string | undefined;
}

interface Reach {
  readonly isWritable?: boolean;
  readonly network?: "off" | "on";
}

async function attempt(
  level: TestedLevel | undefined,
  { isWritable = true, network = "off" }: Reach = {},
): Promise<Reached> {
  const scene = await createCommandScene();
  const { root, home, env, refuses, line } = scene;
  const strong = level === undefined ? undefined : strongAt(level);
  const confined =
    strong &&
    confineCommands(strong, { root, personHome: home, env, withhold: [], isWritable, network, refuses });
  // Before ABI 6 the kernel does not confine signals, as the guide says.
  const endsVictim = level === undefined || /ABI [35]/.test(level);
  try {
    const shell = confined?.shell ?? localShell({ env: { ...env, TMPDIR: root } });
    const { stdout, stderr, note } = await shell.exec(line, {
      cwd: root,
      signal: new AbortController().signal,
      timeoutMs: 40_000,
    });
    if (stdout === "") throw new Error(stderr);
    return {
      outcomes: JSON.parse(stdout) as Reached["outcomes"],
      damage: await scene.damage(endsVictim),
      note,
    };
  } finally {
    confined?.close();
    await scene.close();
  }
}

const done = ({ outcomes }: Reached): readonly string[] =>
  Object.keys(outcomes).filter((name) => outcomes[name] === "done");

let twin: Promise<Reached> | undefined;
const twinOf = (): Promise<Reached> => {
  twin ??= attempt(undefined);
  return twin;
};

const levels = rows(["bubblewrap", ...LANDLOCKS], isOwnKernels);

describe.each(levels)("a command at the level %s", (level) => {
  const isThere = strongAt(level)?.level === levelOf(level);

  describe.skipIf(lacksLevel(levelOf(level), isThere))("confined", () => {
    const isAlone = level === "bubblewrap";
    let reached: Reached;
    let free: Reached;
    beforeAll(async () => {
      free = await twinOf();
      reached = await attempt(level);
    });

    it("reaches what a build needs, and nothing else of what its twin reaches", () => {
      expect([...done(free)].sort()).toEqual(
        [...ALLOWED, ...ALLOWED_IN_NAMESPACES, ...DENIED, ...DENIED_IN_NAMESPACES, ...NETWORK].sort(),
      );
      expect([...done(reached)].sort()).toEqual(
        [...ALLOWED, ...(isAlone ? ALLOWED_IN_NAMESPACES : DENIED_IN_NAMESPACES)].sort(),
      );
    });

    it("harms nothing, where its twin harms all of it", () => {
      expect(free.damage).toEqual(HARMS);
      expect(reached.damage).toEqual(/ABI [35]/.test(level) ? ["victim ended"] : []);
    });

    it("ends with its call, with what left its group", async () => {
      const scene = await createCommandScene();
      const strong = strongAt(level);
      const confined =
        strong &&
        confineCommands(strong, {
          ...{ root: scene.root, personHome: scene.home, env: scene.env, withhold: [] },
          ...{ isWritable: true, network: "off" },
        });
      try {
        const marker = `${scene.root}/beats`; // identifies the process that outlives its group
        const line = `setsid sh -c 'while sleep 0.05; do date +%N > src/beat; done' ${marker} & until test -s src/beat; do sleep 0.05; done`;
        const signal = new AbortController().signal;
        const result = await confined?.shell.exec(line, { cwd: scene.root, signal });
        expect(result?.code).toBe(0); // it was alive while the command ran
        expect(await untilGone(marker, PATIENCE_MS)).toBeTypeOf("number");
      } finally {
        confined?.close();
        await scene.close();
      }
    });

    it("writes nothing but temporary files where the working directory is read-only", LONG_ONLY, async () => {
      const { outcomes } = await attempt(level, { isWritable: false });
      expect(outcomes["read a file of the workspace"]).toBe("done");
      expect(outcomes["make a temporary file"]).toBe("done");
      expect(outcomes["make a file below a folder"]).toMatch(/EROFS|EACCES/);
      expect(outcomes["make a file at the top"]).toMatch(/EROFS|EACCES/);
    });

    it(
      "reaches the network where it is on, and still no agent and no other service by its socket",
      LONG_ONLY,
      async () => {
        const open = await attempt(level, { network: "on" });
        for (const name of NETWORK) expect(open.outcomes[name], name).toBe("done");
        for (const name of DENIED) expect(open.outcomes[name], name).not.toBe("done");
      },
    );
  });
});
