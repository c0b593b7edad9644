// The result of choosing a model: a model, or where it was looked for if there is none.

import type { ModelLimits, ProviderConfig } from "indusagi/llmgateway";
import { EXIT_FAULT, Problem } from "../../cli/problem.ts";
import type { ModelSearch } from "./model-search.ts";

export interface ModelChoice {
  /** `provider/model`. */
  readonly name: string;
  /** Providers in addition to the built-in ones. */
  readonly providers: readonly ProviderConfig[];
  /** The limits that a server on this machine reports for its models, by `provider/model`. */
  readonly models?: Readonly<Record<string, ModelLimits>>;
}

/** There is no model to talk to; the person must configure one first. */
export class NoModel extends Problem {
  readonly search: ModelSearch;

  /** `line` contains all of `search`. */
  constructor(search: ModelSearch, line: string) {
    super(line, EXIT_FAULT);
    this.search = search;
  }
}
