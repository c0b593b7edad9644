// Models behind Anthropic's Messages API, and servers that speak it.

import { ANTHROPIC_BASE_URL } from "../../addresses.ts";
import type { ModelProvider } from "../../contract.ts";
import { createLessons } from "../../lessons.ts";
import { refusedWith, runWireCall } from "../../wire-call.ts";
import type { Wire } from "../contract.ts";
import { correspondent, type Endpoint, headersOf, keyHeader, limitsOf } from "../endpoint.ts";
import { MESSAGES_LESSONS } from "./messages-refusals.ts";
import { createMessagesWriter } from "./request.ts";
import { createMessagesReader } from "./stream.ts";
import { interleavesWhenAsked } from "./thinking.ts";

const API_VERSION = "2023-06-01";
const BETA = "anthropic-beta";
const INTERLEAVED = "interleaved-thinking-2025-05-14";

/** `id` and `baseUrl` default to Anthropic's own. */
export type MessagesOptions = Partial<Endpoint>;

/**
 * A provider on the Messages API. Throws a TypeError for an unusable `baseUrl` or key; its calls never reject. It keeps the
 * serialised form of every message it sent, for as long as the message lives.
 */
export function createMessagesProvider(options: MessagesOptions): ModelProvider {
  const endpoint: Endpoint = {
    ...options,
    id: options.id ?? "anthropic",
    baseUrl: options.baseUrl ?? ANTHROPIC_BASE_URL,
  };
  // On Google Cloud the model is in the address, and the version in the body.
  const isVertex = VERTEX.test(new URL(endpoint.baseUrl).pathname);
  const hasVersion = /\/v\d+\/*$/.test(new URL(endpoint.baseUrl).pathname);
  const whom = correspondent(endpoint, hasVersion ? "/messages" : "/v1/messages");
  const headers = headersOf(endpoint, {
    ...(isVertex ? {} : { "anthropic-version": API_VERSION }),
    ...keyHeader(endpoint, "x-api-key"),
  });
  const writer = createMessagesWriter(endpoint.id, isVertex);
  const lessons = createLessons(MESSAGES_LESSONS, { baseUrl: endpoint.baseUrl, book: endpoint.lessons });

  return {
    id: endpoint.id,
    stream: async (request, { signal, onDelta, onRemark }) => {
      const ask = () => {
        const learnt = lessons.about(request.model);
        const interleaves =
          !isVertex && !learnt.has("interleaved") && interleavesWhenAsked(request.model, request.params);
        const betas = [headers[BETA], INTERLEAVED].filter((each) => each !== undefined).join(",");
        return runWireCall({
          whom: isVertex ? correspondent(endpoint, vertexPath(request.model)) : whom,
          headers: interleaves ? { ...headers, [BETA]: betas } : headers,
          body: writer.body(request, learnt),
          reader: createMessagesReader(whom, onDelta),
          limits: limitsOf(endpoint),
          signal,
          onDelta,
        });
      };
      let result = await ask();
      while (lessons.learn(request.model, result, onRemark)) result = await ask();
      // A thought is bound to everything before it. After a compaction, for example, its proof is no longer valid: the old thoughts
      // are then omitted for good, and the request is repeated once.
      if (!refusedWith(result, STALE_THOUGHT)) return result;
      writer.withoutThinking(request.messages);
      return ask();
    },
    countTokens: isVertex
      ? undefined
      : async (request, signal) => {
          const { askForCount } = await import("../count.ts");
          const path = `${hasVersion ? "" : "/v1"}/messages/count_tokens`;
          const body = () => writer.body(request, lessons.about(request.model));
          return askForCount({ endpoint, path, headers, body, fields: COUNTED_FIELDS }, request, signal);
        },
  };
}

const COUNTED_FIELDS = ["model", "system", "tools", "thinking", "messages"];

const VERTEX = /\/publishers\/anthropic\/*$/;

function vertexPath(model: string): string {
  return `/models/${encodeURIComponent(model).replaceAll("%40", "@")}:streamRawPredict`;
}

const STALE_THOUGHT = /Invalid `?signature`? in `?thinking`? block/i;

/** The Messages wire. */
export const messagesWire: Wire = {
  createProvider: createMessagesProvider,
  createReader: createMessagesReader,
  createWriter: (provider) => {
    const { body } = createMessagesWriter(provider);
    return (request) => body(request);
  },
};
