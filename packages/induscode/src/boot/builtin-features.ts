// The features that ship inside the product, with the state that belongs to one session.

import { createJobTable, createTodoStore, type JobView, type TodoStore } from "indusagi/capabilities";
import { Listeners, type SecretMask } from "indusagi/core";
import type { SubagentProfile } from "../briefing/contract.ts";
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

export interface Builtins {
  readonly modules: readonly FeatureModule[];
  /** Ends what the built-in tools left running. */
  readonly dispose: () => Promise<void>;
}

/** For a look at the features without a session. */
export const NO_DELEGATES: DelegatesFacts<SubagentProfile> = {
  roles: [],
  run: () => Promise.reject(new Error("there is no session to work for")),
};

export function builtinFeatures(
  { respectGitignore = true }: Pick<Settings, "respectGitignore">,
  env: NodeJS.ProcessEnv,
  delegates: DelegatesFacts<SubagentProfile>,
  todos: TodoStore = createTodoStore(),
  secrets?: SecretMask,
): Builtins {
  const ends = new Listeners<JobView>((error) =>
    process.emitWarning(error instanceof Error ? error : String(error)),
  );
  const table = createJobTable({
    onEnd: (job) => ends.emit(job),
    ...(secrets ? { maskStream: secrets.stream } : {}),
  });
  return {
    modules: [
      filesFeature(),
      searchFeature({ respectGitignore }),
      shellFeature(),
      processesFeature({ table, onEnd: (listener) => ends.add(listener) }),
      planningFeature(todos),
      webFeature({ env }),
      delegatesFeature(delegates),
    ],
    dispose: table.dispose,
  };
}
