// Models behind Google's Gemini API.

import type { ModelProvider } from "../../contract.ts";
import { createLessons } from "../../lessons.ts";
import { runWireCall } from "../../wire-call.ts";
import type { Wire } from "../contract.ts";
import { correspondent, type Endpoint, headersOf, keyHeader, limitsOf } from "../endpoint.ts";
import { createGeminiWriter, GEMINI_LESSONS } from "./request.ts";
import { createGeminiReader } from "./stream.ts";

/**
 * A provider on the Gemini API; `baseUrl` includes the version segment. Throws a TypeError if it is not a URL; its calls never
 * reject.
 */
function createGeminiProvider(options: Endpoint): ModelProvider {
  const headers = headersOf(options, keyHeader(options, "x-goog-api-key"));
  const writeBody = createGeminiWriter(options.id);
  correspondent(options, "/models"); // reports an invalid base URL at once
  const isVertex = /\/publishers\/google\/*$/.test(options.baseUrl);
  const lessons = createLessons(GEMINI_LESSONS, { baseUrl: options.baseUrl, book: options.lessons });

  return {
    id: options.id,
    stream: async (request, { signal, onDelta, onRemark }) => {
      // The model is part of the address here.
      const whom = correspondent(options, `${pathOf(request.model)}:streamGenerateContent`);
      whom.url.search = "alt=sse";
      for (;;) {
        const result = await runWireCall({
          whom,
          headers,
          body: writeBody(request, lessons.about(request.model)),
          reader: createGeminiReader(whom, onDelta),
          limits: limitsOf(options),
          signal,
          onDelta,
        });
        if (!lessons.learn(request.model, result, onRemark)) return result;
      }
    },
    countTokens: async (request, signal) => {
      const { askForCount } = await import("../count.ts");
      const path = `${pathOf(request.model)}:countTokens`;
      const body = () => writeBody(request, lessons.about(request.model));
      // Google Cloud takes the request's own fields, the Generative Language API the whole request as one field.
      const wrap = isVertex
        ? {}
        : {
            wrap: (fields: object) => ({
              generateContentRequest: { model: `models/${request.model}`, ...fields },
            }),
          };
      const asked = { endpoint: options, path, headers, body, fields: COUNTED_FIELDS };
      return askForCount({ ...asked, ...wrap }, request, signal);
    },
  };
}

const COUNTED_FIELDS = ["contents", "systemInstruction", "tools", "generationConfig"];

function pathOf(model: string): string {
  return `/models/${model.split("/").map(encodeURIComponent).join("/")}`;
}

/** The Gemini wire. */
export const geminiWire: Wire = {
  createProvider: createGeminiProvider,
  createReader: createGeminiReader,
  createWriter: (provider) => {
    const write = createGeminiWriter(provider);
    return (request) => write(request);
  },
};
