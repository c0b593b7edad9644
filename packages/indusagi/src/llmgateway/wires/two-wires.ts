// A server of OpenAI's kind offers two wires, and each model decides which one it wants: the newest do not accept tools with
// thinking on Chat Completions. The catalogue says where to begin; if the server disagrees, it is believed, for that model.

import type { ModelProvider, ModelResult } from "../contract.ts";
import { wireOf } from "../models.ts";
import { wantsResponses } from "../wire-call.ts";
import type { Endpoint } from "./endpoint.ts";
import { WIRES } from "./table.ts";

type Name = "chat" | "responses";

/** A provider that speaks both; the code for each is loaded by the first model that wants it. */
export function createTwoWireProvider(endpoint: Endpoint): ModelProvider {
  const wireByModel = new Map<string, Name>();
  const made = new Map<Name, Promise<ModelProvider>>();
  const providerOn = (name: Name): Promise<ModelProvider> => {
    const mayGoElsewhere = (model: string): boolean => !wireByModel.has(model);
    const provider =
      made.get(name) ?? WIRES[name]().then((wire) => wire.createProvider({ ...endpoint, mayGoElsewhere }));
    made.set(name, provider);
    return provider;
  };
  return {
    id: endpoint.id,
    stream: async (request, options) => {
      const first = wireByModel.get(request.model) ?? wireOf(request.model);
      const result = await (await providerOn(first)).stream(request, options);
      const other = first === "chat" ? "responses" : "chat";
      const isElsewhere = first === "chat" ? wantsResponses(result) : hasNoResponses(result);
      if (!isElsewhere || wireByModel.has(request.model)) return result;
      wireByModel.set(request.model, other);
      const there = await (await providerOn(other)).stream(request, options);
      if (first !== "chat" || !hasNoResponses(there)) return there;
      wireByModel.set(request.model, first);
      return (await providerOn(first)).stream(request, options);
    },
    countTokens: async (request, signal) => {
      const provider = await providerOn(wireByModel.get(request.model) ?? wireOf(request.model));
      return provider.countTokens?.(request, signal);
    },
  };
}

// A server that imitates only Chat Completions does not have this address.
function hasNoResponses(result: ModelResult): boolean {
  return !result.ok && [404, 405, 501].includes(result.fault.status ?? 0);
}
