// The product's size on a user's disk: both packages packed and installed into an empty folder by npm.
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../packages/induscode/package.json" with { type: "json" };

const root = fileURLToPath(new URL("..", import.meta.url));

/** Megabytes below node_modules, without the Node for each platform and without development tools. Throws if npm fails. */
export function measureInstalledMb(folder: string): number {
  execFileSync(process.execPath, ["scripts/build.mjs", "--lib"], { cwd: root, stdio: "pipe" });
  const packed = ["indusagi", "induscode"].map((name) =>
    npm(["pack", "--silent", "--pack-destination", folder], join(root, "packages", name)).trim(),
  );
  npm(
    ["install", "--no-audit", "--no-fund", "--prefix", folder, ...packed.map((file) => join(folder, file))],
    folder,
  );
  // Measured only if it starts: a product that lacks a file would be the smallest.
  execFileSync(join(folder, "node_modules/.bin/indus"), ["--help"], { stdio: "pipe" });
  const modules = join(folder, "node_modules");
  for (const name of Object.keys(manifest.optionalDependencies).filter((each) => each.startsWith("node-")))
    rmSync(join(modules, name), { recursive: true, force: true });
  const entries = readdirSync(modules, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0) / 1e6;
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
