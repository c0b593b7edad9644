// `/resume` and `/sessions`: lists the sessions of this folder, searches them by what was said, and switches to another one without
// leaving the console.

import { basename } from "node:path";
import { beginningOf, describeError, endingOf, formatDollars, nowMs, printable } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";
import { branchOf, saidText } from "../../conductor/branch.ts";
import type { Conductor, Entry } from "../../conductor/contract.ts";
import { counted } from "../../conductor/log-reader.ts";
import { recallSession } from "../../conductor/recall.ts";
import { readSessionFacts, type SessionFacts } from "../../conductor/session-facts.ts";
import { listSessions, sessionFolder, sessionNames, sessionPath } from "../../conductor/sessions.ts";
import type { ConsoleList, PickItem } from "../../feature/command.ts";
import { onlySession } from "../../session/logs/only-session.ts";
import { recalledApprovals } from "../../session/permissions/recalled-approvals.ts";
import type { SessionHere } from "../../session/session-here.ts";
import { ageOf } from "./age.ts";
import { excerptOf, searchLogs } from "./session-search.ts";

/** What `/resume` operates on. */
type ResumeFacts = Pick<SessionHere, "conductor" | "home" | "cwd" | "front">;

/** The sessions listed last in a console, in the order of their numbers. */
const listed = new WeakMap<Conductor, readonly string[]>();

const USAGE =
  "Usage: /resume N or /resume ID to continue a session, /resume WORDS to find sessions with these words.";
const MAX_SHOWN = 50;
const MAX_SAID = 1_500;

export async function resumeCommand(
  words: string,
  facts: ResumeFacts,
  list: ConsoleList | undefined,
): Promise<string> {
  const { conductor, home, cwd } = facts;
  const folder = sessionFolder(home, cwd);
  const shown = listed.get(conductor) ?? [];
  if (conductor.status().busy) return "The session is busy. Wait for the answer, or stop it first.";
  try {
    if (shown.length > 0 && /^\d{1,3}$/.test(words)) {
      const byNumber = shown[Number(words) - 1];
      return byNumber === undefined ? notListed(words, shown.length) : goTo(byNumber, facts);
    }
    const names = sessionNames(folder);
    const isPrefix = words.length >= MIN_PREFIX;
    const id = isPrefix ? onlySession(names, words) : names.find((name) => name === words);
    if (id !== undefined) return goTo(id, facts);
    if (list) {
      const chosen = await list.pick("Which session?", async (typed) => find(folder, `${words} ${typed}`));
      return chosen ? goTo(chosen.id, facts) : "You stay in this session.";
    }
    return await listedSessions(words, folder, conductor);
  } catch (error) {
    if (error instanceof Problem) return describeError(error);
    throw error;
  }
}

/** Those that contain these words, each with its number. */
export async function listedSessions(words: string, folder: string, conductor: Conductor): Promise<string> {
  const found = await find(folder, words);
  if (found.length === 0)
    return words === "" ? "No sessions in this folder yet." : `No session contains "${words}".`;
  listed.set(
    conductor,
    found.map((each) => each.id),
  );
  return [...found.map(rowOf), USAGE].join("\n");
}

/** Less of an id could as well be a word that a person searches for. */
const MIN_PREFIX = 8;

function notListed(number: string, last: number): string {
  return `Session ${number} not found: the list has numbers 1 to ${last}. To search for the text ${number}: indus sessions search ${number}`;
}

interface Found extends PickItem {
  readonly id: string;
}

/** The newest sessions that contain every word of `typed`. */
async function find(folder: string, typed: string): Promise<readonly Found[]> {
  const words = typed.split(/\s+/).filter(Boolean);
  const ids =
    words.length === 0
      ? listSessions(folder)
      : [...(await searchLogs(folder, words, () => undefined))] // without a word it is listed, and why it cannot be read
          .map((path) => basename(path, ".jsonl"))
          .toSorted()
          .toReversed();
  return ids
    .slice(0, MAX_SHOWN)
    .map((id) => readSessionFacts(sessionPath(folder, id)))
    .toSorted((a, b) => b.lastAt - a.lastAt)
    .map((facts) => itemOf(facts, words.length === 0 ? "" : excerptOf(facts.path, words)));
}

function itemOf(facts: SessionFacts, excerpt: string): Found {
  const { id, folder, title, lastAt, turns, cost, state, last = "" } = facts;
  const said = [
    ageOf(lastAt, nowMs()),
    turns === undefined ? "" : counted(turns, "turn"),
    cost === undefined ? "" : formatDollars(cost),
    state,
  ];
  const preview = [
    folder === "" ? id : `${id} in ${folder}`,
    last === "" ? "" : `… ${last}`,
    excerpt === "" ? "" : `“${excerpt}”`,
  ];
  return {
    id,
    label: title === "" ? id : title,
    detail: said.filter((each) => each !== "").join(", "),
    preview: preview.filter((each) => each !== ""),
  };
}

function rowOf({ label, detail, preview = [] }: Found, at: number): string {
  const lines = [
    `  ${String(at + 1).padStart(3)}  ${label}  (${detail})`,
    ...preview.slice(1).map((row) => `       ${row}`),
  ];
  return lines.map((line) => printable(line).replaceAll(/[\r\n]+/g, " ")).join("\n");
}

function goTo(id: string, { conductor, home, cwd, front }: ResumeFacts): string {
  if (id === conductor.status().sessionId) return "You are already in that session.";
  const gone = conductor.goOn(id);
  if ("fault" in gone) return gone.fault.message;
  const { entries, told } = gone;
  const { title } = readSessionFacts(sessionPath(sessionFolder(home, cwd), id));
  const head = `You are now in ${conductor.status().sessionId}: ${title}`;
  const said = [head, ...told, ...recalledApprovals(recallSession(entries).approvals)];
  if (!front?.retell) return [...said, ...endOf(entries)].join("\n");
  front.retell(entries);
  return said.join("\n");
}

/** The last exchange, as a reminder. */
function endOf(entries: readonly Entry[]): readonly string[] {
  const branch = branchOf(entries);
  const at = branch.findLastIndex((entry) => entry.type === "user" && entry.via === "submit");
  const line = branch[at];
  if (line?.type !== "user") return [];
  const answer = branch.slice(at).flatMap((entry) => {
    if (entry.type !== "assistant") return [];
    return entry.message.content.flatMap((block) => (block.kind === "text" ? [block.text] : []));
  });
  const text = answer.at(-1) ?? "(no answer)";
  return [
    "",
    `› ${beginningOf(saidText(line), MAX_SAID)}`,
    "",
    text.length > MAX_SAID ? `… ${endingOf(text, MAX_SAID)}` : text,
  ];
}
