import type {
  ModelCard,
  ModelFault,
  ModelParams,
  ModelProvider,
  Pricing,
  ThinkingLevel,
} from "indusagi/llmgateway";
import type { ConductorFault } from "./contract.ts";

/** A resolved model name: who serves it and what is known about it. */
export interface ResolvedModel {
  /** The full `provider/model`, if a shorter name was asked for. */
  readonly name?: string;
  readonly provider: ModelProvider;
  /** The second half of `provider/model`. */
  readonly model: string;
  readonly card: ModelCard;
  /** What its calls cost, if that is known. */
  readonly pricing?: () => Pricing | undefined;
}

export type ModelResolver = (
  name: string,
) => Promise<({ readonly ok: true } & ResolvedModel) | { readonly ok: false; readonly fault: ModelFault }>;

/** Which model a session talks to, and how. A change applies from the next call on. */
export interface ModelInUse {
  readonly name: () => string;
  readonly params: () => ModelParams;
  /** Resolved on first use. */
  readonly resolved: () => Promise<
    | { readonly ok: true; readonly model: ResolvedModel }
    | { readonly ok: false; readonly fault: ConductorFault }
  >;
  /** `turn`: for the next turn alone. */
  readonly use: (name: string, span?: "turn") => Promise<ConductorFault | undefined>;
  /** Switches to the next usable fallback and returns its name, or undefined if none is left. */
  readonly fallBack: () => Promise<string | undefined>;
  /** Switches back to the chosen model, or to the one that was asked for the turn that begins. */
  readonly endFallback: () => void;
  readonly setThinking: (level: ThinkingLevel) => void;
}

/** `fallbacks` replace the chosen model, in this order, until {@link ModelInUse.endFallback}. */
export function createModelInUse(
  resolve: ModelResolver,
  first: string,
  firstParams: ModelParams,
  fallbacks: readonly string[] = [],
): ModelInUse {
  let name = first;
  let params = firstParams;
  let found: ResolvedModel | undefined;
  let standIn: { readonly name: string; readonly model: ResolvedModel } | undefined;
  let forTurn: typeof standIn;
  let left = [...fallbacks];

  function endFallback(): void {
    standIn = forTurn;
    forTurn = undefined;
    left = [...fallbacks];
  }

  return {
    name: () => standIn?.name ?? name,
    params: () => params,
    async resolved() {
      if (standIn) return { ok: true, model: standIn.model };
      if (found) return { ok: true, model: found };
      const answer = await resolve(name);
      if (!answer.ok) return { ok: false, fault: { kind: "config", message: answer.fault.message } };
      found = answer;
      return { ok: true, model: answer };
    },
    async use(next, span) {
      const answer = await resolve(next);
      if (!answer.ok) return { kind: "config", message: answer.fault.message };
      if (span === "turn") {
        forTurn = { name: answer.name ?? next, model: answer };
        return undefined;
      }
      forTurn = undefined;
      found = answer;
      name = answer.name ?? next;
      endFallback();
      return undefined;
    },
    async fallBack() {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const answer = await resolve(next);
        const full = answer.ok ? (answer.name ?? next) : next;
        if (!answer.ok || full === name) continue;
        standIn = { name: full, model: answer };
        return full;
      }
      return undefined;
    },
    endFallback,
    setThinking(level) {
      params = { ...params, thinking: level };
    },
  };
}
