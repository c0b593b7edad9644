// `indus session replay <id>`: replays a session and reports the first thing that is different now, and who caused it.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { homeFolder, printable } from "indusagi/core";
import { addonAt } from "../../addons/author/addon-at.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { VERSION } from "../../cli/version.ts";
import { counted } from "../../conductor/log-reader.ts";
import { type LoggedSession, loggedSession } from "../../session/logs/logged-session.ts";
import { indusHome } from "../../store/home.ts";
import type { Difference } from "./compare.ts";
import { playAgain, type Replay, type ReplayWish } from "./play.ts";

export interface ReplayReport extends Replay {
  /** The first difference caused by the requested change, or, if none was requested, the first one. */
  readonly first?: Difference;
  /** Who caused it, in words. */
  readonly cause?: string | undefined;
}

export async function runSessionReplay(
  line: Invocation<{ readonly settings?: string | undefined }>,
): Promise<number> {
  const { flags, words, env, startedIn } = line;
  const { addon = [], settings } = flags;
  if (addon.length > 1) throw new Problem("a replay accepts only one --addon", EXIT_USAGE);
  const file = settings === undefined ? undefined : resolve(startedIn, settings);
  if (file !== undefined && !existsSync(file)) throw new Problem(`--settings: file not found: ${file}`);
  const [path] = addon;
  const found =
    path === undefined
      ? undefined
      : addonAt(path, {
          workspace: workingDirectory(line),
          home: indusHome(env),
          personHome: homeFolder(env),
          base: startedIn,
        });
  if (found?.ok === false) throw new Problem(`--addon: ${found.problem}`);
  return replayReported(line, words[2], {
    addon: found?.ok ? found.source : undefined,
    settings: file,
  });
}

/** Replays the session with this id and prints the result; returns the exit code. */
export async function replayReported(
  line: Invocation,
  id: string | undefined,
  wish: Pick<ReplayWish, "addon" | "settings">,
): Promise<number> {
  const { flags, env, secrets, parts } = line;
  const session = await loggedSession(line, id, "replayed");
  const report = await replaySession(session, { ...wish, flags, env, secrets, parts });
  const text = flags.json
    ? JSON.stringify({ session: session.id, ...report }, undefined, 2)
    : replayLines(session, report).join("\n");
  process.stdout.write(`${printable(text)}\n`);
  return report.stopped ?? (report.first ? EXIT_FAULT : EXIT_OK);
}

/** Replays it; if it differs with the requested change, replays it once more without, to find out whether the change is the cause. */
export async function replaySession(session: LoggedSession, wish: ReplayWish): Promise<ReplayReport> {
  const replay = await playAgain(session, wish);
  const { addon, settings, ...bare } = wish;
  const asked = [
    ...(addon ? [`the addon ${addon.id}`] : []),
    ...(settings === undefined ? [] : ["the settings"]),
  ];
  const [found] = replay.differences;
  if (!found || replay.stopped !== undefined) return replay;
  if (asked.length === 0) return { ...replay, first: found, cause: causeOf(found, session) };
  const without = new Set((await playAgain(session, bare)).differences.map(keyOf));
  const own = replay.differences.find((each) => !without.has(keyOf(each)));
  if (own)
    return {
      ...replay,
      first: own,
      cause:
        own.by.length > 0
          ? own.by.join(", ")
          : `${asked.join(" or ")}: without that change, the session is as recorded`,
    };
  return {
    ...replay,
    first: found,
    cause: `${causeOf(found, session)}; not ${asked.join(" or ")}: without that change, the difference is the same`,
  };
}

function keyOf({ line, entry, what, of, now }: Difference): string {
  return JSON.stringify([line, entry, what, of, now]);
}

function causeOf({ by }: Difference, { entries }: LoggedSession): string {
  if (by.length > 0) return by.join(", ");
  const began = entries.find((entry) => entry.type === "session");
  const version = began?.version ?? VERSION;
  return version === VERSION
    ? "a change that no log names: in settings, documents, files or this machine"
    : `possibly the version of indus: recorded with ${version}, replayed with ${VERSION}`;
}

const MAX_SHOWN_CHARS = 600;

function replayLines(
  { id, cwd }: LoggedSession,
  { lines, folder, differences, remarks, first, cause }: ReplayReport,
): readonly string[] {
  const more = differences.length - 1;
  return [
    `${id}: ${counted(lines, "line")} replayed offline in a copy of ${cwd} ${folder}`,
    ...remarks.map((each) => `note: ${each}`),
    ...(first === undefined
      ? ["No difference: each request, answer, call, decision and outcome is as recorded."]
      : [
          `First difference: line ${first.line}${first.entry === undefined ? "" : `, entry ${first.entry}`}: ${first.what}, ${first.of}`,
          `  recorded   ${shown(first.recorded)}`,
          `  now        ${shown(first.now)}`,
          `  caused by  ${cause}`,
          ...(more > 0 ? [`and ${counted(more, "more difference")} later`] : []),
        ]),
  ];
}

function shown(text: string): string {
  const lines = text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  return lines.trim().replaceAll("\n", "\n             ");
}
