// The one file that knows every concrete class: it builds a session from flags, settings and the machine, and is read
// from top to bottom.

import { realpathSync } from "node:fs";
import { localFs, makeLocalContext, type ReadStateRecord, type ToolContext } from "indusagi/capabilities";
import { describeError, nowMs } from "indusagi/core";
import type { ModelParams, ModelProvider } from "indusagi/llmgateway";
import {
  CassetteError,
  cardFor,
  createCassettePlayer,
  createCassetteRecorder,
  createGateway,
  withRetry,
} from "indusagi/llmgateway";
import { composeBriefing } from "../briefing/compose.ts";
import { createConductor, type ModelResolver } from "../conductor/conductor.ts";
import type { Conductor, Entry } from "../conductor/contract.ts";
import { createLog, openLog, type SessionLog } from "../conductor/log.ts";
import { createSessionId, listSessions, sessionFolder, sessionPath } from "../conductor/sessions.ts";
import { type SessionControl, sessionCommandsFeature } from "../deck/builtins/session-commands.ts";
import { filesFeature, searchFeature, shellFeature } from "../deck/builtins/tools.ts";
import { createDeck } from "../deck/deck.ts";
import {
  createPermissions,
  type PermissionMode,
  type PermissionPolicy,
} from "../deck/permissions/permissions.ts";
import { type PermissionRule, parseRule } from "../deck/permissions/rules.ts";
import type { InstalledCommand, PermissionAsker } from "../feature/contract.ts";
import { grantDeclared, installFeatures } from "../feature/registry.ts";
import type { Flags } from "./flags.ts";
import { chooseModel } from "./model-choice.ts";
import { EXIT_USAGE, Problem } from "./problem.ts";
import { loadSettings, type Settings } from "./settings.ts";
import { VERSION } from "./version.ts";

export interface WireFacts {
  readonly flags: Flags;
  /** The working directory, as a real path. */
  readonly cwd: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Absent where nobody can answer. */
  readonly ask?: PermissionAsker;
  /** What `/quit` does; absent where there are no commands. */
  readonly leave?: () => void;
  /** Names put before the PATH of the commands that tools run. */
  readonly pathPrefix?: string;
  /** Plays recorded text at a speed that can be read. */
  readonly pace?: boolean;
}

export interface WiredSession {
  readonly conductor: Conductor;
  readonly commands: readonly InstalledCommand[];
  /** Lines for the person: what in the settings or the log was not as it should be. */
  readonly notices: readonly string[];
}

/** Builds a session that is ready for its first submit. Throws a {@link Problem} where the person must act first. */
export async function wireSession(facts: WireFacts): Promise<WiredSession> {
  const { flags, cwd, home } = facts;
  const { settings, problems } = await loadSettings(home, cwd);
  const notices = [...problems];

  const models = await createModels(facts, settings);
  const permissions = createPermissions({
    policy: permissionPolicy(flags, settings, notices),
    root: cwd,
    realPath: localFs().realPath,
    ...(facts.ask ? { ask: facts.ask } : {}),
  });

  let conductor: Conductor | undefined;
  const control = createSessionControl(
    facts.leave,
    () => conductor,
    () => features.commands,
  );
  const modules = [
    filesFeature(),
    searchFeature(),
    shellFeature(),
    ...(facts.leave ? [sessionCommandsFeature(control)] : []),
  ];
  const features = await installFeatures(modules, grantDeclared);
  for (const report of features.reports) for (const fault of report.faults) notices.push(fault.message);

  const deck = createDeck({ tools: features.tools, permissions, context: createContexts(facts) });
  const folder = sessionFolder(home, cwd);
  const nextLog = (): SessionLog => {
    const id = createSessionId();
    return createLog({ id, path: sessionPath(folder, id), cwd, version: VERSION });
  };
  const { log, entries } = resumed(flags, folder, notices) ?? { log: nextLog(), entries: [] };
  conductor = createConductor({
    log,
    entries,
    nextLog,
    resolveModel: models.resolve,
    modelName: models.name,
    deck,
    compose: () => composeBriefing({ tools: deck.descriptors, workspace: cwd, nowMs: nowMs() }),
    params: modelParams(flags, settings),
    ...maxTurns(flags, settings),
  });
  return { conductor, commands: features.commands, notices };
}

/** The real working directory. Throws a {@link Problem} that says what is wrong with it. */
export function workingDirectory(flags: Flags): string {
  const wanted = flags.cwd ?? process.cwd();
  try {
    process.chdir(wanted);
    return realpathSync(process.cwd());
  } catch (error) {
    throw new Problem(`the working directory ${wanted} cannot be used: ${describeError(error)}`);
  }
}

interface Models {
  readonly name: string;
  readonly resolve: ModelResolver;
}

async function createModels({ flags, env, pace }: WireFacts, settings: Settings): Promise<Models> {
  if (flags.cassette !== undefined) return cassetteModels(flags.cassette, pace ?? false);
  const choice = await chooseModel({
    settings,
    env,
    ...(flags.model === undefined ? {} : { named: flags.model }),
  });
  const gateway = createGateway({ providers: choice.providers, env });
  const record = flags.record === undefined ? undefined : createRecording(flags.record, tellOnStderr);
  return {
    name: choice.name,
    async resolve(name) {
      const found = gateway.resolve(name);
      if (!found.ok) return found;
      const provider = withRetry(found.provider);
      return {
        ...found,
        provider: record ? record(provider) : provider,
      };
    },
  };
}

function cassetteModels(path: string, pace: boolean): Models {
  const provider = cassetteOrProblem(() => createCassettePlayer({ source: { path }, pace }));
  const card = { ...cardFor("cassette", "recording"), contextWindow: Number.MAX_SAFE_INTEGER };
  return {
    name: "cassette/recording",
    resolve: async () => ({ ok: true, provider, model: "recording", card }),
  };
}

/** Wraps each provider that a session uses, once, so that every turn lands on one tape. */
function createRecording(
  path: string,
  tell: (line: string) => void,
): (provider: ModelProvider) => ModelProvider {
  let tape: ModelProvider | undefined;
  let current: ModelProvider | undefined;
  return (provider) => {
    current = provider;
    tape ??= cassetteOrProblem(() =>
      createCassetteRecorder(
        { id: "recorded", stream: (request, options) => (current ?? provider).stream(request, options) },
        path,
        { about: "recorded with indus --record", onError: (error) => tell(error.message) },
      ),
    );
    return tape;
  };
}

function cassetteOrProblem(make: () => ModelProvider): ModelProvider {
  try {
    return make();
  } catch (error) {
    if (error instanceof CassetteError) throw new Problem(error.message);
    throw error;
  }
}

function permissionPolicy(flags: Flags, settings: Settings, notices: string[]): PermissionPolicy {
  const rules = (sources: readonly string[] = [], where: string): readonly PermissionRule[] =>
    sources.flatMap((source) => {
      const rule = parseRule(source);
      if (!("problem" in rule)) return [rule];
      if (where.startsWith("--")) throw new Problem(`${where}: ${rule.problem}`, EXIT_USAGE);
      notices.push(`${where}: ${rule.problem}; it is left out`);
      return [];
    });
  const { permissions = {} } = settings;
  return {
    mode: (flags["permission-mode"] as PermissionMode | undefined) ?? permissions.mode ?? "acceptEdits",
    allow: [...rules(flags.allow, "--allow"), ...rules(permissions.allow, "permissions.allow")],
    ask: rules(permissions.ask, "permissions.ask"),
    deny: [...rules(flags.deny, "--deny"), ...rules(permissions.deny, "permissions.deny")],
  };
}

/** Contexts of one conversation: the same identity and read state, a fresh signal for each dispatch. */
function createContexts({ cwd, env, pathPrefix }: WireFacts): (signal: AbortSignal) => ToolContext {
  const seen = new Map<string, ReadStateRecord>();
  const readState = {
    get: (path: string) => seen.get(path),
    set: (path: string, record: ReadStateRecord) => void seen.set(path, record),
    has: (path: string) => seen.has(path),
  };
  if (pathPrefix !== undefined) env.PATH = `${pathPrefix}:${env.PATH ?? ""}`;
  const base = makeLocalContext(cwd, { framework: { readState } });
  return (signal) => ({ ...base, signal });
}

interface Resumed {
  readonly log: SessionLog;
  readonly entries: readonly Entry[];
}

function resumed(flags: Flags, folder: string, notices: string[]): Resumed | undefined {
  if (flags.resume === undefined && !flags.continue) return undefined;
  const sessions = listSessions(folder);
  const wanted = flags.resume;
  const matches =
    wanted === undefined ? sessions.slice(0, 1) : sessions.filter((id) => id.startsWith(wanted));
  const [id, second] = matches;
  if (id === undefined) {
    const what = wanted === undefined ? "no session yet" : `no session "${wanted}"`;
    const newest = sessions.length > 0 ? `; the newest is ${sessions[0]}` : "";
    throw new Problem(`there is ${what} in ${folder}${newest}`);
  }
  if (second !== undefined && id !== wanted)
    throw new Problem(`"${wanted}" could be ${id} or ${second}: give more of the id`);
  const opened = openLog(sessionPath(folder, id));
  if (opened.damagedLines > 0)
    notices.push(`${opened.damagedLines} damaged lines of session ${id} were left out`);
  return opened;
}

function modelParams(flags: Flags, settings: Settings): ModelParams {
  const thinking = (flags.thinking as ModelParams["thinking"]) ?? settings.thinking;
  return thinking === undefined ? {} : { thinking };
}

function maxTurns(flags: Flags, settings: Settings): { readonly maxTurns?: number } {
  const given = flags["max-turns"];
  if (given === undefined) return settings.maxTurns === undefined ? {} : { maxTurns: settings.maxTurns };
  const turns = Number(given);
  if (!Number.isInteger(turns) || turns < 1)
    throw new Problem(`--max-turns takes a positive whole number; got "${given}"`, EXIT_USAGE);
  return { maxTurns: turns };
}

function tellOnStderr(line: string): void {
  process.stderr.write(`indus: ${line}\n`);
}

function createSessionControl(
  leave: (() => void) | undefined,
  session: () => Conductor | undefined,
  commands: () => readonly InstalledCommand[],
): SessionControl {
  const conductor = (): Conductor => {
    const current = session();
    if (!current) throw new Error("the session is not wired yet");
    return current;
  };
  return {
    commands,
    leave: () => leave?.(),
    describeModel: () => {
      const { model, contextTokens, usage } = conductor().status();
      return `${model}  (context ${contextTokens} tokens; ${usage.inputTokens} in and ${usage.outputTokens} out so far)`;
    },
    setModel: async (name) => (await conductor().setModel(name))?.message ?? `The model is now ${name}.`,
    renew: () => conductor().renew()?.message ?? `A new session: ${conductor().status().sessionId}`,
    clear: () => conductor().clear()?.message ?? "The model starts afresh; the log keeps everything.",
    compact: async (focus) => (await conductor().compact(focus))?.message ?? "Done.",
  };
}
