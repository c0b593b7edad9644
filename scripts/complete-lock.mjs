// Adds to package-lock.json the optional packages for other platforms that the registry did not offer when it was
// written: without an entry `npm ci` refuses the whole file ("Missing: ... from lock file"). Run it after a lock change.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, say } from "./setup.mjs";

const systems = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const processors = [
  "arm64",
  "arm",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "wasm32",
  "x64",
];

const file = join(root, "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8"));
let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(path, name)) continue;
    if (!/^\d+\.\d+\.\d+/.test(range))
      throw new Error(`${path} asks for ${name}@${range}: only an exact version can be added`);
    lock.packages[`node_modules/${name}`] = missingEntry(name, range, entry.dev === true);
    added += 1;
  }
}
if (added > 0) {
  const byPath = ([left], [right]) => left.localeCompare(right, "en");
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byPath));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
say(`${added} entries added to package-lock.json`);

/** As npm resolves: in the package's own node_modules, or in one above it. */
function isLocked(path, name) {
  for (
    let folder = path;
    ;
    folder = folder.slice(0, folder.lastIndexOf("node_modules/")).replace(/\/$/, "")
  ) {
    if (`${folder === "" ? "" : `${folder}/`}node_modules/${name}` in lock.packages) return true;
    if (!folder.includes("node_modules/")) return `node_modules/${name}` in lock.packages;
  }
}

/** The platform stands in the name: `@scope/tool-linux-x64-musl`. The hash is not known, npm checks it at install. */
function missingEntry(name, version, dev) {
  const words = name.split(/[/-]/);
  const processor = processors.find((word) => words.includes(word));
  const system =
    systems.find((word) => words.includes(word)) ?? (words.includes("win") ? "win32" : undefined);
  const libc = words.some((word) => word.startsWith("musl"))
    ? "musl"
    : words.some((word) => word.startsWith("gnu"))
      ? "glibc"
      : undefined;
  if (processor === undefined && system === undefined) throw new Error(`${name}: no platform in the name`);
  return {
    version,
    ...(processor === undefined ? {} : { cpu: [processor] }),
    ...(dev ? { dev } : {}),
    ...(libc === undefined || system !== "linux" ? {} : { libc: [libc] }),
    optional: true,
    ...(system === undefined ? {} : { os: [system] }),
  };
}
