// What the cells of one test file share: the compiled programs, one home, one sandbox, and one good addon that runs all
// the time next to the hostile ones.

import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AddonSource, addonId, type LoadedAddon } from "../../packages/induscode/src/addons/contract.ts";
import { createTieredLoader } from "../../packages/induscode/src/addons/kinds/tiered-loader.ts";
import type { Sandbox } from "../../packages/induscode/src/addons/sandbox/contract.ts";
import { hashAddon } from "../../packages/induscode/src/addons/source/content-hash.ts";
import { buildPrograms, type Programs, SOURCES } from "./build-programs.ts";
import { KINDS, type Kind, MISSING_KINDS } from "./hook-points.ts";
import { HOSTILE } from "./hostile-addon.ts";
import { createScene } from "./scene.ts";

export interface Bench {
  readonly programs: Programs;
  /** A fresh folder, as a real path. */
  readonly folder: () => string;
  readonly home: string;
  readonly sandbox: Sandbox;
  readonly good: LoadedAddon;
  readonly close: () => Promise<void>;
}

export async function openBench(sandbox: Sandbox): Promise<Bench> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-isolation-")));
  const home = join(base, "home");
  mkdirSync(home);
  const folder = (): string => mkdtempSync(join(base, "cell-"));
  const programs = await buildPrograms();
  const good = await loadGood(folder(), home, sandbox);
  const bench: Bench = {
    programs,
    folder,
    home,
    sandbox,
    good,
    async close() {
      await good.dispose?.();
      rmSync(base, { recursive: true, force: true });
    },
  };
  await Promise.all(KINDS.filter((kind) => !MISSING_KINDS.has(kind)).map((kind) => warmUp(kind, bench)));
  return bench;
}

/** What is done once for all of a kind, the compiler's work and the search for an interpreter, belongs to no cell. */
async function warmUp(kind: Kind, bench: Bench): Promise<void> {
  const scene = createScene(bench, { kind, point: "none", behaviour: "nothing" });
  const loaded = await scene.open();
  await scene.close();
  if (!loaded.includes(HOSTILE))
    throw new Error(`${kind}: ${scene.heard.map(({ text }) => text).join("\n")}`);
}

function loadGood(workspace: string, home: string, sandbox: Sandbox): Promise<LoadedAddon> {
  const path = join(workspace, "good.ts");
  copyFileSync(join(SOURCES, "good.ts"), path);
  const loader = createTieredLoader({ workspace, home, env: {}, requireSandbox: true, sandbox });
  const source: AddonSource = { id: addonId("good"), path, root: path, scope: "project" };
  return loader.load(source, { hash: hashAddon(path), grants: [] });
}
