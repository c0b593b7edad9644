// `npm run check`: format, lint, types, layers, ratchets and generated files. Runs them all, then says which failed.
import { join } from "node:path";
import { ensureInstalled, root, runForeground, runScript, runtimeNode, say, toolFile } from "./setup.mjs";

const checks = [
  {
    name: "format and lint",
    tool: "@biomejs/biome/bin/biome",
    args: ["ci", "--error-on-warnings", `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."],
  },
  { name: "types", tool: "typescript/bin/tsc", args: ["--noEmit", "-p", "tsconfig.json"] },
  {
    name: "layers and ratchets",
    tool: "vitest/vitest.mjs",
    args: ["run", "tests/layers.test.ts", "tests/ratchets.test.ts"],
  },
  { name: "the protocol's files", tool: join(root, "scripts/protocol/generate.mjs"), args: ["--check"] },
];

await runScript(async () => {
  ensureInstalled();
  const failed = [];
  for (const { name, tool, args } of checks) {
    const { code } = await runForeground(runtimeNode(), [toolFile(tool), ...args]);
    if (code !== 0) failed.push(name);
  }
  if (failed.length > 0) process.exitCode = 1;
  const names = checks.map(({ name }) => name).join(", ");
  say(failed.length > 0 ? `check failed: ${failed.join(", ")}` : `check passed: ${names}`);
});
