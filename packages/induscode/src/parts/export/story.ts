// A log as people read it: turns, each a line from the person and its results, with what it used and who changed what.

import { relative, resolve } from "node:path";
import { isInside, isTable, type JsonValue } from "indusagi/core";
import type { ImageBlock, StopReason, Usage } from "indusagi/llmgateway";
import { toolDetails, toolTitle } from "../../conductor/call-facts.ts";
import type { Change, Entry, UserContent } from "../../conductor/contract.ts";
import { NO_USAGE, sumUsage } from "../../conductor/usage.ts";

/** The items of a turn, in order of arrival. */
export type StoryItem = { readonly changes: readonly string[] } & (
  | {
      readonly kind: "answer";
      readonly text: string;
      readonly thinking: string;
      readonly stop: StopReason | "interrupted";
    }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly title: string;
      readonly state: string;
      readonly status: string;
      readonly ms: number;
      readonly input: JsonValue;
      readonly text: string;
      readonly diff: string;
      /** The feature that owns the tool, unless it is built in. */
      readonly feature: string;
      readonly images: readonly ImageBlock[];
    }
  /** Other actions of the host, a feature or the person. */
  | { readonly kind: "note"; readonly label: string; readonly text: string }
);

export interface StoryTurn {
  readonly at: number;
  /** What the person typed. */
  readonly said: string;
  readonly images: readonly ImageBlock[];
  readonly changes: readonly string[];
  readonly items: readonly StoryItem[];
  readonly usage: Usage;
  readonly dollars: number;
  readonly ms: number;
}

export interface Story {
  readonly id: string;
  readonly title: string;
  readonly folder: string;
  readonly version: string;
  readonly models: readonly string[];
  readonly turns: readonly StoryTurn[];
  /** Each file that was written. */
  readonly files: readonly WrittenFile[];
}

/** A file with its turns, counted from 1, and the features that changed a call which wrote it. */
export interface WrittenFile {
  readonly path: string;
  readonly turns: readonly number[];
  readonly by: readonly string[];
  /** What wrote it in each turn: tools, or `commands` where a checkpoint alone tells of it. */
  readonly writers: readonly { readonly turn: number; readonly tools: readonly string[] }[];
}

type Open = { -readonly [Name in keyof StoryTurn]: StoryTurn[Name] } & { items: StoryItem[] };

export function storyOf(entries: readonly Entry[]): Story {
  const head = entries.find((entry) => entry.type === "session");
  const turns: Open[] = [];
  const models = new Set<string>();
  const files = new Map<string, { writers: Map<number, Set<string>>; by: Set<string> }>();
  const writtenIn = (path: string, turn: number) => {
    const file = files.get(path) ?? { writers: new Map<number, Set<string>>(), by: new Set<string>() };
    files.set(path, file);
    const tools = file.writers.get(turn) ?? new Set();
    file.writers.set(turn, tools);
    return { tools, by: file.by };
  };
  const calls = new Map<string, JsonValue>();
  const open = (at: number): Open => {
    const last = turns.at(-1);
    if (last) return last;
    const first = emptyTurn(at);
    turns.push(first);
    return first;
  };
  let isOver = false; // what comes after a turn's end may come days later
  for (const entry of entries) {
    if (entry.type === "user" && entry.via === "submit") {
      const changes = changesOf(entry.changes);
      turns.push({ ...emptyTurn(entry.at), ...spoken(entry.typed ?? entry.content), changes });
      isOver = false;
      continue;
    }
    const items = itemsOf(entry, calls);
    if (entry.type === "prompt") models.add(entry.model);
    if (turns.length === 0 && items.length === 0) continue; // nothing before the first line matters here
    const turn = open(entry.at);
    turn.items.push(...items);
    if (!isOver && (items.length > 0 || entry.type === "end")) turn.ms = entry.at - turn.at;
    if (entry.type === "end") isOver = true;
    if ("usage" in entry && entry.usage) {
      turn.usage = sumUsage(turn.usage, entry.usage);
    }
    if ("cost" in entry && entry.type !== "end") turn.dollars += entry.cost ?? 0;
    if (entry.type === "tool")
      for (const path of writtenBy(entry, calls)) {
        const { tools, by } = writtenIn(relativeTo(head?.cwd, path), turns.length);
        tools.add(entry.name);
        for (const { feature } of entry.changes ?? []) by.add(feature);
      }
    if (entry.type === "checkpoint")
      for (const { path } of entry.files) {
        const { tools } = writtenIn(path, turns.length);
        if (tools.size === 0) tools.add("commands");
      }
  }
  const name = entries.findLast((entry) => entry.type === "title");
  return {
    id: head?.id ?? "",
    title: name?.text ?? turns[0]?.said.split("\n", 1)[0]?.slice(0, 120) ?? "",
    folder: head?.cwd ?? "",
    version: head?.version ?? "",
    models: [...models],
    turns,
    files: Array.from(files, ([path, { writers, by }]) => ({
      ...{ path, turns: [...writers.keys()], by: [...by] },
      writers: Array.from(writers, ([turn, tools]) => ({ turn, tools: [...tools] })),
    })),
  };
}

function emptyTurn(at: number): Open {
  return { at, said: "", images: [], changes: [], items: [], usage: NO_USAGE, dollars: 0, ms: 0 };
}

function itemsOf(entry: Entry, calls: Map<string, JsonValue>): readonly StoryItem[] {
  const note = (label: string, text: string): readonly StoryItem[] => [
    { kind: "note", label, text, changes: "changes" in entry ? changesOf(entry.changes) : [] },
  ];
  switch (entry.type) {
    case "user":
      return note("sent while the model was working", spoken(entry.typed ?? entry.content).said);
    case "assistant": {
      const said = (kind: "text" | "thinking"): string =>
        entry.message.content.flatMap((block) => (block.kind === kind ? [block.text] : [])).join("\n\n");
      for (const block of entry.message.content)
        if (block.kind === "tool_call") calls.set(block.id, block.input);
      const [text, thinking] = [said("text"), said("thinking")];
      const changes = changesOf(entry.changes);
      if (text.trim() === "" && thinking.trim() === "" && changes.length === 0) return [];
      return [{ kind: "answer", text, thinking, stop: entry.stop, changes }];
    }
    case "tool": {
      const input = entry.input ?? calls.get(entry.callId) ?? {};
      const details = toolDetails(entry.output);
      const told = isTable(details) && typeof details.diff === "string" ? details.diff : "";
      const diff = entry.diff ?? told;
      return [
        ...(entry.by === undefined ? [] : note(`called by ${entry.by}`, "")),
        {
          kind: "tool",
          name: entry.name,
          title: toolTitle(input),
          state: entry.state,
          status: entry.status ?? "",
          ms: entry.durationMs,
          input,
          text: entry.text,
          diff,
          feature: entry.feature?.startsWith("builtin:") ? "" : (entry.feature ?? ""),
          images: entry.images ?? [],
          changes: changesOf(entry.changes),
        },
      ];
    }
    case "notice":
      return note(`notice from ${entry.origin}`, entry.text);
    case "summary":
      return note("everything before this was replaced by a summary", entry.text);
    case "jump":
      return entry.summary === undefined ? [] : note("a summary of the branch that was left", entry.summary);
    case "clear":
      return note("the model's context was cleared", "");
    case "veto":
      return note(`${entry.by.feature} vetoed ${entry.event}`, entry.reason);
    case "context":
      return entry.changes?.length ? note("a request was changed", "") : [];
    case "prompt":
      return entry.toolChanges
        ? note(
            "the model's tools changed",
            entry.toolChanges
              .map(({ tool, how, feature }) => `${tool} ${how}${feature ? ` (${feature})` : ""}`)
              .join(", "),
          )
        : [];
    case "decision":
      return entry.decision.outcome === "refused"
        ? note(
            `a call to ${entry.decision.tool} was refused`,
            entry.decision.rulings.map(({ what, why }) => `${what}: ${why}`).join("\n"),
          )
        : [];
    case "end":
      return entry.how === "complete" ? [] : note(`the task ended: ${entry.how}`, entry.fault?.message ?? "");
    default:
      return []; // facts that nobody reads in a transcript; the JSON export has them
  }
}

function spoken(content: UserContent): { readonly said: string; readonly images: readonly ImageBlock[] } {
  return {
    said: content.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n\n"),
    images: content.filter((block) => block.kind === "image"),
  };
}

function changesOf(changes: readonly Change[] = []): readonly string[] {
  return changes.map(
    ({ feature, at, detail }) => `${feature} at ${at}${detail === undefined ? "" : ` (${detail})`}`,
  );
}

/** As checkpoints name it: relative to the session's folder, if it is in there. */
function relativeTo(folder: string | undefined, path: string): string {
  if (folder === undefined) return path;
  const absolute = resolve(folder, path);
  return isInside(folder, absolute) ? relative(folder, absolute) : path;
}

const WRITERS: ReadonlySet<string> = new Set(["write", "edit"]);

function writtenBy(
  { name, state, input, callId }: Extract<Entry, { type: "tool" }>,
  calls: ReadonlyMap<string, JsonValue>,
): readonly string[] {
  const given = input ?? calls.get(callId);
  const path = isTable(given) ? given.path : undefined;
  return WRITERS.has(name) && state === "ok" && typeof path === "string" ? [path] : [];
}
