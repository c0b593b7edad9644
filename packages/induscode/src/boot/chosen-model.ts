// What the choice of a model comes to: a model, or what was looked for where there is none.

import type { ModelLimits, ProviderConfig } from "indusagi/llmgateway";
import type { ModelSearch } from "../session/model-search.ts";
import { EXIT_FAULT, Problem } from "./problem.ts";

export interface ModelChoice {
  /** `provider/model`. */
  readonly name: string;
  /** Providers as well as the built-in ones. */
  readonly providers: readonly ProviderConfig[];
  /** What a server on this machine says of its models, by `provider/model`. */
  readonly models?: Readonly<Record<string, ModelLimits>>;
}

/** Nothing to talk to: the person must give one first. */
export class NoModel extends Problem {
  readonly search: ModelSearch;

  /** `line` says all of `search`. */
  constructor(search: ModelSearch, line: string) {
    super(line, EXIT_FAULT);
    this.search = search;
  }
}
