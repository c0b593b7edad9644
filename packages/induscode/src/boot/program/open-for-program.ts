// The door's form of `session/open-indus`: a program says little and exports little, and its session has the parts that a console's has.

import type { Flags } from "../../cli/flags.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { createSecrets, type Secrets } from "../../cli/secrets.ts";
import type { ResolvedModel } from "../../conductor/model-in-use.ts";
import { promptProblem } from "../../conductor/turns/prompt-problem.ts";
import type { SessionUi } from "../../feature/ui.ts";
import { withServers } from "../../parts/packages/servers-here.ts";
import type { SessionModels } from "../../session/models/session-models.ts";
import { type IndusSession, openIndus as openForFront } from "../../session/open-indus.ts";
import { runCommand } from "../../session/run-command.ts";
import { homeProblem, indusHome } from "../../store/home.ts";
import { PARTS } from "../parts.ts";
import { checkFields, PROGRAM_KINDS } from "./check-values.ts";
import type { ProgramOptions, ProgramSession, ProgramUi } from "./program-session.ts";

/**
 * Opens a session with what a console of `indus` has: tools, permissions, sandbox, settings, addons, delegates, log, checkpoints,
 * memory, and what people type. It changes nothing of the process, so several can run side by side.
 *
 * Rejects with a {@link Problem} if somebody must act first: the folder or the home cannot be used, no model is configured, a rule can
 * match nothing, a session to continue does not exist.
 */
export async function openIndus(options: ProgramOptions): Promise<ProgramSession> {
  checkFields("openIndus", options, PROGRAM_KINDS);
  const { env } = options;
  const cwd = workingDirectory({ flags: { cwd: options.cwd }, startedIn: options.cwd });
  const problem = homeProblem(env, cwd);
  if (problem !== undefined) throw new Problem(problem);
  const secrets = createSecrets(env);
  try {
    return await openWith(options, cwd, secrets);
  } catch (error) {
    secrets.release();
    throw error;
  }
}

async function openWith(options: ProgramOptions, cwd: string, secrets: Secrets): Promise<ProgramSession> {
  const { env, model, ask, ui, features } = options;
  const typed = {
    flags: flagsOf(options),
    words: [],
    attachments: [],
    env,
    startedIn: cwd,
    secrets,
    parts: PARTS,
  };
  const ofServers: string[] = [];
  const line: Invocation<Flags> = await withServers<Invocation<Flags>>(typed, {
    ...{ cwd, tell: (text) => void ofServers.push(text) },
  });
  const { flags } = line;
  const left: true[] = [];
  const session = await openForFront({
    ...{ flags, cwd, env, secrets, ask, features, parts: PARTS },
    home: indusHome(env),
    ui: ui && wholeUi(ui),
    front: { line, leave: () => void left.push(true) },
    models: typeof model === "string" || model === undefined ? undefined : onlyModel(model),
  });
  return programSession(session, { cwd, ofServers, timesLeft: () => left.length, release: secrets.release });
}

interface Here {
  readonly cwd: string;
  /** What was said of the folder's MCP servers. */
  readonly ofServers: readonly string[];
  readonly timesLeft: () => number;
  readonly release: () => void;
}

function programSession(session: IndusSession, { cwd, ofServers, timesLeft, release }: Here): ProgramSession {
  const { conductor, handles, notices, resumed, lent } = session;
  return {
    submit: (task) => conductor.submit({ content: contentOf(task) }),
    steer(line) {
      const problem = promptProblem(line);
      if (problem !== undefined) throw new Problem(`steer: ${problem}`, EXIT_USAGE);
      conductor.steer(contentOf(line));
    },
    interrupt: conductor.abort,
    subscribe: conductor.subscribe,
    status: conductor.status,
    commands: () =>
      session.commands.map(({ name, summary, argumentHint, feature }) => ({
        ...{ name, summary, argumentHint, feature },
      })),
    run: (line) => runCommand(line, { commands: session.commands, conductor, handles, cwd, timesLeft }),
    models: lent.models.names,
    setModel: conductor.setModel,
    setThinking: conductor.setThinking,
    fork: conductor.fork,
    jump: conductor.jump,
    resume: conductor.goOn,
    conductor,
    notices: [...ofServers, ...notices],
    resumed,
    async close() {
      const problems = await session.close();
      release();
      return problems;
    },
  };
}

function contentOf(task: Parameters<ProgramSession["submit"]>[0]): Exclude<typeof task, string> {
  return typeof task === "string" ? [{ kind: "text", text: task }] : task;
}

function flagsOf({ model, mode, allow, deny, grant, resume, maxCost, maxTurns }: ProgramOptions): Flags {
  return {
    json: true, // a program reads what is said
    model: typeof model === "string" ? model : undefined,
    "permission-mode": mode,
    "max-cost": maxCost?.toString(),
    "max-turns": maxTurns?.toString(),
    allow,
    deny,
    grant,
    resume,
  };
}

/** A program that shows no status lines needs not say so. */
function wholeUi(ui: ProgramUi): SessionUi {
  return { status: () => undefined, clear: () => undefined, ...ui };
}

/** One model, whatever is asked for: what a delegate's file names must not reach another server than the program's. */
function onlyModel(model: ResolvedModel): SessionModels {
  const name = model.name ?? `${model.provider.id}/${model.model}`;
  return {
    name,
    resolve: async () => ({ ok: true, ...model, name }),
    lateNotices: () => [],
    names: () => [name],
    fallbacks: [],
  };
}
