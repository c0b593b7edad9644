// Replays a session offline, in a copy of its folder, and reports how it differs from its log.

import { cpSync, existsSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { useWallClock } from "indusagi/core";
import type { AddonSource } from "../../addons/contract.ts";
import { hashAddon } from "../../addons/source/content-hash.ts";
import { discoverSources } from "../../addons/source/discover.ts";
import type { Flags } from "../../cli/flags.ts";
import type { Part } from "../../cli/part.ts";
import { Problem } from "../../cli/problem.ts";
import type { Secrets } from "../../cli/secrets.ts";
import { stopOnSignals } from "../../cli/signals.ts";
import type { Conductor, Entry } from "../../conductor/contract.ts";
import { counted, readEntries } from "../../conductor/log-reader.ts";
import { PERSON_TOOLS } from "../../deck/builtins/person-desk.ts";
import type { CallDecision } from "../../deck/contract.ts";
import { PERMISSION_MODES } from "../../deck/permissions/modes.ts";
import type { PermissionAsker } from "../../feature/permission.ts";
import type { SessionUi } from "../../feature/ui.ts";
import type { LoggedSession } from "../../session/logs/logged-session.ts";
import { openIndus } from "../../session/open-indus.ts";
import { homePath } from "../../store/home-files.ts";
import { compareLines, type Difference } from "./compare.ts";
import { createModeSwitches } from "./mode-switches.ts";
import { atCheckpoint, makeReplayPlace, type ReplayPlace } from "./place.ts";
import { createPlayedModel, endOf } from "./played-model.ts";
import { createReplayedTools } from "./replayed-tools.ts";
import { type TapedLine, tapedLines } from "./tape.ts";

export interface ReplayWish {
  /** Replaces the addon with this id, or is added to those that are there. */
  readonly addon?: AddonSource | undefined;
  /** A file that replaces the person's settings. */
  readonly settings?: string | undefined;
  readonly flags: Pick<Flags, "grant" | "allow" | "deny" | "permission-mode">;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: Secrets;
  readonly parts: readonly Part[];
}

export interface Replay {
  readonly lines: number;
  /** The state of the folder, in words. */
  readonly folder: string;
  readonly differences: readonly Difference[];
  /** What could not be played, or was missing, one sentence each. */
  readonly remarks: readonly string[];
  /** The exit code of the signal that stopped it. */
  readonly stopped?: number | undefined;
}

/** Throws a {@link Problem} if there is nothing to play, or no place to play it in. */
export async function playAgain(session: LoggedSession, wish: ReplayWish): Promise<Replay> {
  const lines = tapedLines(session.entries);
  if (lines.length === 0) throw new Problem(`the session ${session.id} contains nothing to replay`);
  const place = makeReplayPlace(session, wish.env);
  const settings = homePath(place.home, "settings");
  try {
    const folder = await atCheckpoint(session.entries, place);
    if (wish.settings !== undefined) cpSync(wish.settings, settings);
    return { folder, ...(await play(lines, session.entries, place, wish)) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // The copies are about to be gone: it names what the person can correct.
    const message = error.message.replaceAll(settings, wish.settings ?? settings);
    throw new Problem(place.named(message), error.exitCode);
  } finally {
    place.remove();
  }
}

async function play(
  all: readonly TapedLine[],
  entries: readonly Entry[],
  place: ReplayPlace,
  { addon, flags, secrets, parts }: ReplayWish,
): Promise<Omit<Replay, "folder">> {
  const prompt = entries.find((entry) => entry.type === "prompt");
  const model = await createPlayedModel(prompt?.model ?? "", { ...place, parts });
  const tools = createReplayedTools(place.cwd);
  const isAnswered = prompt?.tools.some(({ name }) => PERSON_TOOLS.includes(name)) === true;
  const remarks: string[] = [];
  let lines = all;
  const switches = createModeSwitches();
  let now = prompt?.clock ?? entries[0]?.at ?? 0;
  const giveBack = useWallClock(() => now);
  try {
    const session = await openIndus({
      flags: {
        print: true, // keeps the start quiet
        ...flagsThen(entries, flags),
        thinking: prompt?.params.thinking,
        ...(addon ? withAddon(addon, flags, place) : {}),
      },
      cwd: place.cwd,
      home: place.home,
      env: place.env,
      secrets,
      parts,
      isOffline: true,
      onDecision: switches.onDecision,
      ask: answersThen(entries),
      ui: isAnswered ? NOBODY : undefined,
      replay: { models: model.models, perform: tools.perform },
    });
    const signals = stopOnSignals(() => session.conductor.abort());
    let log = "";
    const { conductor } = session;
    try {
      const lacking = addon && session.whyLacking(addon.id);
      if (lacking !== undefined)
        throw new Problem(`nothing was replayed: the addon "${addon?.id}" does not run: ${lacking}`);
      for (const [at, line] of all.entries()) {
        if (signals.exitCode(0) !== 0) break;
        const taped = place.moved(line);
        now = line.entries.find((entry) => entry.type === "prompt")?.clock ?? line.said.at;
        await follow(conductor, line);
        model.begin(taped, conductor);
        tools.begin(taped, conductor.abort);
        switches.begin(taped, flags["permission-mode"] === undefined ? session.modes.replay : undefined);
        await conductor.submit({ content: taped.said.typed ?? taped.said.content });
        switches.end();
        const lost = await place.put(statesAfter(line));
        if (lost > 0)
          remarks.push(`line ${at + 1}: the content of ${counted(lost, "changed file")} was not kept`);
        const unplayed = byHand(line);
        if (unplayed?.isPlayed) conductor.clear();
        else if (unplayed) {
          remarks.push(unplayed.remark);
          if (at + 1 < all.length) remarks.push(`lines from ${at + 2} on are not replayed`);
          lines = all.slice(0, at + 1);
          break;
        }
      }
      log = conductor.status().logPath;
      remarks.push(...session.leftOut.map(place.named));
    } finally {
      await session.close();
      signals.release();
    }
    const played = existsSync(log) ? tapedLines(readEntries(log).entries.map(place.named)) : [];
    const owners = new Map(
      session.reports.flatMap(({ feature, tools }) => tools.map((tool) => [tool, feature])),
    );
    const code = signals.exitCode(0);
    return {
      lines: lines.length,
      differences: compareLines(lines, played, (tool) => owners.get(tool)),
      remarks,
      stopped: code === 0 ? undefined : code,
    };
  } finally {
    giveBack();
  }
}

/** The model and its thinking are the person's choice, which can change from line to line. */
async function follow(
  conductor: Pick<Conductor, "status" | "setModel" | "setThinking">,
  { entries }: TapedLine,
): Promise<void> {
  const prompt = entries.find((entry) => entry.type === "prompt");
  if (prompt && prompt.model !== conductor.status().model) await conductor.setModel(prompt.model);
  if (prompt?.params.thinking !== undefined) conductor.setThinking(prompt.params.thinking);
}

function statesAfter({ entries }: TapedLine): readonly { readonly path: string; readonly state: string }[] {
  return entries.flatMap((entry) =>
    entry.type === "checkpoint" || entry.type === "rewind"
      ? entry.files.map(({ path, after }) => ({ path, state: after }))
      : [],
  );
}

/** What the person did between this line and the next; `isPlayed` if the replay repeats it. */
function byHand({ entries }: TapedLine): { readonly isPlayed: boolean; readonly remark: string } | undefined {
  const end = endOf(entries);
  const since = end ? entries.slice(entries.indexOf(end) + 1) : [];
  const found = since.find(
    (entry) =>
      entry.type === "clear" ||
      entry.type === "summary" ||
      entry.type === "plan" ||
      (entry.type === "jump" && entry.summary !== undefined),
  );
  if (!found) return undefined;
  return {
    isPlayed: found.type === "clear",
    remark: `entry ${found.n}, a ${found.type} requested by the person, is not replayed`,
  };
}

/** The flags of the recorded run, as far as decisions name them; those given now win. */
function flagsThen(entries: readonly Entry[], now: ReplayWish["flags"]): Flags {
  const rulings = rulingsIn(entries);
  const typed = (flag: string): readonly string[] =>
    rulings.flatMap(({ place, rule }) => (place === flag && rule !== undefined ? rule : []));
  const first = entries.findIndex(({ type }) => type === "mode");
  const begun = first < 0 ? rulings : rulingsIn(entries.slice(0, first));
  const modes = begun.map((ruling) => ruling.mode ?? modeInWords(ruling.why));
  // Only a session that was started in bypass can be switched to it.
  const isBypass = entries.some((entry) => entry.type === "mode" && entry.mode === "bypass");
  const mode = isBypass ? "bypass" : PERMISSION_MODES.find((each) => modes.includes(each));
  return {
    allow: [...new Set([...typed("--allow"), ...(now.allow ?? [])])],
    deny: [...new Set([...typed("--deny"), ...(now.deny ?? [])])],
    ...(mode === undefined ? {} : { "permission-mode": mode }),
    ...(now["permission-mode"] === undefined ? {} : { "permission-mode": now["permission-mode"] }),
    grant: now.grant,
  };
}

function rulingsIn(entries: readonly Entry[]): CallDecision["rulings"] {
  return entries.flatMap((entry) => (entry.type === "decision" ? entry.decision.rulings : []));
}

/** Earlier versions logged the mode only in words. */
function modeInWords(why: string): string | undefined {
  return why === "it runs in the sandbox" ? "auto" : /the permission mode is ([\w-]+)/.exec(why)?.[1];
}

/** The person's answers, in order. A question that was not asked at the time has none. */
function answersThen(entries: readonly Entry[]): PermissionAsker {
  const answers = new Map<string, NonNullable<CallDecision["answer"]>[]>();
  for (const entry of entries)
    if (entry.type === "decision" && entry.decision.answer !== undefined) {
      const { tool, answer } = entry.decision;
      answers.set(tool, [...(answers.get(tool) ?? []), answer]);
    }
  return async ({ tool }) => {
    const kind = answers.get(tool)?.shift() ?? "no";
    if (kind === "mode") return { kind: "once" }; // its switch is an entry of its own
    if (kind === "host" || kind === "folder") return { kind, lasts: "once" };
    if (kind === "always") return { kind, where: "here" };
    return kind === "no"
      ? { kind, reason: "nobody was asked about it when the session was recorded" }
      : { kind };
  };
}

/** A person was there; their answers to tools are in the log. */
const NOBODY: SessionUi = {
  status: () => undefined,
  render: () => undefined,
  clear: () => undefined,
  ask: async () => undefined,
};

/** Replaces the copied addon with this id, so that the name stays the same; if there is none, the addon is named by its path. */
function withAddon(
  { id, root }: AddonSource,
  { grant = [] }: ReplayWish["flags"],
  { cwd, home }: ReplayPlace,
): Flags {
  const trusted = { grant: [...grant, hashAddon(root)] };
  const old = discoverSources({ workspace: cwd, home }).found.find((each) => each.id === id);
  if (old === undefined) return { addon: [root], ...trusted };
  rmSync(old.root, { recursive: true, force: true });
  cpSync(root, join(dirname(old.root), basename(root)), { recursive: true, verbatimSymlinks: true });
  return trusted;
}
