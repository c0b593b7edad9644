// What an addon answers to `describe`, card by card: one that does not fit costs that one alone, and is named.

import type { JsonValue } from "indusagi/core";
import type { SkippedContribution } from "../../../feature/install-report.ts";
import { oneLine } from "../../../feature/registration/one-line.ts";
import { checkShape } from "./check-message.ts";
import type {
  CapabilityRequest,
  CommandCard,
  HandlerCard,
  InterceptorCard,
  Registration,
  TaskCard,
  ToolCard,
} from "./messages.ts";

/** A card with its index in what the addon answered, by which it is called. */
export type Placed<Card> = Card & { readonly place: number };

/** A registration of which every part fits. */
export interface ReadRegistration {
  readonly id: string | undefined;
  readonly version: string | undefined;
  readonly onFailure: Registration["onFailure"] | undefined;
  readonly handlers: readonly Placed<HandlerCard>[];
  readonly interceptors: readonly Placed<InterceptorCard>[];
  readonly commands: readonly CommandCard[];
  readonly tools: readonly ToolCard[];
  readonly tasks: readonly TaskCard[];
  readonly capabilities: readonly CapabilityRequest[];
  readonly instructions: string | undefined;
  /** What the addon says that it leaves out, then what does not fit. */
  readonly skipped: readonly SkippedContribution[];
  /** What else is left out, one sentence each. */
  readonly notes: readonly string[];
}

/** As many of a kind as an addon may register (`maxItems` of the schema). */
const MAX_OF_A_KIND = 200;
const MAX_NAME_BYTES = 64;

/**
 * {@link readRegistration} for an MCP server: its tools, its prompts and its words. Its program runs in one sandbox with ours, as the same
 * user, and may have changed it: what only an addon contributes is left out.
 */
export function readServerRegistration(answer: Registration): ReadRegistration {
  const read = readRegistration(answer);
  const { handlers, interceptors, tasks, notes } = read;
  const isMore = handlers.length + interceptors.length + tasks.length > 0;
  return {
    ...read,
    ...{ handlers: [], interceptors: [], tasks: [], capabilities: [], onFailure: undefined },
    notes: isMore ? [...notes, "an MCP server contributes no hooks and no tasks: they are left out"] : notes,
  };
}

/** Reads an answer that the connection has accepted (`checkResult`). */
export function readRegistration(answer: Registration): ReadRegistration {
  const skipped: SkippedContribution[] = [];
  const notes: string[] = [];
  const leaveOut = (kind: SkippedContribution["kind"], name: string, reason: string): void => {
    skipped.push({ kind, name: oneLine(name, MAX_NAME_BYTES), reason });
  };

  /** The cards of a list that fit. `refuse` is called for each other one, or for the list. */
  function cardsIn<Card>(
    list: keyof Registration,
    shape: string,
    refuse: (given: JsonValue, place: string, problem: string) => void,
  ): readonly Placed<Card>[] {
    const given = (answer as unknown as Readonly<Record<string, JsonValue>>)[list] ?? [];
    if (!Array.isArray(given)) {
      refuse(null, list, `${list} must be a list`);
      return [];
    }
    const more = given.length - MAX_OF_A_KIND;
    if (more > 0)
      refuse(null, `${more} more ${list}`, `an addon has at most ${MAX_OF_A_KIND}, found ${given.length}`);
    return given.slice(0, MAX_OF_A_KIND).flatMap((card: JsonValue, place) => {
      const problem = checkShape(shape, card);
      if (problem === undefined) return [{ ...(card as object as Card), place }];
      refuse(card, `${list}[${place}]`, problem);
      return [];
    });
  }

  /** Cards that are named in one of their fields. */
  const named = <Card>(
    list: keyof Registration,
    shape: string,
    kind: SkippedContribution["kind"],
    field: string,
    prefix = "",
  ): readonly Placed<Card>[] =>
    cardsIn(list, shape, (card, place, problem) => {
      const name = typeof card === "object" && !Array.isArray(card) ? card?.[field] : undefined;
      leaveOut(kind, typeof name === "string" && name !== "" ? `${prefix}${name}` : place, problem);
    });
  const noted = (_card: JsonValue, place: string, problem: string): void => {
    notes.push(`${place} is left out: ${problem}`);
  };

  for (const { kind, name, reason } of cardsIn<SkippedContribution>("skipped", "SkippedCard", noted))
    leaveOut(kind, name, reason);
  const { id, onFailure } = answer;
  const version: JsonValue = answer.version ?? null;
  if (version !== null && typeof version !== "string")
    notes.push(`its version is left out: it must be a string, found ${JSON.stringify(version).slice(0, 40)}`);
  return {
    id,
    version: typeof version === "string" ? version : undefined,
    onFailure,
    handlers: named("handlers", "HandlerCard", "hook", "event"),
    interceptors: named("interceptors", "InterceptorCard", "hook", "match", "intercept:"),
    commands: named("commands", "CommandCard", "command", "name"),
    tools: named("tools", "ToolCard", "tool", "name"),
    tasks: named("tasks", "TaskCard", "task", "id"),
    capabilities: cardsIn("capabilities", "CapabilityRequest", noted),
    instructions: answer.instructions,
    skipped,
    notes,
  };
}
