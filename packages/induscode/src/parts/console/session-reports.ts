// What commands report about a session, from its log.

import { isTable } from "indusagi/core";
import { estimateTokens } from "../../briefing/token-estimate.ts";
import { branchOf } from "../../conductor/branch.ts";
import type { Entry } from "../../conductor/contract.ts";
import { lastInputOf } from "../../conductor/recall.ts";
import { formatCount, plural } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";
import { definitionOf, serverOf } from "../../deck/offered-tools.ts";
import { FIND_TOOLS, isServerTool } from "../../feature/tool-names.ts";
import { loggedEntries } from "../../session/logs/logged-entries.ts";
import { windowOf } from "../../session/models/window-of.ts";
import type { SessionFront, SessionHere } from "../../session/session-here.ts";
import { answerIn, copyText } from "./terminal-commands.ts";

type Facts = Pick<SessionHere, "conductor">;

const BAR = 30;

interface Share {
  readonly name: string;
  readonly tokens: number;
}

/** What fills the context window, each part as a bar. */
export async function contextReport(session: SessionHere): Promise<string> {
  const { conductor, features, models } = session;
  const { model, contextTokens: last } = conductor.status();
  const known = await windowOf(models, model).catch(() => undefined);
  const window = known === Number.MAX_SAFE_INTEGER ? undefined : known; // a recording takes all
  const owners = new Map(features.registry.tools.map(({ tool, feature }) => [tool.name, feature]));
  const entries = loggedEntries(session.conductor);
  const parts = contextParts(entries, owners);
  if (parts.length === 0) return "The model has seen nothing yet.";
  const counted = await conductor.countTokens(new AbortController().signal);
  const contextTokens = counted ?? last;
  const where = counted === undefined ? "in the last request" : "in the next request, as the provider counts";
  const sum = parts.reduce((total, { tokens }) => total + tokens, 0);
  const whole = window ?? Math.max(sum, contextTokens, 1);
  const free =
    window === undefined
      ? []
      : [{ name: "free", tokens: Math.max(0, window - Math.max(sum, contextTokens)) }];
  const shown = [...parts, ...free];
  const widest = Math.max(...shown.map(({ name }) => name.length));
  const rows = shown.map(({ name, tokens }) => {
    const share = tokens / whole;
    const cells = tokens === 0 ? 0 : Math.max(1, Math.round(share * BAR));
    const bar = (name === "free" ? "░" : "█").repeat(Math.min(BAR, cells)).padEnd(BAR);
    return `  ${name.padEnd(widest)}  ${bar}  ${formatCount(tokens).padStart(7)}  ${(share * 100).toFixed(1).padStart(5)} %`;
  });
  const head =
    window === undefined
      ? `${model}: ${formatCount(contextTokens)} tokens ${where}; its window is unknown`
      : `${model}: ${formatCount(contextTokens)} of ${formatCount(window)} tokens ${where}`;
  const besides = [styleLine(session), deferredLine(session, entries), leftOutLine(session)].filter(
    (line) => line !== "",
  );
  return [head, ...rows, ...besides, "  Parts are estimated by length."].join("\n");
}

function styleLine({ outputStyles }: SessionHere): string {
  const style = outputStyles.inForce();
  if (style === undefined) return "";
  const tokens = formatCount(estimateTokens(style.body));
  return `  The prompt has the output style ${printableLine(style.name)}, about ${tokens} tokens.`;
}

/** What the requests only name. */
function deferredLine({ features }: Pick<SessionHere, "features">, entries: readonly Entry[]): string {
  const prompt = entries.findLast((entry) => entry.type === "prompt");
  if (prompt?.type !== "prompt") return "";
  const described = new Set(prompt.tools.map(({ name }) => name));
  if (!described.has(FIND_TOOLS)) return "";
  const deferred = features.registry.tools.filter(
    ({ tool, resources }) => isServerTool(tool.name) && resources === undefined && !described.has(tool.name),
  );
  const tokens = deferred.reduce((sum, each) => sum + estimateTokens(JSON.stringify(definitionOf(each))), 0);
  const servers = [...new Set(deferred.map(serverOf))].map((server) => printableLine(server, 40)).join(", ");
  return `  Listed by name only: ${plural(deferred.length, "tool")} of ${servers}. Their definitions, about ${formatCount(tokens)} tokens, are loaded when needed.`;
}

function leftOutLine({ features }: Pick<SessionHere, "features">): string {
  const left = features.registry.reports.flatMap(({ feature, skipped }) => {
    const tools = skipped.filter(({ kind }) => kind === "tool").length;
    return tools === 0 ? [] : [`${plural(tools, "tool")} of ${printableLine(feature, 40)}`];
  });
  return left.length === 0 ? "" : `  Left out: ${left.join(", ")}; indus addons says why.`;
}

/** The name of the addon that a part belongs to; undefined for built-in parts and for the host. */
function addonOf(owner = ""): string | undefined {
  return owner.includes(":") && !owner.startsWith("builtin:")
    ? `addon ${printableLine(owner, 40)}`
    : undefined;
}

/** The parts of the next request, as estimates; `owners` maps tools to the features that brought them. */
function contextParts(entries: readonly Entry[], owners: ReadonlyMap<string, string>): readonly Share[] {
  const prompt = entries.findLast((entry) => entry.type === "prompt");
  const branch = branchOf(entries);
  const cut = branch.findLastIndex(({ type }) => type === "clear" || type === "summary");
  const since = branch.slice(Math.max(0, cut));
  const sizes = new Map<string, number>();
  const add = (name: string, value: unknown): void => {
    const text = typeof value === "string" ? value : JSON.stringify(value ?? "");
    sizes.set(name, (sizes.get(name) ?? 0) + estimateTokens(text));
  };
  if (prompt?.type === "prompt") {
    add("prompt", prompt.system);
    for (const tool of prompt.tools) add(addonOf(owners.get(tool.name)) ?? "built-in tools", tool);
  }
  for (const entry of since) {
    if (entry.type === "user") add("your lines", entry.content);
    else if (entry.type === "assistant") add("answers", entry.message.content);
    else if (entry.type === "tool") add(addonOf(entry.feature) ?? "tool results", entry.text);
    else if (entry.type === "summary") add("summary", entry);
    else if (entry.type === "notice")
      add(addonOf(entry.origin) ?? (entry.documents ? "documents" : "notices"), entry.text);
  }
  return Array.from(sizes, ([name, tokens]) => ({ name, tokens })).filter(({ tokens }) => tokens > 0);
}

const MARKS: Readonly<Record<string, string>> = { done: "✓", active: "▸", pending: "·" };

/** The current checklist. */
export function checklistReport(session: Facts): string {
  const input = lastInputOf(loggedEntries(session.conductor), "todo_set");
  const listed: readonly unknown[] = isTable(input) && Array.isArray(input.items) ? input.items : [];
  const items = listed.filter(isTable);
  if (items.length === 0) return "No checklist.";
  return items.map(({ text, status }) => `  ${MARKS[String(status)] ?? "·"} ${String(text)}`).join("\n");
}

/** The reply to `/copy`. */
export function copyAnswer(session: Facts, front: Pick<SessionFront, "toTerminal">): string {
  const answers = branchOf(loggedEntries(session.conductor)).map(answerIn);
  return copyText(
    answers.findLast((text) => text !== undefined),
    front,
  );
}
