// What the suite, in the host's place, answers to an addon: all it asks for, or nothing.

import type { JsonObject } from "indusagi/core";
import {
  type AddonToHost,
  ERROR_CODES,
} from "../../packages/induscode/src/addons/process/protocol/messages.ts";
import { METHODS, SHAPES } from "../../packages/induscode/src/addons/process/protocol/shapes.ts";
import { sampleOf } from "./samples.ts";

/** The `result` or `error` of an answer. */
export function hostAnswer(method: string, host: "grants" | "refuses"): JsonObject {
  const needsGrant = !ALWAYS_ANSWERED.has(method);
  if (host === "refuses" && needsGrant)
    return {
      error: { code: ERROR_CODES.denied, message: `the suite refuses ${method}, to see what you do then` },
    };
  const shape = METHODS.addonToHost[method]?.result;
  const $defs = SHAPES as unknown as JsonObject;
  const plainest = shape === undefined ? {} : sampleOf({ $ref: `#/$defs/${shape}` }, { $defs });
  return { result: (RESULTS[method] ?? plainest) as JsonObject };
}

const ALWAYS_ANSWERED: ReadonlySet<string> = new Set<keyof AddonToHost>(["log", "diagnostic", "ui/offers"]);

const RESULTS: { readonly [Method in string]?: object } = {
  exec: { stdout: "sample\n", stderr: "", code: 0 },
  fetch: { status: 200, headers: { "content-type": "text/plain" }, text: "sample\n" },
  "ui/offers": { status: true, render: true, ask: true },
  "ui/select": { choice: 0 },
  "ui/confirm": { isConfirmed: true },
  "ui/input": { text: "sample" },
} satisfies Partial<{ readonly [Method in keyof AddonToHost]: AddonToHost[Method]["result"] }>;
