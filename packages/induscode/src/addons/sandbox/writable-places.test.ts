// Whatever is mounted, and for root too: a confined program opens for writing what it was promised, and nothing else of the machine. A
// program inside walks all that there is. The same walk outside, and without the guard, finds what has to be closed.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isInside } from "indusagi/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { isLong, rows } from "../../../../../tests/support/long-form.ts";
import { isRoot, lacks, lacksLevel } from "../../../../../tests/support/needs.ts";
import {
  isOwnKernels,
  LANDLOCKS,
  levelOf,
  sandboxAt,
  strongAt,
  type TestedLevel,
} from "../../../../../tests/support/test-levels.ts";
import { run } from "../../../../../tests/support/test-run.ts";
import { NODE } from "../../../../../tests/support/test-scene.ts";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
import { WALK, type Walk, type Walked } from "../../../../../tests/support/writable-walk.ts";
import { confinedByBubblewrap } from "./command-bubblewrap.ts";
import { confinedByLandlock } from "./command-landlock.ts";
import type { CommandLaunch, CommandSpec } from "./command-spec.ts";
import { sandboxSpec } from "./spec.ts";

const NAMES = ["root", "temporary", "home", "personHome", "program", "elsewhere", "root/.kept/own"] as const;

/** Folders with one file each, `elsewhere` for what is somebody else's. */
type Place = Readonly<Record<(typeof NAMES)[number] | "base", string>>;

function createPlace(): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-writable-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const name of NAMES) {
    mkdirSync(join(base, name), { recursive: true });
    writeFileSync(join(base, name, "file.mjs"), WALK);
  }
  const folders = NAMES.map((name) => [name, join(base, name)]);
  return { base, ...(Object.fromEntries(folders) as Record<(typeof NAMES)[number], string>) };
}

/** Deeper than the settings of a network device. */
const DEEP = 9;
const WHOLE = 99;

function wordsOf({ base, ...folders }: Place): readonly string[] {
  // Each by itself: under Landlock the folder above them cannot be listed.
  const own = [base, ...Object.values(folders)].map((folder) => [folder, 1] as const);
  const processes = ["self", "1", String(process.pid)].map((name) => [`/proc/${name}`, 3] as const);
  const few = [
    ["/proc/sys", DEEP],
    ["/proc", 1],
    ["/sys", 3],
    ["/dev", DEEP],
  ] as const;
  const how: Walk = isLong
    ? { roots: [["/", WHOLE], ...own], mountDepth: WHOLE }
    : { roots: [...few, ...processes, ...own], mountDepth: 1 };
  return [NODE, join(folders.program, "file.mjs"), JSON.stringify(how)];
}

type Launch = Partial<CommandLaunch> & Pick<CommandLaunch, "argv">;

async function walk({ argv, ...launch }: Launch, cwd: string): Promise<Walked> {
  const { stdout, stderr } = await run(argv, { cwd, timeoutMs: (isLong ? 20 : 1) * PATIENCE_MS, ...launch });
  if (!stdout.startsWith("{")) throw new Error(stdout + stderr);
  return JSON.parse(stdout) as Walked;
}

function command(level: TestedLevel, words: readonly string[], place: Place): CommandLaunch {
  const strong = strongAt(level);
  if (strong === undefined) throw new Error("it was there a moment ago");
  const { root, temporary, home, personHome, program } = place;
  const spec: CommandSpec = {
    ...{
      root,
      cwd: root,
      isWritable: true,
      protected: [],
      pinned: [],
      granted: [],
      hidden: [],
      temporary,
      home,
      personHome,
    },
    ...{ readable: [program, NODE, "/etc", "/opt"], network: "none" },
  };
  const variables = { outer: { PATH: "/usr/bin:/bin" }, inner: {} };
  return strong.level === "landlock"
    ? confinedByLandlock(words, spec, variables, strong)
    : confinedByBubblewrap(words, spec, variables, strong);
}

function addon(level: TestedLevel, words: readonly string[], place: Place): Launch {
  const { root, program, "root/.kept/own": own } = place;
  const how = { runtime: "process", argv: words, cwd: program, readable: [program, NODE] } as const;
  const spec = sandboxSpec(
    { ...how, isNode: false, maxMemoryBytes: 2 * 1024 ** 3 },
    [{ kind: "files", read: true, write: true, execute: true }],
    root,
  );
  // The folder of its own, below one that is protected.
  return sandboxAt(level).confine(words, { ...spec, protected: [...spec.protected, dirname(own)], own });
}

/** What each can write besides its working directory. */
const OF_COMMANDS = {
  bubblewrap: {
    folders: ["temporary", "personHome", "/tmp", "/dev/shm"],
    devices: /^\/dev\/(?:null|zero|full|random|urandom|tty|pts|pts\/ptmx|pts\/\d+)$/,
  },
  landlock: { folders: ["temporary", "home"], devices: /^\/dev\/(?:null|full|tty)$/ },
} as const;
const OF_ADDONS = {
  bubblewrap: { folders: ["/tmp"], devices: /^\/dev\/(?:null|random|urandom)$/ },
  landlock: { folders: [], devices: /^\/dev\/null$/ },
} as const;

const isThere = (level: TestedLevel): boolean => strongAt(level)?.level === levelOf(level);

const levels = rows(["bubblewrap", ...LANDLOCKS], isOwnKernels);

describe.each(levels)("at the level %s", (level) => {
  const isMounted = level === "bubblewrap";
  const kind = isMounted ? "bubblewrap" : "landlock";

  describe.skipIf(lacksLevel(levelOf(level), isThere(level))).each([
    ["a command", command, OF_COMMANDS[kind]],
    ["an addon's program", addon, OF_ADDONS[kind]],
  ] as const)("%s", (_, confine, promised) => {
    it("opens nothing for writing but what it was promised, whatever is mounted", async () => {
      const place = createPlace();
      const { tried, files, folders } = await walk(confine(level, wordsOf(place), place), place.root);
      const own = promised.folders.map((name) => (name.startsWith("/") ? name : place[name as keyof Place]));
      const isPromised = (path: string): boolean =>
        promised.devices.test(path) || [place.root, ...own].some((folder) => isInside(folder, path));
      expect(files.filter((path) => !isPromised(path))).toEqual([]);
      expect(files).toContain(join(place.root, "file.mjs"));
      expect(files).toContain(join(place["root/.kept/own"], "file.mjs"));
      expect(tried).toBeGreaterThan(1);
      if (isMounted) expect(folders.filter((path) => !isPromised(path))).toEqual([]);
    });

    it("opens no more after it tried to mount anew what is read-only, and has no privileges", async () => {
      const place = createPlace();
      const tries = ["mount -o remount,rw /proc", "mount -o remount,bind,rw /proc", "mount -o remount,rw /"];
      const again = tries.map((line) => `${line} && echo mounted; unshare -Urm ${line} && echo mounted`);
      const look =
        "while read -r line; do echo $line; done </proc/$$/status; test -w /proc/sys/kernel/core_pattern && echo open";
      const words = ["/bin/sh", "-c", [...again, look].join("; ")];
      const { argv, ...launch } = confine(level, words, place);
      const { stdout } = await run(argv, { cwd: place.root, ...launch });
      expect(stdout).not.toMatch(/^mounted$/m);
      expect(stdout).toMatch(/^CapPrm:\s+0+$/m);
      expect(stdout).toMatch(/^CapBnd:\s+0+$/m);
      expect(stdout).toMatch(/^NoNewPrivs:\s+1$/m);
      expect(stdout).toMatch(/^Seccomp:\s+2$/m);
      if (isMounted) expect(stdout).not.toMatch(/^open$/m);
    });
  });
});

describe("the walk finds what has to be closed", () => {
  it("outside of a sandbox: settings of the process, files of others, folders", async () => {
    const place = createPlace();
    const roots = [
      ["/proc/self", 1],
      [place.base, 2],
    ] as const;
    const how = JSON.stringify({ roots, mountDepth: 0 } satisfies Walk);
    const argv = [NODE, join(place.program, "file.mjs"), how];
    const { files, folders } = await walk({ argv }, place.program);
    expect(files).toContainEqual(expect.stringMatching(/^\/proc\/\d+\/oom_score_adj$/));
    expect(files).toContain(join(place.elsewhere, "file.mjs"));
    expect(folders).toContain(place.elsewhere);
  });

  it.skipIf(lacks("root", isRoot) || lacksLevel("bubblewrap", isThere("bubblewrap")))(
    "as root in a sandbox whose /proc is not read-only: settings of the kernel",
    async () => {
      const place = createPlace();
      const { argv, ...launch } = command("bubblewrap", wordsOf(place), place);
      const at = argv.findIndex((word, index) => word === "--remount-ro" && argv[index + 1] === "/proc");
      const open = argv.filter((_, index) => index !== at && index !== at + 1);
      const { files } = await walk({ argv: open, ...launch }, place.root);
      expect(files).toContain("/proc/sys/kernel/core_pattern");
      expect(files).toContainEqual(expect.stringMatching(/^\/proc\/\d+\/oom_score_adj$/));
    },
  );
});
