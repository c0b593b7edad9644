// A folder given to a program is exchanged for a link before the sandbox mounts it or makes a rule for it. The check was about the place,
// not the path: the program starts on nothing else. Its twin, mounted by path, reads and writes outside.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exchangeProblem, startExchanging } from "../../../../../tests/support/exchanger.ts";
import { isLong, LONG_ONLY, rows } from "../../../../../tests/support/long-form.ts";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { isOwnKernels, LANDLOCKS, levelOf, sandboxAt } from "../../../../../tests/support/test-levels.ts";
import { run } from "../../../../../tests/support/test-run.ts";
import { bubblewrapCommand, findBubblewrap } from "./bubblewrap.ts";
import { filterArchitecture } from "./calls/seccomp-filter.ts";
import type { SandboxSpec } from "./contract.ts";
import { canHandPlaces } from "./handed-places.ts";

interface Scene {
  readonly folder: string;
  readonly outside: string;
  readonly link: string;
  readonly spec: SandboxSpec;
  readonly argv: readonly string[];
}

/** `at` is what is given; with `.git` next to `src`, its entries are given one by one. */
function createScene(at: "the root" | "a folder" | "what it may read"): Scene {
  const root = createFolder({ "outside/key": "SECRET", "ws/key": "mine", "ws/src/key": "mine" });
  const workspace = join(root, "ws");
  if (at === "a folder") mkdirSync(join(workspace, ".git"));
  const folder = at === "a folder" ? join(workspace, "src") : workspace;
  const link = join(root, "link");
  symlinkSync(join(root, "outside"), link);
  const isReadOnly = at === "what it may read";
  return {
    folder,
    outside: join(root, "outside"),
    link,
    spec: {
      ...{ mayStartProcesses: true, isNode: false, maxMemoryBytes: 256 * 1024 ** 2 },
      readable: [workspace],
      writable: isReadOnly ? [] : [workspace],
      protected: isReadOnly ? [] : [join(workspace, ".git")],
    },
    argv: ["/bin/sh", "-c", `cat ${folder}/key; echo evil 2>/dev/null >${folder}/new; echo " ran"`],
  };
}

function exchangeNow({ folder, link }: Scene): void {
  renameSync(folder, `${folder}.old`);
  renameSync(link, folder);
}

const PLACES = ["the root", "a folder", "what it may read"] as const;

const levels = rows(["bubblewrap", ...LANDLOCKS], isOwnKernels);

describe.each(levels)("%s", (tested) => {
  const level = levelOf(tested);
  const sandbox = sandboxAt(tested);
  const isMissing = lacksLevel(level, sandbox.levelFor({ isNode: false }) === level);

  it.skipIf(isMissing).each(PLACES)("starts on nothing when %s was exchanged meanwhile", async (at) => {
    const scene = createScene(at);
    const { argv } = sandbox.confine(scene.argv, scene.spec);
    exchangeNow(scene);
    const { status, stdout, stderr } = await run(argv, { cwd: "/" });
    if (sandbox.unconfined({ isNode: false }).some((line) => line.includes("exchanges"))) return;
    expect(readdirSync(scene.outside)).toEqual(["key"]);
    // Landlock's launcher lists a folder's entries itself, and skips links among them.
    if (level === "landlock" && at === "a folder") return expect(stdout).toBe(" ran\n");
    expect({ status, stdout }).toEqual({ status: 126, stdout: "" });
    expect(stderr).toContain(`${scene.folder} was replaced while a program was being started`);
  });

  it.skipIf(isMissing)(
    "runs on the place itself when nothing was exchanged (the twin of the refusal)",
    async () => {
      for (const at of PLACES) {
        const { argv, spec, folder } = createScene(at);
        const { stdout } = await run(sandbox.confine(argv, spec).argv, { cwd: "/" });
        expect([at, stdout]).toEqual([at, "mine ran\n"]);
        expect([at, existsSync(join(folder, "new"))]).toEqual([at, at === "a folder"]);
      }
    },
  );

  it.skipIf(isMissing || exchangeProblem() !== undefined)(
    "gives nothing outside while another program exchanges its folder without a pause",
    { ...LONG_ONLY, timeout: isLong ? 1_200_000 : 300_000 },
    async () => {
      const scene = createScene("the root");
      const exchanger = await startExchanging(scene.folder, scene.link);
      const told = new Set<string>();
      const wanted = isLong ? 200 : 20;
      for (let tries = 0, started = 0; tries < 100 * wanted && started < wanted; tries++) {
        try {
          const { argv } = sandbox.confine(scene.argv, scene.spec);
          started++;
          told.add((await run(argv, { cwd: "/" })).stdout);
        } catch (error) {
          told.add(String(error).includes("was replaced") ? "" : String(error));
        }
      }
      await exchanger.stop(); // the folder is removed after the test, so nothing may move it then
      // Refused before it ran, or run on the place itself; a program that runs while its path is a link finds nothing through it.
      expect([...told].filter((each) => !["", "mine ran\n", " ran\n"].includes(each))).toEqual([]);
      expect(readdirSync(scene.outside)).toEqual(["key"]);
      expect(readFileSync(join(scene.outside, "key"), "utf8")).toBe("SECRET");
    },
  );
});

const bwrap = findBubblewrap();
const architecture = filterArchitecture(process.arch);
const isMissing = lacksLevel("bubblewrap", bwrap !== undefined && architecture !== undefined);

// A link below the root makes bubblewrap fail on its own: it does not use a link as a mount point.
it.skipIf(isMissing).each(["the root", "what it may read"] as const)(
  "mounted by path, %s is what the link leads to (the twin)",
  async (at) => {
    if (bwrap === undefined || architecture === undefined) return;
    const scene = createScene(at);
    const argv = bubblewrapCommand(scene.argv, scene.spec, { bwrap, architecture, handsPlaces: false });
    exchangeNow(scene);
    const { stdout } = await run(argv, { cwd: "/" });
    expect(stdout).toBe("SECRET ran\n");
  },
);

it.skipIf(isMissing)("bubblewrap that was told to hand places over is never run by path", () => {
  if (bwrap === undefined || architecture === undefined || !canHandPlaces()) return;
  const { argv, spec } = createScene("the root");
  const command = bubblewrapCommand(argv, spec, { bwrap, architecture, handsPlaces: true });
  const own = command.filter(
    (word, index) => word === spec.readable[0] && /bind/.test(command[index - 1] ?? ""),
  );
  expect(own).toEqual([]);
  expect(command.filter((word) => /^--(ro-)?bind-fd$/.test(word)).length).toBeGreaterThan(0);
});
