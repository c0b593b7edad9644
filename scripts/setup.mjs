// Set-up shared by every script: dependencies, the Node that runs the project, the built product.
// Plain JavaScript for Node 20.19 and later, because it runs before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The file to run on `runtimeNode()`: the product itself, past the launcher that looks for a Node. */
export const entryFile = join(root, "packages/induscode/bin/indus.cjs");

const workspaces = ["", "packages/indusagi", "packages/induscode"];
const installStamp = join(root, "node_modules/.indus-setup.json");
const appFolder = join(root, "packages/induscode/dist/app");
const minimumNode = [24, 15];

/** Thrown for what a person must act on: the message is the whole story, a stack would add nothing. */
export class SetupError extends Error {}

/** Runs a script's body; a SetupError becomes one line on stderr and exit code 1. */
export async function runScript(body) {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}

/** One progress line on stderr, so that stdout stays the program's own. */
export function say(line) {
  process.stderr.write(`indus: ${line}\n`);
}

// ---- dependencies -------------------------------------------------------------------------------------------

/** Installs the locked dependencies when the lock file, a package.json or the platform changed since last time. */
export function ensureInstalled() {
  if (readJson(installStamp)?.key === installKey()) return;
  if (!installedTreeMatchesLock()) install();
  writeFileSync(installStamp, `${JSON.stringify({ key: installKey() })}\n`);
}

function installKey() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  hashFiles(hash, ["package-lock.json", ...workspaces.map((folder) => join(folder, "package.json"))]);
  return hash.digest("hex");
}

/** True when a person's own `npm ci` or `npm install` already made what the lock file asks for. */
function installedTreeMatchesLock() {
  const locked = readJson(join(root, "package-lock.json"))?.packages;
  const installed = readJson(join(root, "node_modules/.package-lock.json"))?.packages;
  if (locked === undefined || installed === undefined) return false;
  const asked = ["dependencies", "devDependencies", "optionalDependencies"];
  const inSync = workspaces.every((folder) => {
    const manifest = readJson(join(root, folder, "package.json"));
    return asked.every((kind) => sameJson(manifest?.[kind] ?? {}, locked[folder]?.[kind] ?? {}));
  });
  const present = Object.entries(locked).every(([path, entry]) => {
    if (!path.startsWith("node_modules/")) return true;
    const found = installed[path];
    return found === undefined
      ? entry.optional === true
      : found.version === entry.version && existsSync(join(root, path));
  });
  // Without this platform's Node an optional entry is missing that this project can not do without.
  return (
    inSync &&
    present &&
    (bundledNode() !== undefined || !bundledNodeNames().some((name) => `node_modules/${name}` in locked))
  );
}

function install() {
  rmSync(installStamp, { force: true });
  say("installing dependencies (only when the lock file changed) ...");
  const startedAtMs = Date.now();
  let result = npm(["ci"]);
  if (result.status !== 0 && result.output.includes("from lock file")) {
    say("npm ci says that the lock file lacks entries for this platform; running npm install instead ...");
    result = npm(["install"]);
  }
  if (result.status !== 0) {
    throw new SetupError(
      `installing the dependencies failed (${result.how}); npm said:\n${result.output.trim()}`,
    );
  }
  say(`dependencies installed in ${seconds(startedAtMs)}`);
}

/** npm on the machine's own Node: the bundled one lies in the folder that npm is about to replace. */
export function npm(args) {
  const ownBin = join("node_modules", ".bin");
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.endsWith(ownBin));
  const done = spawnSync("npm", args, {
    cwd: root,
    env: { ...process.env, PATH: path.join(delimiter) },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const how = done.error?.message ?? `exit code ${done.status}`;
  return {
    status: done.error === undefined ? done.status : 1,
    how,
    output: `${done.stdout ?? ""}${done.stderr ?? ""}`,
  };
}

// ---- the Node that runs the project -------------------------------------------------------------------------

/** The Node to run everything on: `INDUS_NODE`, else the one npm installed for this platform, else a new enough own one. */
export function runtimeNode() {
  const found = process.env.INDUS_NODE || bundledNode();
  if (found !== undefined) return found;
  if (isNewEnough(process.versions.node)) return process.execPath;
  throw new SetupError(
    `needs Node ${minimumNode.join(".")} or later; found Node ${process.versions.node} (${process.execPath}) and no ` +
      `node_modules/${bundledNodeNames()[0]}. Install a newer Node, or name one in INDUS_NODE.`,
  );
}

function bundledNode() {
  const binary = process.platform === "win32" ? "node.exe" : "node";
  return bundledNodeNames()
    .map((name) => join(root, "node_modules", name, "bin", binary))
    .find((path) => existsSync(path));
}

/** The npm packages that carry Node's binary name their platforms in two ways. */
function bundledNodeNames() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  return [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`];
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1]);
}

// ---- the built product --------------------------------------------------------------------------------------

/** Builds the product when its sources changed since the last build. Call ensureInstalled first. */
export function ensureBuilt() {
  if (isBuilt()) return;
  oneAtATime(() => {
    if (!isBuilt()) buildNow();
  });
}

/** Builds the product, whatever the last build was made from. */
export function build() {
  oneAtATime(buildNow);
}

function isBuilt() {
  return readJson(join(appFolder, ".build.json"))?.key === sourcesKey();
}

const BUILD_PATIENCE_MS = 120_000;

/** Two processes that find the product out of date do not build it into each other's folder. */
function oneAtATime(work) {
  mkdirSync(join(appFolder, ".."), { recursive: true });
  const lock = `${appFolder}.lock`;
  const until = Date.now() + BUILD_PATIENCE_MS;
  while (!taken(lock)) {
    if (Date.now() > until) throw new SetupError(`another build holds ${lock}; remove it if none is running`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Also takes the lock of a process that was killed. */
function taken(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  const holder = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : 0;
  if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true });
  return false;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function buildNow() {
  const startedAtMs = Date.now();
  const fresh = `${appFolder}.new-${process.pid}`;
  const key = sourcesKey();
  const done = spawnSync(runtimeNode(), ["scripts/bundle.mjs", fresh], { cwd: root, encoding: "utf8" });
  if (done.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    const how = done.error?.message ?? `exit code ${done.status}`;
    throw new SetupError(`the build failed (${how}):\n${`${done.stdout ?? ""}${done.stderr ?? ""}`.trim()}`);
  }
  writeFileSync(join(fresh, ".build.json"), `${JSON.stringify({ key })}\n`);
  rmSync(appFolder, { recursive: true, force: true });
  renameSync(fresh, appFolder);
  say(`built in ${seconds(startedAtMs)}`);
}

/** Content, not times: two clones of one commit have one key. Tests are not part of the product. */
function sourcesKey() {
  const hash = createHash("sha256");
  const scripts = ["bundle", "compiled-code", "third-party"].map((name) => `scripts/${name}.mjs`);
  hashFiles(hash, ["package-lock.json", ...scripts, ...sourceFiles()]);
  return hash.digest("hex");
}

function sourceFiles() {
  return workspaces
    .filter((folder) => folder !== "")
    .flatMap((folder) => {
      const files = readdirSync(join(root, folder, "src"), { recursive: true, withFileTypes: true })
        .filter((item) => item.isFile() && !item.name.includes(".test."))
        .map((item) => relative(root, join(item.parentPath ?? item.path, item.name)));
      return [join(folder, "package.json"), ...files.sort()];
    });
}

// ---- running ------------------------------------------------------------------------------------------------

/** Runs a program on this terminal until it ends; resolves to `{ code, signal }`, and passes signals on. */
export function runForeground(command, args, { cwd = root, env = process.env } = {}) {
  const child = spawn(command, args, { cwd, env, stdio: "inherit" });
  // A terminal sends Ctrl-C to the whole group, so the child already has it: a second one would mean "quit now".
  const forward = (signal) => (signal === "SIGINT" && process.stdin.isTTY ? undefined : child.kill(signal));
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, forward);
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("exit", (code, signal) => {
      for (const name of signals) process.off(name, forward);
      done({ code, signal });
    });
  });
}

/** Ends this process the way its child ended. */
export function endLike({ code, signal }) {
  process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  if (signal !== null) process.kill(process.pid, signal);
}

/** Inputs that no run has seen: names a fresh seed for the properties, unless FUZZ_SEED has one, and says which. */
export function nameFreshSeed() {
  process.env.FUZZ_SEED ??= String(randomInt(2 ** 31));
  say(`the properties draw from FUZZ_SEED=${process.env.FUZZ_SEED}`);
}

/** The path of a program's script inside node_modules, to be run on `runtimeNode()`. */
export function toolFile(path) {
  return resolve(root, "node_modules", path);
}

function hashFiles(hash, paths) {
  for (const path of paths) hash.update(`${path}\n`).update(readFileSync(join(root, path)));
}

function readJson(path) {
  return existsSync(path) ? parseJson(readFileSync(path, "utf8")) : undefined;
}

/** A stamp torn by a killed set-up counts as none. */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function sameJson(left, right) {
  const sorted = (record) => JSON.stringify(Object.entries(record).sort());
  return sorted(left) === sorted(right);
}

function seconds(sinceMs) {
  return `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
}
