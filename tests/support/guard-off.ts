// The product built from sources with a guard removed: shows what an attack does when nothing stops it.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runtimeNode } from "../../scripts/setup.mjs";

const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

/** In `file`, a path in `packages/induscode/src`, the text `guard` is replaced by `instead`. */
export interface GuardOff {
  readonly file: string;
  readonly guard: string;
  readonly instead: string;
}

/** The command, rebuilt without these guards; its folder is removed with the test run's others. */
export function commandWithout(guards: readonly GuardOff[]): string {
  const place = mkdtempSync(join(tmpdir(), "indus-guard-off-"));
  mkdirSync(join(place, "packages"));
  cpSync(join(ROOT, "packages/induscode"), join(place, "packages/induscode"), {
    recursive: true,
    filter: (path) => !/\/(?:dist|node_modules)(?:\/|$)/.test(path.slice(ROOT.length)),
  });
  symlinkSync(join(ROOT, "packages/indusagi"), join(place, "packages/indusagi"));
  symlinkSync(join(ROOT, "node_modules"), join(place, "node_modules"));
  cpSync(join(ROOT, "scripts/bundle.mjs"), join(place, "bundle.mjs"));
  // Without V8's code and the licences it runs as well: making the code takes as long as all else, for the few starts of a test.
  writeFileSync(join(place, "compiled-code.mjs"), "export const compileProduct = () => undefined;\n");
  writeFileSync(join(place, "third-party.mjs"), 'export const thirdPartyLicences = () => "";\n');
  for (const { file, guard, instead } of guards) {
    const path = join(place, "packages/induscode/src", file);
    const text = readFileSync(path, "utf8");
    if (text.split(guard).length !== 2) throw new Error(`${file} does not hold once: ${guard}`);
    writeFileSync(
      path,
      text.replace(guard, () => instead),
    );
  }
  const folder = join(place, "packages/induscode/dist/app");
  const built = spawnSync(runtimeNode(), ["bundle.mjs", folder], { cwd: place, encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the build without guards failed:\n${built.stdout}${built.stderr}`);
  return join(place, "packages/induscode/bin/indus");
}
