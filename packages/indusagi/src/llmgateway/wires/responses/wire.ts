// Models behind the Responses API: OpenAI's current ones, which take no tools beside thinking on any other, and servers that
// speak it (Azure, xAI, LM Studio, vLLM).

import type { ModelProvider } from "../../contract.ts";
import { refusedWith, runWireCall } from "../../wire-call.ts";
import type { Wire } from "../contract.ts";
import { correspondent, type Endpoint, headersOf, limitsOf } from "../endpoint.ts";
import { createResponsesWriter, OPTIONAL_FIELDS, type OptionalField } from "./request.ts";
import { createResponsesReader } from "./stream.ts";

/**
 * A provider on the Responses API; `baseUrl` includes the version segment. Throws a TypeError when it is no URL; its calls
 * never reject. What a model refuses is left out of its requests from then on.
 */
export function createResponsesProvider(options: Endpoint): ModelProvider {
  const whom = correspondent(options, "/responses");
  const headers = headersOf(
    options,
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` },
  );
  const writeBody = createResponsesWriter(options.id);
  const lessons = new Map<string, Set<OptionalField>>();

  return {
    id: options.id,
    stream: async (request, { signal, onDelta }) => {
      const refused = lessons.get(request.model) ?? new Set<OptionalField>();
      lessons.set(request.model, refused);
      for (;;) {
        const result = await runWireCall({
          whom,
          headers,
          body: writeBody(request, refused),
          reader: createResponsesReader(whom, onDelta),
          limits: limitsOf(options),
          signal,
        });
        const named = OPTIONAL_FIELDS.find(
          (field) =>
            !refused.has(field) && refusedWith(result, new RegExp(`\\b${field.replace(".", "\\.")}\\b`)),
        );
        if (named === undefined) return result;
        refused.add(named);
      }
    },
  };
}

/** The Responses wire. */
export const responsesWire: Wire = {
  createProvider: createResponsesProvider,
  createReader: createResponsesReader,
  createWriter: (provider) => {
    const write = createResponsesWriter(provider);
    return (request) => write(request, new Set());
  },
};
