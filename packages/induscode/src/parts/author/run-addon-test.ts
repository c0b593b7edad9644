// `indus addon test PATH`: a complete offline session, in a place of its own. A cassette plays the model; the addon, the tools and the
// permission check are real.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeError, HOME_VARIABLE } from "indusagi/core";
import { CassetteError, parseCassette } from "indusagi/llmgateway";
import { addonTestFiles } from "../../addons/author/addon-test-files.ts";
import {
  type Expectations,
  judge,
  readExpectations,
  type SeenCall,
  type Verdict,
} from "../../addons/author/expectations.ts";
import { type AddonSource, LoaderError } from "../../addons/contract.ts";
import { addonLogPath } from "../../addons/process/addon-log.ts";
import { hashAddon } from "../../addons/source/content-hash.ts";
import type { Flags } from "../../cli/flags.ts";
import { Problem } from "../../cli/problem.ts";
import { type SignalWatch, stopOnSignals } from "../../cli/signals.ts";
import type { ConductorEvent } from "../../conductor/contract.ts";
import { parseLine } from "../../console/parse-line.ts";
import { asWord } from "../../deck/shell-quote.ts";
import { type IndusSession, openIndus } from "../../session/open-indus.ts";
import { commandNamesOf, commandsOf } from "../../session/part-features.ts";
import { refuseUnsafe } from "../../session/permissions/permission-policy.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { makeTestPlace, type TestPlace } from "./addon-test-place.ts";
import type { AuthorPlace } from "./run-addon-check.ts";
import { createVirtualClock } from "./virtual-clock.ts";

export interface AddonTest {
  readonly path: string;
  readonly workspace: string;
  /** The session's log. */
  readonly log: string;
  /** The addon's own log, if it wrote one. */
  readonly printed?: string;
  readonly turns: { readonly played: number; readonly recorded: number };
  readonly verdicts: readonly Verdict[];
  /** The exit code of the signal that stopped it. */
  readonly stopped?: number | undefined;
  /** Other problems: the addon was not loaded, one of its handlers failed, the cassette no longer fits. */
  readonly problems: readonly string[];
}

/** Runs the test. Throws a {@link Problem} if there is nothing to test with. */
export async function runTest(
  source: AddonSource,
  flags: Flags,
  { home, cwd, env, secrets, parts }: AuthorPlace,
): Promise<AddonTest> {
  const beside = addonTestFiles(source.root);
  const expectations = await expectationsAt(beside.expectations);
  const recorded = turnsOf(beside.cassette);
  const needsModel =
    expectations.expect.some(({ kind }) => kind === "tool") || expectations.expect.length === 0;
  if (recorded === undefined && needsModel) throw new Problem(howToRecord(source, beside.cassette));
  const fixture =
    beside.workspace !== undefined && existsSync(beside.workspace) ? beside.workspace : undefined;
  const workspace = flags.cwd === undefined ? fixture : cwd; // an explicit one wins
  const place = makeTestPlace(source, { home, workspace });
  const clock = createVirtualClock();
  try {
    await keepRefusals(place, { home, cwd, parts });
    const cassette = recorded === undefined ? emptyCassette(place) : beside.cassette;
    const session = await openIndus({
      flags: { ...rulesOf(flags), cassette, grant: [hashAddon(place.addon)] },
      cwd: place.workspace,
      home: place.home,
      env: { ...env, [HOME_VARIABLE]: place.folder }, // the person's own instructions and settings are not part of a test
      secrets,
      parts,
      isOffline: true,
      features: [await commandsOf(parts)], // their names are taken, as they are in a console
      keepLog: clock.keepLog,
    });
    let test: AddonTest;
    const signals = stopOnSignals(() => session.conductor.abort());
    try {
      test = await play(session, { parts, source, place, expectations, recorded: recorded ?? 0, signals });
    } finally {
      await session.close();
      signals.release();
    }
    const unheard = session
      .unheard()
      .flatMap((news) => problemOf(news) ?? [])
      .map((message) => message.replaceAll(place.addon, source.root));
    return { ...test, problems: [...test.problems, ...unheard] };
  } finally {
    clock.release();
    place.release();
  }
}

/** What the flags allow the cassette's calls to do; without them, reading and editing in the copy. Never the network. */
function rulesOf({ allow, deny = [], "permission-mode": mode, thinking }: Flags): Flags {
  return {
    allow,
    deny: [...deny, "webfetch", "websearch"],
    // A test depends on its flags, not on what this machine can confine.
    "permission-mode": mode ?? "acceptEdits",
    thinking,
  };
}

/** If the person refuses to run addons unconfined, a test does not run them unconfined either. */
async function keepRefusals(
  { home: testHome }: TestPlace,
  { home, cwd, parts }: Pick<AuthorPlace, "home" | "cwd" | "parts">,
): Promise<void> {
  const loaded = await loadSettings(home, cwd, parts);
  refuseUnsafe(loaded);
  const { settings } = loaded;
  const requireSandbox = settings.addons?.requireSandbox === true;
  writeFileSync(
    join(testHome, "settings.json"),
    JSON.stringify({ localServers: [], addons: { requireSandbox } }),
  );
}

interface Play extends Pick<AuthorPlace, "parts"> {
  readonly source: AddonSource;
  readonly place: TestPlace;
  readonly expectations: Expectations;
  readonly recorded: number;
  readonly signals: SignalWatch;
}

async function play(
  session: IndusSession,
  { parts, source, place, expectations, recorded, signals }: Play,
): Promise<AddonTest> {
  const { conductor, commands, handles } = session;
  // The copy is a detail of the test: reports name the author's own files.
  const named = (text: string): string => text.replaceAll(place.addon, source.root);
  const problems: string[] = [...session.leftOut, ...notEnabled(session)].map(named);
  const calls: SeenCall[] = [];
  let played = 0;
  const unsubscribe = conductor.subscribe((event: ConductorEvent) => {
    const problem = problemOf(event);
    if (problem !== undefined) problems.push(named(problem));
    if (event.kind === "delegate" && event.event.kind === "entry") played++;
    if (event.kind !== "entry") return;
    const { entry } = event;
    if (entry.type === "assistant") played++;
    if (entry.type === "tool") calls.push({ tool: entry.name, state: entry.state, text: entry.text });
  });
  if (recorded > 0) {
    await conductor.submit({ content: [{ kind: "text", text: expectations.task ?? DEFAULT_TASK }] });
    if (played < recorded)
      problems.push(`${recorded - played} of the ${recorded} turns of the cassette were not played`);
  }
  const isStopped = (): boolean => signals.exitCode(0) !== 0;
  const verdicts = await judge(expectations.expect, calls, async (line) => {
    if (isStopped()) throw new Error("the test was stopped");
    const parsed = parseLine(line);
    const name = parsed.kind === "command" ? parsed.name.toLowerCase() : "";
    if ((await commandNamesOf(parts)).has(name))
      throw new Error(`/${name} belongs to the console, and a test has no console`);
    const command = commands.find((each) => each.name === name);
    if (!command || parsed.kind !== "command") throw new Error(`command not found: /${name}`);
    const said: string[] = [];
    await command.run({
      args: parsed.args,
      cwd: place.workspace,
      say: (text) => void said.push(text),
      handles: { ...handles, sendMessage: (text) => void said.push(text) },
    });
    return named(said.join("\n"));
  });
  unsubscribe();
  if (isStopped()) problems.push("a signal stopped the test before its end");
  return {
    path: source.root,
    workspace: place.workspace,
    log: conductor.status().logPath,
    ...printedTo(place, session),
    turns: { played, recorded },
    verdicts,
    problems,
    stopped: isStopped() ? signals.exitCode(0) : undefined,
  };
}

/** A fault, or what the addon itself calls an error. */
function problemOf(event: ConductorEvent): string | undefined {
  if (event.kind === "fault") return event.fault.message;
  if (event.kind !== "diagnostic" || event.severity !== "error") return undefined;
  return `${event.owner}: error: ${event.text}`;
}

const DEFAULT_TASK = "go";

/** An excluded addon gave its reason in a notice; one that contributes nothing is reported here. */
function notEnabled({ reports }: IndusSession): readonly string[] {
  const addon = testedIn(reports);
  if (!addon) return ["the addon was not loaded"];
  const leftOut = addon.skipped.map(({ kind, name, reason }) => `${kind} ${name} was skipped: ${reason}`);
  return addon.enabled ? leftOut : [...leftOut, "the addon contributes nothing"];
}

/** The only feature in the session that is not built in. */
function testedIn(reports: IndusSession["reports"]): IndusSession["reports"][number] | undefined {
  return reports.find(({ feature }) => !feature.startsWith("builtin:"));
}

function printedTo({ home }: TestPlace, { reports }: IndusSession): Pick<AddonTest, "printed"> {
  const addon = testedIn(reports);
  const path = addon && addonLogPath(home, addon.displayName);
  return path !== undefined && existsSync(path) ? { printed: path } : {};
}

async function expectationsAt(path: string): Promise<Expectations> {
  if (!existsSync(path)) return { expect: [] };
  try {
    return await readExpectations(path);
  } catch (error) {
    if (error instanceof LoaderError) throw new Problem(error.message);
    throw error;
  }
}

/** How many turns a cassette has; undefined if there is none. */
function turnsOf(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return parseCassette(readFileSync(path, "utf8")).length;
  } catch (error) {
    if (error instanceof CassetteError) throw new Problem(`${path}: ${describeError(error)}`);
    throw error;
  }
}

/** For expectations about commands only: a session needs a model, and this one is never asked. */
function emptyCassette({ folder }: TestPlace): string {
  const path = join(folder, "no-turns.jsonl");
  writeFileSync(path, '{"cassette":1,"about":"no turns"}\n');
  return path;
}

const REPLY =
  '{"turn":1,"reply":{"message":{"role":"assistant","content":[{"kind":"tool_call","id":"c1","name":"ls","input":{"path":"."}}]}}} ' +
  'or, at the end, {"turn":2,"reply":{"message":{"role":"assistant","content":[{"kind":"text","text":"Done."}]}}}';

function howToRecord({ id, root }: AddonSource, path: string): string {
  const flags = `--addon ${asWord(root)} --grant ${asWord(id)} --record ${asWord(path)}`;
  return `cassette not found: ${path}. Record one with a real model: indus -p "TASK" ${flags}; or write one by hand, one JSON object per line: {"cassette":1} and then, for each reply of the model, ${REPLY}`;
}
