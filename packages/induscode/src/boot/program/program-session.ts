// What a program says about its session, and what it gets.

import type {
  Conductor,
  Entry,
  SessionStatus,
  SubmitEnd,
  Subscribe,
  UserContent,
} from "../../conductor/contract.ts";
import type { ResolvedModel } from "../../conductor/model-in-use.ts";
import type { StartMode } from "../../deck/permissions/modes.ts";
import type { InstalledCommand } from "../../feature/command.ts";
import type { FeatureModule } from "../../feature/install.ts";
import type { PermissionAsker } from "../../feature/permission.ts";
import type { SessionUi } from "../../feature/ui.ts";
import type { CommandEnd } from "../../session/run-command.ts";

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
  /** Shows and asks what the model and addons want shown and answered: `ask_user`, a plan to approve. Absent: nobody is there for it. */
  readonly ui?: ProgramUi | undefined;
  /** Addons to trust for this session, by id or content hash. Others run only if the person trusted their content before. */
  readonly grant?: readonly string[] | undefined;
  /** The program's own tools, commands, handlers and tasks, installed after the built-in features. They run in its process. */
  readonly features?: readonly FeatureModule[] | undefined;
  /** A session to continue: its id, or the path of its log. If another process has it open, a copy of it is continued. */
  readonly resume?: string | undefined;
  /** Dollars, above 0: no model is asked any more once this much is spent. */
  readonly maxCost?: number | undefined;
  /** The most model calls for one task; default: the settings' limit. */
  readonly maxTurns?: number | undefined;
}

/** Where a program shows what features show, and answers what they and the model ask. Texts are untrusted, and masked already. */
export interface ProgramUi
  extends Pick<SessionUi, "render" | "ask">,
    Partial<Pick<SessionUi, "status" | "clear">> {}

/** A command that can be typed: see {@link ProgramSession.run}. */
export type ProgramCommand = Pick<InstalledCommand, "name" | "summary" | "argumentHint" | "feature">;

/** A session that is open until {@link ProgramSession.close}. */
export interface ProgramSession {
  /**
   * Runs one task to its end: a text, or texts and images. Never rejects: what went wrong is the end `faulted`, and a second task during
   * a run ends so with the kind `busy`. `end.text` is the last answer.
   */
  readonly submit: (task: string | UserContent) => Promise<SubmitEnd>;
  /** Adds a line to the running task: the model reads it at its next call. If none runs, it waits for the next task. */
  readonly steer: (line: string | UserContent) => void;
  /** Ends the running task and its commands within 100 ms; its end is `aborted`. Does nothing if none runs. */
  readonly interrupt: () => void;
  /** Every event from now on, in order, until the returned function is called. An entry is on disk before its event is sent. */
  readonly subscribe: Subscribe;
  /** Its id, its log, model, cost, and whether a task is running. */
  readonly status: () => SessionStatus;
  /** What {@link run} can run as of now: the built-in commands, and those of addons, skills and command files. */
  readonly commands: () => readonly ProgramCommand[];
  /** Runs a typed command: `/compact keep the plan`, `/rewind 1`. Never rejects. */
  readonly run: (line: string) => Promise<CommandEnd>;
  /** Names of the models that can be chosen. */
  readonly models: () => readonly string[];
  /** Uses `provider/model` from the next model call on. Resolves to what is wrong with it; undefined if nothing. */
  readonly setModel: Conductor["setModel"];
  /** How hard the model thinks, from the next call on. */
  readonly setThinking: Conductor["setThinking"];
  /**
   * Continues in a fork of the session without the person's last `back` lines and what followed them; the session itself stays. Returns
   * the first line that is left out. Only while no task runs, as {@link jump} and {@link resume}; otherwise the fault says so.
   */
  readonly fork: Conductor["fork"];
  /** Continues after the entry with this number; what came since stays on its branch, which is summarised for the model on request. */
  readonly jump: Conductor["jump"];
  /** Continues another session of this folder, by its id; this one stays. Returns its entries, and lines for the person. */
  readonly resume: Conductor["goOn"];
  /** Everything else: `compact`, `clear`, `renew`, `waiting`, `exec`, … */
  readonly conductor: Conductor;
  /** Lines for a person: problems in the settings, what was left out and why. They name the command's flags. */
  readonly notices: readonly string[];
  /** The entries of the session that is continued; else none. */
  readonly resumed: readonly Entry[];
  /** Ends a running task, the session and the processes of its addons. Returns what went wrong, one line each. */
  readonly close: () => Promise<readonly string[]>;
}
