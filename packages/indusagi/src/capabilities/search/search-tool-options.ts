// Search options set by whoever assembles the tools.

import type { JsonSchema } from "../../llmgateway/contract.ts";

export interface SearchToolOptions {
  /** Leave out what the repository's ignore files ignore. Default false: only .git and node_modules. */
  readonly respectGitignore?: boolean;
}

/** The argument with which a call of such a tool also searches ignored files. */
export const INCLUDE_IGNORED: JsonSchema = {
  type: "boolean",
  description: "Also search files that .gitignore files ignore. Default: they are skipped and counted.",
};
