// The program that `fronts.ts` measures: one task with the SDK, in this process.
import { query } from "induscode/sdk";

const result = await query({ prompt: "hello", model: "anthropic/bench" }).result();
if (result.kind !== "complete") throw new Error(`the task ended as ${JSON.stringify(result)}`);
