// The packages as a person installs them: packed from a copy of this tree, because other tests use this tree's own build, and
// installed by the machine's npm, with nothing of this tree on PATH.

import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COPIED: readonly string[] = [
  "package.json",
  "package-lock.json",
  ".npmrc",
  "tsconfig.base.json",
  "tsconfig.json",
  "scripts",
  "packages",
];
/** Building, packing and installing, on a busy machine. */
const DEADLINE_MS = 300_000;

/** PATH without this tree's Node and programs: that of a person's shell. */
export const MACHINE_PATH: string = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

export interface NpmRun {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a shell line with the machine's own Node, as a person would type it. */
export async function shellLine(line: string, cwd: string, env: NodeJS.ProcessEnv = {}): Promise<NpmRun> {
  const { HOME, TMPDIR, NODE_EXTRA_CA_CERTS, npm_config_cache } = process.env;
  const own = { PATH: MACHINE_PATH, HOME, TMPDIR, NODE_EXTRA_CA_CERTS, npm_config_cache };
  try {
    const options = { cwd, env: { ...own, ...env }, timeout: DEADLINE_MS, maxBuffer: 64 * 1024 * 1024 };
    return { ok: true, ...(await promisify(execFile)("/bin/sh", ["-c", line], options)) };
  } catch (error) {
    const { stdout = "", stderr = String(error) } = error as { stdout?: string; stderr?: string };
    return { ok: false, stdout, stderr };
  }
}

/** Why npm cannot fetch anything here, in its own words; undefined for any other failure. */
export function registryProblem({ ok, stderr }: NpmRun): string | undefined {
  if (ok) return undefined;
  if (/npm: not found/.test(stderr)) return "there is no npm on PATH";
  const code =
    /npm error code (E(?:NOTFOUND|AI_AGAIN|CONN\w+|TIMEDOUT|NETUNREACH|HOSTUNREACH|401|403|407|5\d\d)|ENOTCACHED|\w*CERT\w*)/;
  const found = code.exec(stderr)?.[1];
  return found === undefined ? undefined : `npm cannot reach its registry (${found})`;
}

export function freshFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `indus-${name}-`));
}

/** A copy of the tree with the tree's dependencies; its packages are its own. */
export function copyTree(): string {
  const copy = freshFolder("tree");
  for (const name of COPIED)
    cpSync(join(ROOT, name), join(copy, name), {
      recursive: true,
      filter: (path) => !["node_modules", "dist"].includes(basename(path)),
    });
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (["indusagi", "induscode", ".indus-setup.json"].includes(name)) continue;
    symlinkSync(join(ROOT, "node_modules", name), join(copy, "node_modules", name));
  }
  for (const name of ["indusagi", "induscode"])
    symlinkSync(join(copy, "packages", name), join(copy, "node_modules", name));
  return copy;
}

let packed: Promise<string> | undefined;

/** A copy of the tree in which `npm run pack` was run: both packages are in its folder `pack`. Packed once per worker. */
export function packTree(): Promise<string> {
  packed ??= pack();
  return packed;
}

async function pack(): Promise<string> {
  const tree = copyTree();
  const done = await shellLine("npm run pack", tree);
  if (!done.ok) throw new Error(`npm run pack failed:\n${done.stdout}${done.stderr}`);
  return tree;
}

/** A folder with a `node` that is too old: running it always fails. */
export function oldNodeFolder(): string {
  const folder = freshFolder("old-node");
  symlinkSync("/usr/bin/readlink", join(folder, "readlink")); // the only other program that the launcher runs
  const program = `#!/bin/sh\n[ "$1" = --version ] && echo v20.20.2 && exit\necho "the old Node was run" >&2\nexit 99\n`;
  writeFileSync(join(folder, "node"), program);
  chmodSync(join(folder, "node"), 0o755);
  return folder;
}

/**
 * The layout that `npm install -g` would create, from this tree and without npm: the files that the package lists, and those of
 * its dependencies that it names. Returns the path of the command in the global `bin`.
 */
export function layOut(prefix: string, { omitOptional = false } = {}): string {
  const source = join(ROOT, "packages/induscode");
  const target = join(prefix, "lib/node_modules/induscode");
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as {
    readonly files: readonly string[];
    readonly bin: { readonly indus: string };
    readonly dependencies: Readonly<Record<string, string>>;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };
  mkdirSync(join(target, "node_modules"), { recursive: true });
  for (const name of ["package.json", ...manifest.files])
    cpSync(join(source, name), join(target, name), { recursive: true });
  for (const name of Object.keys({
    ...manifest.dependencies,
    ...(omitOptional ? {} : manifest.optionalDependencies),
  })) {
    const installed = join(ROOT, "node_modules", name);
    if (!existsSync(installed)) continue; // for another platform
    mkdirSync(join(target, "node_modules", name, ".."), { recursive: true });
    symlinkSync(installed, join(target, "node_modules", name));
  }
  mkdirSync(join(prefix, "bin"));
  const command = join(prefix, "bin/indus");
  symlinkSync(`../lib/node_modules/induscode/${manifest.bin.indus}`, command);
  return command;
}
