// Another process keeps swapping a folder of the workspace with a link to a folder outside, while each operation is tried again
// and again: none may ever reach the outside. `npm run test:all` tries each 10,000 times by default.

import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Exchanger, exchangeProblem, startExchanging } from "../../../../../tests/support/exchanger.ts";
import { isLong, rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";
import { errorCode } from "../../core/faults.ts";
import { editTool } from "../files/edit.ts";
import { lsTool } from "../files/ls.ts";
import { readTool } from "../files/read.ts";
import { writeTool } from "../files/write.ts";
import type { DefinedTool, Fs } from "../kernel/contract.ts";
import { findTool } from "../search/find.ts";
import { grepTool } from "../search/grep.ts";
import { portableGrep } from "../search/portable-grep.ts";
import { makeLocalContext } from "./local.ts";
import { localFs } from "./local-fs.ts";
import { opensByHandle } from "./place.ts";
import { confinedTo } from "./scoped.ts";
import { scopedFs } from "./scoped-fs.ts";

const TRIES = isLong ? 10_000 : 80;
/** Starting the search program takes a hundred times as long as any other step; each run opens as many files as there are here. */
const SEARCH_RUNS = isLong ? TRIES / 40 : 8;
/** The minimum number of swaps by the other process while an operation is tried. */
const EXCHANGES = 2_000;
const FILES = 45;
const LONG_MS = 3_600_000;
const TIMEOUT_MS = isLong ? LONG_MS : 4 * PATIENCE_MS;

interface Scene {
  readonly root: string;
  /** The folder that is swapped. */
  readonly folder: string;
  /** A path to the real folder, wherever it currently is. */
  readonly real: string;
  readonly outside: string;
  readonly fs: Fs;
  readonly exchanger: Exchanger;
}

async function scene(): Promise<Scene> {
  const memory = "/dev/shm"; // where available: avoids waiting for a disk
  const top = realpathSync(mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), "indus-race-")));
  const [root, outside] = [join(top, "ws"), join(top, "outside")];
  const folder = join(root, "src/d");
  for (const [place, word] of [
    [folder, "mine"],
    [outside, "SECRET"],
  ] as const) {
    mkdirSync(join(place, "sub"), { recursive: true });
    for (const name of ["key", "victim", "sub/victim", `only-${word}`])
      writeFileSync(join(place, name), word);
    for (let n = 0; n < FILES; n++) writeFileSync(join(place, `file${n}`), `${word} text ${n}\n`);
  }
  const handle = openSync(folder, "r");
  symlinkSync(outside, join(root, "link"));
  const exchanger = await startExchanging(folder, join(root, "link"));
  onTestFinished(async () => {
    await exchanger.stop();
    closeSync(handle);
    rmSync(top, { recursive: true, force: true });
  });
  return {
    root,
    folder,
    outside,
    real: `/proc/self/fd/${handle}`,
    fs: scopedFs(localFs(), confinedTo(root)),
    exchanger,
  };
}

/** Every name and text outside. */
function look(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.map((name) => [name, name === "sub" ? "" : readFileSync(join(folder, name), "utf8")]),
  );
}

type Deed = (scene: Scene, attempt: number) => Promise<unknown>;

const callTool =
  (tool: DefinedTool, input: (scene: Scene, attempt: number) => Record<string, string>): Deed =>
  async (here, attempt) => {
    const context = makeLocalContext(here.root, { fs: here.fs });
    const { output, isError } = await tool.invoke(
      { id: "call", name: tool.name, input: input(here, attempt) },
      context,
    );
    if (isError) throw Object.assign(new Error(String(output)), { code: "TOOL", output });
    return output;
  };

const refill = ({ real }: Scene): void => {
  mkdirSync(join(real, "sub"), { recursive: true });
  writeFileSync(join(real, "victim"), "mine");
  writeFileSync(join(real, "sub/victim"), "mine");
};

const DEEDS: Readonly<Record<string, Deed>> = {
  read: ({ fs, folder }) => fs.readText(join(folder, "key")),
  "the tool read": callTool(readTool(), () => ({ path: "src/d/key" })),
  write: ({ fs, folder }) => fs.writeFile(join(folder, "key"), "mine"),
  "write a new file": async ({ fs, folder, real }, attempt) => {
    await fs.writeFile(join(folder, `new${attempt}`), "mine");
    rmSync(join(real, `new${attempt}`), { force: true });
  },
  "the tool write": callTool(writeTool(), () => ({ path: "src/d/key", content: "mine" })),
  "the tool edit": async (here, attempt) => {
    writeFileSync(join(here.real, "key"), "mine\n");
    return callTool(editTool(), () => ({ path: "src/d/key", oldText: "mine", newText: "edited" }))(
      here,
      attempt,
    );
  },
  list: ({ fs, folder }) => fs.readDir(folder),
  stat: async ({ fs, folder }) => ((await fs.stat(join(folder, "key"))).size === 6 ? "SECRET" : ""),
  "the tool ls": callTool(lsTool(), () => ({ path: "src/d" })),
  "the tool find": callTool(findTool(), () => ({ path: "src", query: "only-*" })),
  "make folders": async ({ fs, folder, real }, attempt) => {
    await fs.mkdir(join(folder, `made${attempt}/deep`), { recursive: true });
    rmSync(join(real, `made${attempt}`), { recursive: true, force: true });
  },
  remove: async (here) => {
    refill(here);
    await here.fs.rm(join(here.folder, "victim"));
  },
  "remove a folder": async (here) => {
    refill(here);
    await here.fs.rm(join(here.folder, "sub"), { recursive: true });
  },
};

const SEARCHES: Readonly<Record<string, Deed>> = {
  "search for a text": callTool(grepTool(), () => ({ path: "src/d", pattern: "SECRET|mine" })),
  "search by ripgrep": callTool(grepTool(), () => ({ path: "src", pattern: "(SECRET|mine) text [0-9]+" })),
  "search on a thread": async ({ fs, root }) => {
    const query = { root: join(root, "src"), pattern: "(SECRET|mine) text [0-9]+", ignoreCase: false };
    const { signal } = new AbortController();
    return (await portableGrep(fs, { ...query, maxHits: 500 }, { signal })).hits;
  },
  "search one file": callTool(grepTool(), () => ({ path: "src/d/file7", pattern: "(SECRET|mine).*" })),
};

async function attack(here: Scene, deed: Deed, tries: number): Promise<string[]> {
  const reached: string[] = [];
  const before = look(here.outside);
  let done = 0;
  const isEnough = (attempt: number): boolean =>
    attempt >= tries && done > 0 && here.exchanger.count() > EXCHANGES;
  for (let attempt = 0; !isEnough(attempt); attempt++) {
    try {
      const result = await deed(here, attempt);
      if (JSON.stringify(result ?? "").includes("SECRET") && !isOwnPattern(result))
        reached.push(JSON.stringify(result));
      done++;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
  }
  expect(look(here.outside)).toEqual(before);
  return reached;
}

/** "No line … matches SECRET|mine" quotes the pattern asked for. */
function isOwnPattern(result: unknown): boolean {
  return String(result).startsWith("No line under");
}

describe.skipIf(exchangeProblem() !== undefined || !opensByHandle())(
  "a folder that is exchanged with a link to the outside",
  { timeout: TIMEOUT_MS },
  () => {
    test.each(rows(Object.keys(DEEDS), theFirst))("is never left: %s", async (name) => {
      const here = await scene();
      expect(await attack(here, DEEDS[name] as Deed, TRIES)).toEqual([]);
    });

    test.each(rows(Object.keys(SEARCHES), theFirst))("is never left: %s", async (name) => {
      const here = await scene();
      expect(await attack(here, SEARCHES[name] as Deed, SEARCH_RUNS)).toEqual([]);
    });

    const TWINS: Readonly<Record<string, Deed>> = {
      read: ({ fs, folder }) => fs.readText(join(folder, "key")),
      "the search program": callTool(grepTool(), () => ({
        path: "src",
        pattern: "(SECRET|mine) text [0-9]+",
      })),
    };

    test.each(rows(Object.keys(TWINS), theFirst))(
      "twin: by paths alone it is soon left: %s",
      async (name) => {
        const { checked: _, ...byPaths } = localFs();
        const here = await scene();
        const fs = name === "read" ? scopedFs(byPaths, confinedTo(here.root)) : byPaths;
        let isReached = false;
        for (let tries = 0; tries < 500_000 && !isReached; tries++) {
          const result = await TWINS[name]?.({ ...here, fs }, tries).catch(() => "");
          isReached = String(result).includes("SECRET") && !isOwnPattern(result);
        }
        expect(isReached).toBe(true);
      },
    );
  },
);
