// Where a package lies until it is kept says nothing to anybody, so no message has it.

import { realpathSync } from "node:fs";
import { describeError } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";

/** Where in a staging folder repositories and lists are checked out, in which nobody looks for an addon. */
export const CHECKOUT = ".checkout";
export const LIST = ".marketplace";

/** The text with paths of the package, or of its repository, in place of those in the staging folder. */
function withoutStaging(text: string, staging: string): string {
  const roots = [...new Set([realpathSync(staging), staging])];
  const names = roots.flatMap((root) => [
    ...[CHECKOUT, LIST].flatMap((each) => [`${root}/${each}/`, `${root}/${each}`]),
    `${root}/`,
    root,
  ]);
  return names.reduce((rest, name) => rest.replaceAll(name, ""), text);
}

/** What `work` resolves to. Whatever it throws becomes a {@link Problem} without a path of the staging folder. */
export async function stagedIn<Result>(staging: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const told = withoutStaging(describeError(error), staging);
    throw error instanceof Problem ? new Problem(told, error.exitCode) : new Problem(told);
  }
}
