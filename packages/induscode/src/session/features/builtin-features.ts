// The features that ship with the product, those of its parts included. They have no session state: each call brings its own.

import { bashShell, type ShellToolOptions } from "indusagi/capabilities";
import type { Part, PartPlace } from "../../cli/part.ts";
import { processesFeature } from "../../deck/builtins/processes.ts";
import {
  filesFeature,
  planningFeature,
  searchFeature,
  shellFeature,
  webFeature,
} from "../../deck/builtins/tools.ts";
import type { FeatureModule } from "../../feature/install.ts";
import { featuresOf } from "../part-features.ts";

export async function builtinFeatures(
  place: PartPlace,
  parts: readonly Part[],
  env: NodeJS.ProcessEnv,
  { isConfined = false }: Pick<ShellToolOptions, "isConfined"> = {},
): Promise<readonly FeatureModule[]> {
  const { respectGitignore = true } = place.settings;
  const shell = { isConfined, shell: bashShell() && "bash" };
  return [
    filesFeature(),
    searchFeature({ respectGitignore }),
    shellFeature(shell),
    processesFeature(shell),
    planningFeature(),
    webFeature({ env }),
    ...(await featuresOf(parts, place)),
  ];
}
