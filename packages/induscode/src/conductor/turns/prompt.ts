// What precedes the messages of a session's requests: its prompt, and its tools as the model reads them.

import { nowMs } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llmgateway";
import type { Deck } from "../../deck/contract.ts";
import type { HookDispatch } from "../../feature/handler.ts";
import type { NO_MASK } from "../masked.ts";
import type { ModelInUse } from "../model-in-use.ts";
import type { SessionRecord } from "../record.ts";
import { buildParams } from "../session-hooks.ts";
import { toolChangesOf } from "../tool-changes.ts";

/** A system prompt and the time it was written for. */
export interface SystemPrompt {
  readonly text: string;
  readonly clock: number;
}

export interface PromptText {
  /** The same until it is composed anew, so that the prefix stays the same. */
  readonly system: () => SystemPrompt;
  readonly tools: () => readonly ToolDescriptor[];
  /** Composes it anew with the next request: another session takes this one's place, or what the prompt is made of has changed. */
  readonly restart: () => void;
}

/** `compose` writes the system prompt as of a moment. A resumed session keeps the moment of its logged prompt. */
export function createPromptText(
  record: Pick<SessionRecord, "fold">,
  compose: (clock: number) => string,
  deck: Pick<Deck, "descriptors">,
  mask: typeof NO_MASK,
): PromptText {
  let system: SystemPrompt | undefined;
  let tools: { readonly from: Deck["descriptors"]; readonly masked: readonly ToolDescriptor[] } | undefined;
  return {
    system() {
      if (system === undefined) {
        const clock = record.fold().clock ?? nowMs();
        system = { text: mask.text(compose(clock)), clock };
      }
      return system;
    },
    /** Masked once for each set of tools. */
    tools() {
      if (tools?.from !== deck.descriptors)
        tools = { from: deck.descriptors, masked: mask.value(deck.descriptors) };
      return tools.masked;
    },
    restart() {
      system = undefined;
    },
  };
}

interface PromptDeps {
  readonly record: SessionRecord;
  readonly hooks: HookDispatch;
  readonly deck: Pick<Deck, "ownerOf">;
  readonly models: ModelInUse;
  readonly prompt: PromptText;
}

/** Logs the prompt if it differs from the one in force, before anything is sent under it. */
export async function ensurePrompt(
  { record, hooks, deck, models, prompt: { system, tools } }: PromptDeps,
  signal: AbortSignal,
): Promise<void> {
  const { text, clock } = system();
  const wanted = { model: models.name(), system: text, tools: tools() };
  const { params, ...changes } = await buildParams(
    hooks,
    { name: wanted.model, params: models.params() },
    signal,
  );
  const { prompt } = record.fold();
  const isSame =
    prompt?.model === wanted.model &&
    prompt.system === wanted.system &&
    isSameJson(prompt.tools, wanted.tools) &&
    isSameJson(prompt.params, params);
  if (isSame) return;
  const toolChanges = prompt ? toolChangesOf(prompt.tools, wanted.tools, deck.ownerOf) : [];
  const changed = toolChanges.length === 0 ? {} : { toolChanges };
  record.append({ type: "prompt", ...wanted, params, clock, ...changed, ...changes });
}

// A value read back from a log is never the original object; each pair is compared once, not at every call.
const knownSame = new WeakMap<object, object>();

function isSameJson(logged: object, wanted: object): boolean {
  if (logged === wanted || knownSame.get(logged) === wanted) return true;
  const same = JSON.stringify(logged) === JSON.stringify(wanted);
  if (same) knownSame.set(logged, wanted);
  return same;
}
