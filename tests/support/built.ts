// What starts the command imports this: the product is built when its sources changed. `npm test` has done so before.

import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../../scripts/setup.mjs";

if (process.env.INDUS_BUILT === undefined) ensureBuilt();

/** Where the built product lies. */
export const builtFolder: string = fileURLToPath(
  new URL("../../packages/induscode/dist/app", import.meta.url),
);

/** The command, as a person starts it. */
export const COMMAND: string = fileURLToPath(new URL("../../packages/induscode/bin/indus", import.meta.url));
