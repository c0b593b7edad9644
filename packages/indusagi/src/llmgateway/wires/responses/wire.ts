// Models behind the Responses API: OpenAI's current ones, which accept tools with
// thinking on no other API, and servers that speak it (Azure, xAI, LM Studio, vLLM).

import type { ModelProvider } from "../../contract.ts";
import { createLessons } from "../../lessons.ts";
import { runWireCall } from "../../wire-call.ts";
import type { Wire } from "../contract.ts";
import { correspondent, type Endpoint, headersOf, limitsOf } from "../endpoint.ts";
import { createResponsesWriter, RESPONSES_LESSONS } from "./request.ts";
import { createResponsesReader } from "./stream.ts";

/**
 * A provider on the Responses API; `baseUrl` includes the version segment. Throws a TypeError if it is not a URL; its calls never
 * reject. What a model refuses is omitted from its requests from then on.
 */
function createResponsesProvider(options: Endpoint): ModelProvider {
  const whom = correspondent(options, "/responses");
  const headers = headersOf(
    options,
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` },
  );
  const writeBody = createResponsesWriter(options.id);
  const lessons = createLessons(RESPONSES_LESSONS, { baseUrl: options.baseUrl, book: options.lessons });

  return {
    id: options.id,
    stream: async (request, { signal, onDelta, onRemark }) => {
      for (;;) {
        const result = await runWireCall({
          whom,
          headers,
          body: writeBody(request, lessons.about(request.model)),
          reader: createResponsesReader(whom, onDelta, request.tools),
          limits: limitsOf(options),
          signal,
          onDelta,
        });
        if (!lessons.learn(request.model, result, onRemark)) return result;
      }
    },
    countTokens: async (request, signal) => {
      const { askForCount } = await import("../count.ts");
      const body = () => writeBody(request, lessons.about(request.model));
      const asked = { endpoint: options, path: "/responses/input_tokens", headers, body };
      return askForCount({ ...asked, fields: COUNTED_FIELDS }, request, signal);
    },
  };
}

const COUNTED_FIELDS = ["model", "reasoning", "parallel_tool_calls", "instructions", "tools", "input"];

/** The Responses wire. */
export const responsesWire: Wire = {
  createProvider: createResponsesProvider,
  createReader: createResponsesReader,
  createWriter: (provider) => {
    const write = createResponsesWriter(provider);
    return (request) => write(request, new Set());
  },
};
