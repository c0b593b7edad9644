// The door's form of `open-indus`: a program says little and exports little. What the command's fronts fill in is filled in here, and
// what only they need stays out.

import { workingDirectory } from "../cli/invocation.ts";
import { EXIT_USAGE, Problem } from "../cli/problem.ts";
import type { Conductor, Entry, SubmitEnd, Subscribe, UserContent } from "../conductor/contract.ts";
import type { ResolvedModel } from "../conductor/model-in-use.ts";
import { START_MODES, type StartMode } from "../deck/permissions/modes.ts";
import type { FeatureModule } from "../feature/install.ts";
import type { PermissionAsker } from "../feature/permission.ts";
import { homeProblem, indusHome } from "../store/home.ts";
import type { SessionModels } from "./models/session-models.ts";
import { openIndus as openForFront } from "./open-indus.ts";

/** What a program says about its session. Settings of the person and of the folder apply to whatever it does not say. */
export interface ProgramOptions {
  /** The folder to work in: where the tools act, and which settings and addons apply. A relative path starts at the process's folder. */
  readonly cwd: string;
  /**
   * The session's environment, usually `process.env`; never modified. Keys of models come from it, the tools' commands inherit the rest
   * of it. Settings, logs and trust are in the folder `INDUS_HOME` of it, otherwise in `~/.indus`; that folder must not be in `cwd`.
   */
  readonly env: NodeJS.ProcessEnv;
  /**
   * `provider/model` or a part of it that means one model, as after `--model`; default: as the command would choose. Or a model of the
   * program's own: it serves every request of the session and its delegates, whichever name they ask for, and nothing is retried for
   * it (`withRetry` of `indusagi/llmgateway` does).
   */
  readonly model?: string | ResolvedModel | undefined;
  /** What runs without a question; default: the settings' mode, otherwise `auto`. In `plan` the plan arrives as an `alert` event. */
  readonly mode?: StartMode | undefined;
  /** Rules as after `--allow`: `bash(npm test)`. */
  readonly allow?: readonly string[] | undefined;
  /** Rules as after `--deny`; they override every other one. */
  readonly deny?: readonly string[] | undefined;
  /** Answers what rules and mode leave undecided, one question at a time; without it such a call is refused, and the model reads why. */
  readonly ask?: PermissionAsker | undefined;
  /** Addons to trust for this session, by id or content hash. Others run only if the person trusted their content before. */
  readonly grant?: readonly string[] | undefined;
  /** The program's own tools, commands, handlers and tasks, installed after the built-in features. They run in its process. */
  readonly features?: readonly FeatureModule[] | undefined;
  /** A session to continue: its id, or the path of its log. If another process has it open, a copy of it is continued. */
  readonly resume?: string | undefined;
  /** Dollars, above 0: no model is asked any more once this much is spent. */
  readonly maxCost?: number | undefined;
}

/** A session that is open until {@link ProgramSession.close}. */
export interface ProgramSession {
  /**
   * Runs one task to its end. Never rejects: what went wrong is the end `faulted`, and a second task during a run ends so with the kind
   * `busy`. `end.text` is the last answer.
   */
  readonly submit: (task: string | UserContent) => Promise<SubmitEnd>;
  /** Every event from now on, in order, until the returned function is called. An entry is on disk before its event is sent. */
  readonly subscribe: Subscribe;
  /** Everything else: `abort`, `steer`, `status`, `setModel`, `compact`, … */
  readonly conductor: Conductor;
  /** Lines for a person: problems in the settings, what was left out and why. They name the command's flags. */
  readonly notices: readonly string[];
  /** The entries of the session that is continued; else none. */
  readonly resumed: readonly Entry[];
  /** Ends a running task, the session and the processes of its addons. Returns what went wrong, one line each. */
  readonly close: () => Promise<readonly string[]>;
}

/**
 * Opens a session with what `indus -p` has: tools, permissions, sandbox, settings, addons, delegates, log. It changes nothing of the
 * process, so several can run side by side. Checkpoints are the command's: none are made.
 *
 * Rejects with a {@link Problem} if somebody must act first: the folder or the home cannot be used, no model is configured, a rule can
 * match nothing, a session to continue does not exist.
 */
export async function openIndus(options: ProgramOptions): Promise<ProgramSession> {
  const { env, model, mode, allow, deny, ask, grant, features, resume, maxCost } = options;
  checkValues(options);
  const cwd = workingDirectory({ flags: { cwd: options.cwd }, startedIn: options.cwd });
  const problem = homeProblem(env, cwd);
  if (problem !== undefined) throw new Problem(problem);
  const isNamed = typeof model === "string";
  const { conductor, notices, resumed, close } = await openForFront({
    flags: {
      json: true, // a program reads what is said
      model: isNamed ? model : undefined,
      "permission-mode": mode,
      "max-cost": maxCost?.toString(),
      allow,
      deny,
      grant,
      resume,
    },
    cwd,
    home: indusHome(env),
    env,
    ask,
    features,
    models: isNamed || model === undefined ? undefined : onlyModel(model),
  });
  return {
    submit: (task) =>
      conductor.submit({ content: typeof task === "string" ? [{ kind: "text", text: task }] : task }),
    subscribe: conductor.subscribe,
    conductor,
    notices,
    resumed,
    close,
  };
}

/** What the compiler does not check: a program may be written in JavaScript, or take its values from elsewhere. */
function checkValues({ mode, maxCost }: ProgramOptions): void {
  if (mode !== undefined && !START_MODES.includes(mode))
    throw new Problem(`mode takes ${START_MODES.join(", ")}; got ${JSON.stringify(mode)}`, EXIT_USAGE);
  if (maxCost !== undefined && !(Number.isFinite(maxCost) && maxCost > 0))
    throw new Problem(`maxCost takes an amount in dollars above 0; got ${maxCost}`, EXIT_USAGE);
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
