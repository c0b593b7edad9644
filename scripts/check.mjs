// `npm run check`: format, lint, types and layers. Runs them all, then says which failed.
import { ensureInstalled, runForeground, runScript, runtimeNode, say, toolFile } from "./setup.mjs";

const checks = [
  {
    name: "format and lint",
    tool: "@biomejs/biome/bin/biome",
    args: ["ci", "--error-on-warnings", `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."],
  },
  { name: "types", tool: "typescript/bin/tsc", args: ["--noEmit", "-p", "tsconfig.json"] },
  { name: "layers", tool: "vitest/vitest.mjs", args: ["run", "tests/layers.test.ts"] },
];

await runScript(async () => {
  ensureInstalled();
  const failed = [];
  for (const { name, tool, args } of checks) {
    const { code } = await runForeground(runtimeNode(), [toolFile(tool), ...args]);
    if (code !== 0) failed.push(name);
  }
  if (failed.length > 0) process.exitCode = 1;
  say(
    failed.length > 0 ? `check failed: ${failed.join(", ")}` : "check passed: format and lint, types, layers",
  );
});
