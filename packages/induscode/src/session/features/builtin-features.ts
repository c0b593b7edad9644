// The features that ship with the product. They have no session state: each call brings its own.

import { bashShell, type ShellToolOptions } from "indusagi/capabilities";
import { type DelegatesFacts, delegatesFeature } from "../../deck/builtins/delegates.ts";
import { processesFeature } from "../../deck/builtins/processes.ts";
import {
  filesFeature,
  planningFeature,
  searchFeature,
  shellFeature,
  webFeature,
} from "../../deck/builtins/tools.ts";
import type { FeatureModule } from "../../feature/install.ts";
import type { Settings } from "../../settings/load-settings.ts";

export async function builtinFeatures(
  {
    respectGitignore = true,
    workItems = false,
    memory = false,
  }: Pick<Settings, "respectGitignore" | "workItems" | "memory">,
  env: NodeJS.ProcessEnv,
  { isConfined = false, ...delegates }: DelegatesFacts & Pick<ShellToolOptions, "isConfined"> = { roles: [] },
): Promise<readonly FeatureModule[]> {
  const shell = { isConfined, shell: bashShell() && "bash" };
  return [
    filesFeature(),
    searchFeature({ respectGitignore }),
    shellFeature(shell),
    processesFeature(shell),
    planningFeature(),
    webFeature({ env }),
    delegatesFeature(delegates),
    ...(memory ? [(await import("../../deck/builtins/memory.ts")).memoryFeature()] : []),
    ...(workItems ? [(await import("../../deck/builtins/work-items.ts")).workItemsFeature()] : []),
  ];
}
