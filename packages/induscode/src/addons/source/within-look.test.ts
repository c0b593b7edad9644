// A repository may contain any number of addons of any size: what is looked at before the first request stays small.

import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { createFolder, fillFolder } from "../../../../../tests/support/test-folder.ts";
import { createDeclarativeLoader } from "../kinds/declarative-loader.ts";
import { hashAddon } from "./content-hash.ts";
import { decideTrust } from "./decide-trust.ts";
import { discoverSources } from "./discover.ts";
import { createTrust } from "./trust.ts";
import { MAX_LOOK_BYTES, unlookedInWords } from "./within-look.ts";

const SPARSE_BYTES = 60 * 1024 ** 2;
const { describe } = createDeclarativeLoader();

/** A repository with this many sparse files of 60 MiB as addons, and a small one. */
function createRepository(count: number): string {
  const workspace = createFolder({ ".indus/addons/small/manifest.toml": 'id = "small"\n' });
  for (let at = 0; at < count; at++) {
    const path = join(workspace, ".indus/addons", `bomb-${String(at).padStart(3, "0")}.ts`);
    closeSync(openSync(path, "w"));
    truncateSync(path, SPARSE_BYTES);
  }
  return workspace;
}

/** How much this process has read so far; undefined if the system does not count it. */
function bytesRead(): number | undefined {
  if (!existsSync("/proc/self/io")) return undefined;
  return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

async function readBy(work: () => unknown): Promise<number> {
  const before = bytesRead() ?? 0;
  await work();
  return (bytesRead() ?? 0) - before;
}

test("200 sparse files of 60 MiB: one is read at most, the small ones come first, and the rest is said once", async () => {
  const { found } = discoverSources({ workspace: createRepository(200) });
  expect(found).toHaveLength(201);
  const trust = createTrust({ home: createFolder() });
  let kinds: readonly string[] = [];
  const read = await readBy(async () => {
    kinds = (await decideTrust(found, { trust, describe })).map(({ kind }) => kind);
  });
  expect(kinds.filter((kind) => kind === "unlooked")).toHaveLength(199);
  expect(kinds.at(-1)).toBe("skipped"); // `small`, which asks for trust as usual
  expect(read).toBeLessThan(MAX_LOOK_BYTES + 8 * 1024 ** 2);
  const left = unlookedInWords(found.slice(1, -1));
  expect(left).toMatch(
    /^199 addons were skipped \(.*bomb-001\.ts, .*bomb-002\.ts, .*bomb-003\.ts, …\): at most 200 untrusted addons are examined, with 64 MB and 12,000 files in total\. Remove what is too large, or load one by path: --addon PATH$/,
  );
});

test(
  "twin: looked at one after another, the bytes read grow with the files that are there",
  LONG_ONLY,
  async () => {
    if (bytesRead() === undefined) return;
    const { found } = discoverSources({ workspace: createRepository(3) });
    const read = await readBy(() => found.map(({ root }) => hashAddon(root)));
    expect(read).toBeGreaterThan(3 * SPARSE_BYTES);
  },
);

test("an addon that the person trusted at its place, or grants by its name, is looked at whatever the budget", async () => {
  const { found } = discoverSources({ workspace: createRepository(4) });
  const trust = createTrust({ home: createFolder() });
  const [first, second] = found;
  if (!first || !second) throw new Error("the repository has four");
  await trust.grant({ hash: hashAddon(second.root), id: "project:x", path: second.path, granted: [] });
  const forRun = [first.id];
  const describeAll = async (): ReturnType<typeof describe> => ({
    id: first.id,
    contributes: [],
    capabilities: [],
  });
  const decided = await decideTrust(found, { trust, describe: describeAll, granted: { forRun } });
  expect(decided.map(({ kind }) => kind)).toEqual(["trusted", "trusted", "skipped", "unlooked", "skipped"]);
});

test("an addon that is too large is refused by its size alone", async () => {
  const root = createFolder({ "a.ts": "" });
  for (const name of ["one.bin", "two.bin"]) {
    writeFileSync(join(root, name), "");
    truncateSync(join(root, name), SPARSE_BYTES);
  }
  const read = await readBy(() => {
    expect(() => hashAddon(root)).toThrow(/it has 125829120 bytes; the limit is 67108864/);
  });
  expect(read).toBeLessThan(1024 ** 2);
});

test(
  "so many files that nobody looks through them use up the budget of files, not of time",
  LONG_ONLY,
  async () => {
    const workspace = createFolder();
    for (let addon = 0; addon < 4; addon++) {
      const folder = join(workspace, ".indus/addons", `wide-${addon}`);
      mkdirSync(folder, { recursive: true });
      fillFolder(folder, 9_000, (at) => `${at}.txt`);
      writeFileSync(join(folder, "index.ts"), "");
    }
    const { found } = discoverSources({ workspace });
    const trust = createTrust({ home: createFolder() });
    const decided = await decideTrust(found, { trust, describe });
    expect(decided.map(({ kind }) => kind).filter((kind) => kind === "unlooked")).toHaveLength(3);
  },
);
