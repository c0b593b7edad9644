// The doors of induscode are made of the command's own parts: each has what its source exports, and what two of them export is one.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { builtFolder } from "../support/built.ts";
import { freshFolder } from "../support/installed.ts";

const PACKAGES = new URL("../../packages/", import.meta.url);

interface Door {
  readonly path: string;
  /** Addresses of what is installed and of what it is made from. */
  readonly built: string;
  readonly source: string;
}

function doors(): readonly Door[] {
  builtFolder();
  const manifest = readFileSync(new URL("induscode/package.json", PACKAGES), "utf8");
  const { exports } = JSON.parse(manifest) as {
    readonly exports: Readonly<Record<string, { readonly default: string; readonly "indus-source": string }>>;
  };
  const at = (file: string): string => new URL(`induscode/${file}`, PACKAGES).href;
  return Object.entries(exports).map(([path, door]) => {
    return { path, built: at(door.default), source: at(door["indus-source"]) };
  });
}

/** What a program prints, as JSON, in a process of its own. */
async function told(program: string): Promise<unknown> {
  const argv = ["--conditions=indus-source", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: freshFolder("program") });
  return JSON.parse(stdout);
}

it("each door has the names of its source, and two have one value under one name", async () => {
  const all = doors();
  const program = `
    const namesOf = (door) => Object.keys(door).sort();
    const names = [], values = new Map();
    for (const { path, built, source } of ${JSON.stringify(all)}) {
      const door = await import(built);
      names.push({ path, built: namesOf(door), source: namesOf(await import(source)) });
      for (const [name, value] of Object.entries(door))
        values.set(name, [...(values.get(name) ?? []), value]);
    }
    const shared = [...values].filter(([, each]) => each.length > 1);
    const different = shared.filter(([, each]) => each.some((value) => value !== each[0]));
    console.log(JSON.stringify({ names, shared: shared.map(([name]) => name), different }));`;
  const { names, shared, different } = (await told(program)) as {
    readonly names: readonly { readonly path: string; readonly built: unknown; readonly source: unknown }[];
    readonly shared: readonly string[];
    readonly different: readonly unknown[];
  };
  expect(names.length).toBe(all.length);
  expect(names.map(({ path, built }) => ({ path, names: built }))).toEqual(
    names.map(({ path, source }) => ({ path, names: source })),
  );
  expect(shared).toEqual(expect.arrayContaining(["Problem", "EventDispatcher", "RecordingSurface"]));
  expect(different).toEqual([]);
});

it("a program's own copy of indusagi and the one in the doors keep one clock", async () => {
  const door = doors().find(({ path }) => path === "./conductor")?.built;
  const core = new URL("indusagi/src/core/index.ts", PACKAGES).href;
  const program = `
    import { useWallClock } from ${JSON.stringify(core)};
    import { createSessionId } from ${JSON.stringify(door)};
    useWallClock(() => 0);
    console.log(JSON.stringify(createSessionId().slice(0, 8)));`;
  expect(await told(program)).toBe("19700101");
});
