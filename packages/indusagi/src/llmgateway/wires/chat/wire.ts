// Models behind the Chat Completions API: OpenAI's own, and the many servers that imitate it.

import type { ModelProvider } from "../../contract.ts";
import { shows } from "../../has-picture.ts";
import { createLessons } from "../../lessons.ts";
import { runWireCall, wantsResponses } from "../../wire-call.ts";
import type { Wire } from "../contract.ts";
import { correspondent, type Endpoint, headersOf, limitsOf } from "../endpoint.ts";
import { CHAT_LESSONS } from "./chat-refusals.ts";
import { createChatWriter } from "./request.ts";
import { createChatReader } from "./stream.ts";

/**
 * A provider on Chat Completions; `baseUrl` includes the version segment (`http://127.0.0.1:11434/v1`).
 * Throws a TypeError if it is not a URL; its calls never reject. Without `apiKey` no authorization is sent.
 * It keeps the serialised form of every message it sent, for as long as the message lives.
 */
export function createChatProvider(options: Endpoint): ModelProvider {
  const whom = correspondent(options, "/chat/completions");
  const headers = headersOf(
    options,
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` },
  );
  const isOpenAi = whom.url.hostname === "api.openai.com" || whom.url.hostname.endsWith(".api.openai.com");
  const writeBody = createChatWriter(options.id);
  const lessons = createLessons(CHAT_LESSONS, { baseUrl: options.baseUrl, book: options.lessons });

  let isTold = false;
  return {
    id: options.id,
    stream: async (request, { signal, onDelta, onRemark }) => {
      if (!isTold && request.messages.some((message) => shows(message, "document"))) {
        isTold = true;
        onRemark?.(
          `${options.id} is used over Chat Completions, which does not accept documents: each is replaced with a line that says so.`,
        );
      }
      for (;;) {
        const result = await runWireCall({
          whom,
          headers,
          body: writeBody(request, { isOpenAi, learnt: lessons.about(request.model) }),
          reader: createChatReader(whom, onDelta, request.tools),
          limits: limitsOf(options),
          signal,
          onDelta,
        });
        if (wantsResponses(result) && options.mayGoElsewhere?.(request.model)) return result;
        if (!lessons.learn(request.model, result, onRemark)) return result;
      }
    },
  };
}

/** The Chat Completions wire. */
export const chatWire: Wire = {
  createProvider: createChatProvider,
  createReader: createChatReader,
  createWriter: (provider) => {
    const write = createChatWriter(provider);
    return (request) => write(request, { isOpenAi: false, learnt: new Set() });
  },
};
