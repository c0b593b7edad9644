// How a replayed session differs from its log, line by line, and who caused it, as far as the two logs name anyone.

import type { JsonValue } from "indusagi/core";
import type { Change, Entry } from "../../conductor/contract.ts";
import { toolChangesOf } from "../../conductor/tool-changes.ts";
import type { CallDecision } from "../../deck/contract.ts";
import type { TapedLine } from "./tape.ts";

export interface Difference {
  /** The number of the person's line, from 1. */
  readonly line: number;
  /** The log entry that is different now; absent if the log has none there. */
  readonly entry?: number | undefined;
  readonly what: "request" | "answer" | "call" | "decision" | "outcome" | "end";
  /** The tool, or the part of the request. */
  readonly of: string;
  readonly recorded: string;
  readonly now: string;
  /** Features, and rules with their locations; empty if the logs name nobody. */
  readonly by: readonly string[];
}

/** One comparable part of a line. */
interface Item {
  readonly what: Difference["what"];
  readonly of: string;
  readonly entry?: number | undefined;
  readonly text: string;
  readonly by: readonly string[];
}

/** The first difference of each line, and each new difference in the prompt, in order. */
export function compareLines(
  recorded: readonly TapedLine[],
  played: readonly TapedLine[],
  ownerOf: (tool: string) => string | undefined,
): readonly Difference[] {
  const prompts = [recorded, played].map((lines) => promptsOf(lines));
  const toldPrompts = new Set<string>();
  return recorded.flatMap((line, at) => {
    const ofPrompt = comparePrompts(prompts[0]?.[at], prompts[1]?.[at], ownerOf)
      .filter(({ of, recorded: was, now }) => {
        const key = JSON.stringify([of, was, now]);
        return !toldPrompts.has(key) && toldPrompts.add(key);
      })
      .map((each) => ({ ...each, line: at + 1 }));
    const first = firstDifference(itemsOf(line.entries), itemsOf(played[at]?.entries ?? []));
    return first ? [...ofPrompt, { ...first, line: at + 1 }] : ofPrompt;
  });
}

type Found = Omit<Difference, "line">;
const NOTHING = "nothing";

function firstDifference(was: readonly Item[], is: readonly Item[]): Found | undefined {
  for (let at = 0; at < Math.max(was.length, is.length); at++) {
    const [old, now] = [was[at], is[at]];
    if (old && now && old.what === now.what && old.of === now.of && old.text === now.text) continue;
    const shown = now ?? old;
    if (!shown) return undefined;
    return {
      what: shown.what,
      of: shown.of,
      entry: old?.entry,
      recorded: told(old, shown),
      now: told(now, shown),
      by: [...new Set([...(now?.by ?? []), ...(old?.by ?? [])])],
    };
  }
  return undefined;
}

/** If the two are of different kinds, each says what it is. */
function told(item: Item | undefined, shown: Item): string {
  if (item === undefined) return NOTHING;
  return item.what === shown.what && item.of === shown.of
    ? item.text
    : `${item.what} ${item.of}: ${item.text}`;
}

function itemsOf(entries: readonly Entry[]): readonly Item[] {
  const decisions = new Map<string, CallDecision>();
  const items: Item[] = [];
  const ends = entries.findIndex(({ type }) => type === "end");
  // Entries after the end are the person's own actions between two lines.
  for (const entry of ends < 0 ? entries : entries.slice(0, ends + 1)) {
    // Ids are unique only within one request: the next one can reuse them.
    if (entry.type === "decision" && entry.decision.callId !== undefined)
      decisions.set(entry.decision.callId, entry.decision);
    for (const item of itemsOfEntry(entry, decisions)) items.push({ ...item, entry: entry.n });
    if (entry.type === "tool") decisions.delete(entry.callId);
  }
  // A kill leaves no end: the line stopped there.
  if (ends < 0) items.push(item("end", "the line", "stopped"));
  return items;
}

function itemsOfEntry(entry: Entry, decisions: ReadonlyMap<string, CallDecision>): readonly Item[] {
  switch (entry.type) {
    case "user":
      return [item("request", "line", textOf(entry.content), featuresOf(entry.changes))];
    case "veto":
      return [item("request", entry.event, entry.reason, [entry.by.feature])];
    case "notice":
      // The host's own notices depend on the day: the time, what others did meanwhile.
      return isFeature(entry.origin) ? [item("request", "notice", entry.text, [entry.origin])] : [];
    case "context":
      return [
        item(
          "request",
          "context",
          textOf([entry.from, entry.remove, entry.insert]),
          featuresOf(entry.changes),
        ),
      ];
    case "summary":
      return [item("request", "summary", entry.text, featuresOf(entry.changes))];
    case "assistant":
      return [item("answer", "the model", textOf(entry.message.content), featuresOf(entry.changes))];
    case "tool": {
      const { name, callId, input, state, text, changes = [], feature } = entry;
      const decision = decisions.get(callId);
      const [before, after] = [changes.filter(isBefore), changes.filter((each) => !isBefore(each))];
      const named = [...text.matchAll(/\((\w+:[\w.-]+)\)/g)].flatMap(([, id = ""]) =>
        isFeature(id) ? id : [],
      );
      const own = feature !== undefined && isFeature(feature) ? [feature] : [];
      return [
        item("call", name, input === undefined ? "as the model sent it" : textOf(input), featuresOf(before)),
        // A call that a gate stops has no decision.
        decision
          ? item("decision", name, decisionText(decision), deciders(decision))
          : item("decision", name, state === "refused" ? text : NOTHING, named),
        item("outcome", name, `${state}: ${text}`, [
          ...featuresOf(after),
          ...(state === "refused" ? named : []),
          ...own,
        ]),
      ];
    }
    case "end":
      return [item("end", "the line", ENDED_WELL.has(entry.how) ? "complete" : "stopped")];
    default:
      return [];
  }
}

/** Earlier logs call an answer complete that was cut or refused. */
const ENDED_WELL: ReadonlySet<Extract<Entry, { type: "end" }>["how"]> = new Set([
  "complete",
  "truncated",
  "refused",
]);

function item(what: Item["what"], of: string, text: string, by: readonly string[] = []): Item {
  return { what, of, text, by };
}

const isBefore = ({ at }: Change): boolean =>
  at === "tool:before" || at === "intercept:enter" || at === "shell:env";

function featuresOf(changes: readonly Change[] = []): readonly string[] {
  return changes.map(({ feature }) => feature);
}

function isFeature(id: string): boolean {
  return id.includes(":") && !id.startsWith("builtin:");
}

function decisionText({ outcome, answer, rulings }: CallDecision): string {
  const asked = answer === undefined ? "" : `, answered ${answer}`;
  return `${outcome}${asked}: ${rulings.map(({ what, outcome: each, why }) => `${what}: ${each}, ${why}`).join("; ")}`;
}

function deciders({ rulings, by, changedBy = [] }: CallDecision): readonly string[] {
  const rules = rulings.flatMap(({ rule, place = "a rule" }) =>
    rule === undefined ? [] : `${place}: ${rule}`,
  );
  return [...rules, ...(by === undefined ? [] : [by]), ...changedBy];
}

function textOf(value: unknown): string {
  const blocks = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  const texts = blocks.flatMap((block) =>
    typeof block === "object" && block !== null && "text" in block && block.kind === "text" ? block.text : [],
  );
  return texts.length > 0 && texts.length === blocks.length ? texts.join("\n") : JSON.stringify(value);
}

type Prompt = Extract<Entry, { readonly type: "prompt" }>;

/** For each line, the prompt in force at its end. */
function promptsOf(lines: readonly TapedLine[]): readonly (Prompt | undefined)[] {
  let inForce: Prompt | undefined;
  return lines.map(({ entries }) => {
    inForce = entries.findLast((entry) => entry.type === "prompt") ?? inForce;
    return inForce;
  });
}

function comparePrompts(
  was: Prompt | undefined,
  is: Prompt | undefined,
  ownerOf: (tool: string) => string | undefined,
): readonly Found[] {
  if (!was || !is) return [];
  const { n: entry } = was;
  const differs = (of: string, recorded: string, now: string, by: readonly string[] = []): Found[] =>
    recorded === now ? [] : [{ what: "request", of, entry, recorded, now, by }];
  const tools = toolChangesOf(was.tools, is.tools, ownerOf);
  const [before, after] = firstOther(was.system, is.system);
  const by = featuresOf([...(is.changes ?? []), ...(was.changes ?? [])]);
  return [
    ...differs("model", was.model, is.model, by),
    ...differs("parameters", JSON.stringify(was.params), JSON.stringify(is.params), by),
    ...tools.flatMap(({ tool, how, feature }) =>
      differs("tools", `${tool} ${how === "added" ? "is absent" : "is present"}`, `${tool} ${how}`, [
        ...(feature === undefined ? [] : [feature]),
      ]),
    ),
    ...differs("system prompt", before, after),
  ];
}

/** The first line in which two texts differ, from each of them. */
function firstOther(a: string, b: string): readonly [string, string] {
  const [first, second] = [a.split("\n"), b.split("\n")];
  const at = first.findIndex((line, index) => line !== second[index]);
  if (at >= 0) return [first[at] ?? "", second[at] ?? NOTHING];
  return first.length === second.length ? ["", ""] : [NOTHING, second[first.length] ?? ""];
}
