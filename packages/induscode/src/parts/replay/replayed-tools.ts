// The tools of a replayed session. Results of indus' own tools come from the log, so nothing is run: no command, no network request, no
// delegate, no question. Files are written in the copy as they were then. An addon's tools do run.

import { coerceInput, confinedTo, localFs, scopedFs } from "indusagi/capabilities";
import { isSameJson, type JsonValue } from "indusagi/core";
import type { ToolOutcome } from "indusagi/runtime";
import type { Entry } from "../../conductor/contract.ts";
import { ENTER_PLAN, EXIT_PLAN, PERSON } from "../../deck/builtins/person-desk.ts";
import type { Perform } from "../../deck/contract.ts";
import type { TapedLine } from "./tape.ts";

type ToolEntry = Extract<Entry, { readonly type: "tool" }>;

export interface ReplayedTools {
  readonly perform: Perform;
  /** Answers this line's calls from now on; `onCancelled` is called for a call that was cancelled. */
  readonly begin: (line: TapedLine, onCancelled: () => void) => void;
}

const UNKNOWN =
  "Not run: in a replay, the built-in tools answer from the log, which has no answer to a call with these arguments.";
/** Features whose calls are repeated in the copy, for their side effects. */
const DONE_AGAIN: readonly string[] = ["builtin:files", "builtin:planning"];

export function createReplayedTools(cwd: string): ReplayedTools {
  // Ids are unique only within one request: the next one can reuse them.
  let told = new Map<string, { readonly entry: ToolEntry; readonly input: JsonValue }[]>();
  let cancel = (): void => undefined;
  return {
    begin({ entries }, onCancelled) {
      cancel = onCancelled;
      told = new Map();
      const inputs = new Map<string, JsonValue>();
      for (const entry of entries) {
        if (entry.type === "assistant")
          for (const block of entry.message.content)
            if (block.kind === "tool_call") inputs.set(block.id, block.input);
        if (entry.type === "tool")
          told.set(entry.callId, [
            ...(told.get(entry.callId) ?? []),
            { entry, input: entry.input ?? inputs.get(entry.callId) ?? {} },
          ]);
      }
    },
    async perform(call, { feature, context, run }): Promise<ToolOutcome> {
      if (!feature.startsWith("builtin:")) return run(context);
      const found = told.get(call.id)?.shift();
      if (!found || !isSameJson(coerceInput(found.input), call.input))
        return { id: call.id, output: UNKNOWN, isError: true };
      const { state, output, text, name } = found.entry;
      if (state === "cancelled") cancel();
      if (state === "ok" && DONE_AGAIN.includes(feature)) {
        const fs = scopedFs(localFs(), confinedTo(cwd));
        await run({ ...context, fs }).catch(() => undefined); // the logged answer is used instead
      }
      const desk = context.framework.session?.get(PERSON);
      if (state === "ok" && name === ENTER_PLAN) desk?.beginPlan();
      if (state === "ok" && name === EXIT_PLAN) desk?.endPlan(); // the mode that was chosen then is an entry
      return { id: call.id, output: output ?? text, isError: state !== "ok" };
    },
  };
}
