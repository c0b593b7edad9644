import type {
  ModelCard,
  ModelFault,
  ModelParams,
  ModelProvider,
  Pricing,
  ThinkingLevel,
} from "indusagi/llmgateway";
import type { ConductorFault } from "./contract.ts";

/** A model name that was found: who serves it and what is known of it. */
export interface ResolvedModel {
  /** `provider/model`, where what was asked for is a shorter word for it. */
  readonly name?: string;
  readonly provider: ModelProvider;
  /** The second half of `provider/model`. */
  readonly model: string;
  readonly card: ModelCard;
  /** What its calls cost, where that is known. */
  readonly pricing?: () => Promise<Pricing | undefined>;
}

export type ModelResolver = (
  name: string,
) => Promise<({ readonly ok: true } & ResolvedModel) | { readonly ok: false; readonly fault: ModelFault }>;

/** Which model a session talks to, and how. A change holds from the next call on. */
export interface ModelInUse {
  readonly name: () => string;
  readonly params: () => ModelParams;
  /** Found on first use. */
  readonly resolved: () => Promise<
    | { readonly ok: true; readonly model: ResolvedModel }
    | { readonly ok: false; readonly fault: ConductorFault }
  >;
  readonly use: (name: string) => Promise<ConductorFault | undefined>;
  readonly setThinking: (level: ThinkingLevel) => void;
}

export function createModelInUse(
  resolve: ModelResolver,
  first: string,
  firstParams: ModelParams,
): ModelInUse {
  let name = first;
  let params = firstParams;
  let found: ResolvedModel | undefined;
  return {
    name: () => name,
    params: () => params,
    async resolved() {
      if (found) return { ok: true, model: found };
      const answer = await resolve(name);
      if (!answer.ok) return { ok: false, fault: { kind: "config", message: answer.fault.message } };
      found = answer;
      return { ok: true, model: answer };
    },
    async use(next) {
      const answer = await resolve(next);
      if (!answer.ok) return { kind: "config", message: answer.fault.message };
      found = answer;
      name = answer.name ?? next;
      return undefined;
    },
    setThinking(level) {
      params = { ...params, thinking: level };
    },
  };
}
