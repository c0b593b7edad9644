// bash with 1 GB of output, compared with a bare loop that reads the same command's output and keeps nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { bashTool, standardBudget } from "indusagi/capabilities";
import { callTool, compare, heldMemoryMb, peakMemoryMb, type ToolFigure } from "./tools-measure.ts";

const outputBytes = 1_000_000_000;
const command = `yes ${"x".repeat(99)} | head -c ${outputBytes}`;

export async function measureBash(folder: string): Promise<readonly ToolFigure[]> {
  const before = heldMemoryMb();
  const answer = await callTool(bashTool(), { command }, { cwd: folder });
  const growth = peakMemoryMb() - before;
  const time = await compare(2, {
    base: drain,
    ours: () => callTool(bashTool(), { command }, { cwd: folder }),
  });
  const start = await compare(100, {
    base: () => once(spawn("sh", ["-c", "true"], { stdio: ["ignore", "pipe", "pipe"] }), "close"),
    ours: () => callTool(bashTool(), { command: "true" }, { cwd: folder }),
  });
  const budgetKb = (standardBudget().maxBytes + 256) / 1024; // plus the notice that says what was left out
  return [
    { name: "bash, a command that does nothing (base: the same, bare)", unit: "ms", ...start },
    { name: "bash, 1 GB of output (base: read and drop it)", unit: "ms", ...time },
    {
      name: "bash, 1 GB: the answer",
      unit: "KB",
      ours: Buffer.byteLength(answer) / 1024,
      target: { kind: "atMost", limit: budgetKb },
    },
    {
      name: "bash, 1 GB: growth of memory",
      unit: "MB",
      ours: growth,
      target: { kind: "atMost", limit: 200 },
    },
  ];
}

async function drain(): Promise<void> {
  const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "ignore"] });
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => (bytes += chunk.length));
  await once(child, "close");
  if (bytes !== outputBytes) throw new Error(`the command wrote ${bytes} bytes, expected ${outputBytes}`);
}
