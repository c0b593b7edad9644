import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** Where settings and sessions live: `INDUS_HOME`, else `~/.indus`. */
export function indusHome(env: NodeJS.ProcessEnv): string {
  const moved = env.INDUS_HOME?.trim();
  return moved ? resolve(moved) : join(homedir(), ".indus");
}
