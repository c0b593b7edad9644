// The features that ship with the product. They have no session state: each call brings its own.

import type { ShellToolOptions } from "indusagi/capabilities";
import { type DelegatesFacts, delegatesFeature } from "../deck/builtins/delegates.ts";
import { processesFeature } from "../deck/builtins/processes.ts";
import {
  filesFeature,
  planningFeature,
  searchFeature,
  shellFeature,
  webFeature,
} from "../deck/builtins/tools.ts";
import type { FeatureModule } from "../feature/contract.ts";
import type { Settings } from "./settings.ts";

export async function builtinFeatures(
  {
    respectGitignore = true,
    workItems = false,
    memory = false,
  }: Pick<Settings, "respectGitignore" | "workItems" | "memory">,
  env: NodeJS.ProcessEnv,
  { isConfined = false, ...delegates }: DelegatesFacts & ShellToolOptions = { roles: [] },
): Promise<readonly FeatureModule[]> {
  return [
    filesFeature(),
    searchFeature({ respectGitignore }),
    shellFeature({ isConfined }),
    processesFeature({ isConfined }),
    planningFeature(),
    webFeature({ env }),
    delegatesFeature(delegates),
    ...(memory ? [(await import("../deck/builtins/memory.ts")).memoryFeature()] : []),
    ...(workItems ? [(await import("../deck/builtins/work-items.ts")).workItemsFeature()] : []),
  ];
}
