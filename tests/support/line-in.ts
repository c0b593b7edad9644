import { PARTS } from "../../packages/induscode/src/boot/parts.ts";
import type { Invocation } from "../../packages/induscode/src/cli/invocation.ts";
import { createSecrets } from "../../packages/induscode/src/cli/secrets.ts";

/** A bare `indus`, as typed in this folder. */
export function lineIn(startedIn: string, env: NodeJS.ProcessEnv): Invocation {
  return { flags: {}, words: [], attachments: [], env, startedIn, secrets: createSecrets(), parts: PARTS };
}
