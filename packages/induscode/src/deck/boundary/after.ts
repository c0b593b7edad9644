// What a result passes on its way back, after the interceptors.

import { projectOutput } from "indusagi/capabilities";
import { outcomeText } from "./outcome-text.ts";
import { outlineText } from "./outline.ts";
import type { Passage, Stage } from "./passage.ts";

/** In this order. */
export const AFTER: readonly Stage[] = [
  { name: "clamp", pass: clampText },
  { name: "tool:after", applies: ({ hooks }) => hooks.dispatcher.has("tool:after"), pass: tellFeatures },
];

/** Tools keep to the budget themselves; this is for those that do not. */
function clampText(passage: Passage): undefined {
  passage.output = projectOutput(passage.result.content);
  passage.text = outcomeText(passage.output, passage.context.budget);
}

/** They may rewrite what the model reads, but not what the host says about a call that did not run. */
async function tellFeatures(passage: Passage): Promise<undefined> {
  const { answered, call, context, hooks, result, stop, time } = passage;
  const ended = {
    name: call.name,
    callId: call.id,
    args: passage.args,
    text: passage.text,
    isError: result.isError,
  };
  const isOpen = stop !== undefined || answered === undefined;
  const { payload, changedBy } = await hooks.dispatcher.dispatch("tool:after", ended, {
    signal: context.signal,
    time,
    view: isOpen
      ? undefined
      : (feature, seen) =>
          passage.maySee(feature) ? seen : { ...seen, text: outlineText(seen.text, seen.isError) },
  });
  if (payload !== ended) passage.isRewritten = true;
  if (stop) return;
  passage.note("tool:after", changedBy);
  if (payload !== ended) passage.text = outcomeText(payload.text ?? "", context.budget);
}
