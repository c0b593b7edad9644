// The tools of a session that is played again. What indus' own tools answered is in the log, so nothing is run: no command, no
// request to a network, no delegate, no question. Files are written in the copy as they were then. An addon's tools run.

import { coerceInput, confinedTo, localFs, scopedFs } from "indusagi/capabilities";
import { isSameJson, type JsonValue } from "indusagi/core";
import type { ToolOutcome } from "indusagi/runtime";
import type { Entry } from "../../conductor/contract.ts";
import { ENTER_PLAN, EXIT_PLAN, PERSON } from "../../deck/builtins/person-desk.ts";
import type { Perform } from "../../deck/contract.ts";
import type { TapedLine } from "./tape.ts";

type ToolEntry = Extract<Entry, { readonly type: "tool" }>;

export interface ToldTools {
  readonly perform: Perform;
  /** The calls of this line are answered from now on; `onCancelled` hears of one that was stopped. */
  readonly begin: (line: TapedLine, onCancelled: () => void) => void;
}

const UNKNOWN =
  "Not run: in a replay indus' own tools answer from the log, and it has no answer to a call with these arguments.";
/** Those whose calls are done again in the copy, for what they leave there. */
const DONE_AGAIN: readonly string[] = ["builtin:files", "builtin:planning"];

export function createToldTools(cwd: string): ToldTools {
  // Ids are of one request: the next one may have them again.
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
        await run({ ...context, fs }).catch(() => undefined); // its answer is the one of the log
      }
      if (state === "ok" && (name === ENTER_PLAN || name === EXIT_PLAN))
        context.framework.session?.get(PERSON)?.setPlanning(name === ENTER_PLAN);
      return { id: call.id, output: output ?? text, isError: state !== "ok" };
    },
  };
}
