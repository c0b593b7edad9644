// `induscode/sdk`: an answer in a form, with its type, within limits.

import { query } from "induscode/sdk";

const outputSchema = {
  type: "object",
  properties: {
    verdict: { enum: ["ready", "not ready"] },
    reasons: { type: "array", items: { type: "string" } },
  },
  required: ["verdict", "reasons"],
} as const;

const signal = AbortSignal.timeout(600_000);
const limits = { maxTurns: 20, maxCost: 0.5 };
const result = await query({
  prompt: "Can this be released?",
  mode: "read-only",
  outputSchema,
  signal,
  ...limits,
}).result();
if (result.kind === "complete") {
  const { verdict, reasons } = result.output; // "ready" | "not ready", readonly string[]
  console.log(`${verdict}: ${reasons.join(", ")}`);
} else console.error(result.kind === "faulted" ? result.fault.message : "It took too long.");
