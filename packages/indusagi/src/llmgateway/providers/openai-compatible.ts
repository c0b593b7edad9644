// Models behind the Chat Completions API: OpenAI's own, and the many servers that imitate it.

import type { ModelProvider } from "../contract.ts";
import { refusedWith, runWireCall } from "../wire-call.ts";
import { correspondent, type Endpoint, headersOf, limitsOf } from "./endpoint.ts";
import { createOpenAiRequestWriter, type OptionalField } from "./openai-request.ts";
import { createOpenAiReader } from "./openai-stream.ts";

export type OpenAiCompatibleOptions = Endpoint;

// A server names the field that it does not know. Each can be learnt once, so a request is repeated a few times
// at most, and only the first request of a session is.
const LEARNABLE: readonly OptionalField[] = [
  "stream_options",
  "max_tokens",
  "temperature",
  "reasoning_effort",
];

/**
 * A provider on Chat Completions; `baseUrl` includes the version segment (`http://127.0.0.1:11434/v1`). Throws a
 * TypeError when it is no URL; its calls never reject. Without `apiKey` no authorization is sent. It keeps the
 * serialised form of every message it sent, for as long as the message lives.
 */
export function createOpenAiCompatibleProvider(options: OpenAiCompatibleOptions): ModelProvider {
  const whom = correspondent(options, "/chat/completions");
  const headers = headersOf(
    options,
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` },
  );
  const isOpenAi = whom.url.hostname === "api.openai.com" || whom.url.hostname.endsWith(".api.openai.com");
  const writeBody = createOpenAiRequestWriter(options.id);
  const refused = new Set<OptionalField>();

  return {
    id: options.id,
    stream: async (request, { signal, onDelta }) => {
      for (;;) {
        const result = await runWireCall({
          whom,
          headers,
          body: writeBody(request, { isOpenAi, refused }),
          reader: createOpenAiReader(whom, onDelta),
          limits: limitsOf(options),
          signal,
        });
        const named = LEARNABLE.find(
          (field) => !refused.has(field) && refusedWith(result, new RegExp(`\\b${field}\\b`)),
        );
        if (named === undefined) return result;
        refused.add(named);
      }
    },
  };
}
