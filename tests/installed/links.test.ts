// However the command is linked to, it finds its own files.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { freshFolder, MACHINE_PATH } from "../support/installed.ts";

const LAUNCHER = join(import.meta.dirname, "../../packages/induscode/bin/indus");

/** Links to make in turn, the last being the one that is started; where the package lies. */
const LAYOUTS: Readonly<Record<string, { readonly package: string; readonly links: readonly Link[] }>> = {
  "a project of npm": {
    package: "node_modules/induscode",
    links: [["node_modules/.bin/indus", "../induscode/bin/indus"]],
  },
  "npm install -g": {
    package: "lib/node_modules/induscode",
    links: [["bin/indus", "../lib/node_modules/induscode/bin/indus"]],
  },
  "a workspace, whose packages are links": {
    package: "packages/induscode",
    links: [
      ["node_modules/induscode", "../packages/induscode"],
      ["node_modules/.bin/indus", "../induscode/bin/indus"],
    ],
  },
  "a store, whose file is linked into the package": {
    package: "store/induscode",
    links: [
      ["node_modules/induscode/bin/indus", "../../../store/induscode/bin/indus"],
      ["node_modules/.bin/indus", "../induscode/bin/indus"],
    ],
  },
  "a folder that is linked into itself": {
    package: "real/induscode",
    links: [
      ["prefix/induscode", "."],
      ["prefix/bin/indus", "../../real/induscode/bin/indus"],
    ],
  },
  "a link to a link": {
    package: "node_modules/induscode",
    links: [
      ["node_modules/.bin/indus", "../induscode/bin/indus"],
      ["own bin/indus", "../node_modules/.bin/indus"],
    ],
  },
};

type Link = readonly [path: string, target: string];

it.each(Object.keys(LAYOUTS))("%s", (name) => {
  const layout = LAYOUTS[name];
  const folder = realpathSync(freshFolder("links"));
  const bin = join(folder, layout?.package ?? "", "bin");
  mkdirSync(bin, { recursive: true });
  copyFileSync(LAUNCHER, join(bin, "indus"));
  writeFileSync(join(bin, "indus.cjs"), "");
  const node = join(folder, "node");
  writeFileSync(node, '#!/bin/sh\nreadlink -f "$1"\n', { mode: 0o755 });
  let last = "";
  for (const [path, target] of layout?.links ?? []) {
    last = join(folder, path);
    mkdirSync(dirname(last), { recursive: true });
    symlinkSync(target, last);
  }
  const env = { PATH: MACHINE_PATH, INDUS_NODE: node };
  const { status, stdout } = spawnSync(last, ["x"], { env, encoding: "utf8", timeout: 60_000 });
  expect([status, stdout]).toEqual([0, `${join(bin, "indus.cjs")}\n`]);
});
