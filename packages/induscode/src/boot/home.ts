import { describeError } from "indusagi/core";
import { checkHome } from "../addons/home.ts";

export { indusHome } from "../addons/home.ts";

/** What is wrong with the home that a run in `folder` (the working directory) would take as the person's; undefined where nothing is. */
export function homeProblem(env: NodeJS.ProcessEnv, folder?: string): string | undefined {
  try {
    checkHome(env, folder ?? process.cwd());
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
