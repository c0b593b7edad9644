// What the refusals of a server have taught about each of its models: the fields that it does not take, and what it
// wants beside what it was sent. What one model refuses another of the same server may need.

import type { ModelResult } from "../../contract.ts";
import { refusedWith } from "../../wire-call.ts";
import type { OptionalField } from "./request.ts";

// A server names the field that it does not know. Each can be learnt once, so a request is repeated a few times
// at most, and only the first request of a session is.
const LEARNABLE: readonly OptionalField[] = [
  "stream_options",
  "max_tokens",
  "temperature",
  "reasoning_effort",
  "reasoning_details",
  "reasoning_content",
  "reasoning",
];

// DeepSeek and Moonshot, behind an answer that came without thinking or from another model.
const WANTS_THOUGHTS =
  /reasoning_content\b.{0,80}(missing|required|must be (passed|provided|present|included))|missing.{0,40}reasoning_content/i;

export interface Learnt {
  readonly refused: ReadonlySet<OptionalField>;
  readonly wantsThoughts: boolean;
}

export interface Lessons {
  readonly about: (model: string) => Learnt;
  /** Whether `result` taught something new about `model`, so that it is worth asking again. */
  readonly learn: (model: string, result: ModelResult) => boolean;
}

export function createLessons(): Lessons {
  const models = new Map<string, { readonly refused: Set<OptionalField>; wantsThoughts: boolean }>();
  const about = (model: string) => {
    const known = models.get(model) ?? { refused: new Set<OptionalField>(), wantsThoughts: false };
    models.set(model, known);
    return known;
  };
  return {
    about,
    learn(model, result) {
      const known = about(model);
      if (!known.wantsThoughts && refusedWith(result, WANTS_THOUGHTS)) {
        known.wantsThoughts = true;
        return true;
      }
      const named = LEARNABLE.find(
        (field) => !known.refused.has(field) && refusedWith(result, new RegExp(`\\b${field}\\b`)),
      );
      if (named !== undefined) known.refused.add(named);
      return named !== undefined;
    },
  };
}
