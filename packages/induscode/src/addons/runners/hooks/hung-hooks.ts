// The hooks of a session, and how they are run.

import type { JsonObject } from "indusagi/core";
import type { AddonHostServices } from "../../kit/contract.ts";
import { type HookAnswer, readAnswer, together } from "./hook-answer.ts";
import { HOOK_EVENT_ROWS, type HookMoment } from "./hook-events.ts";
import { hookMs } from "./hook-limits.ts";
import { runHook } from "./hook-run.ts";
import { commandInWords, type HookCommand } from "./hook-table.ts";

/** What the host says of the hooks that this works for. */
export interface HooksFacts {
  /** The package's folder. */
  readonly root: string;
  /** In it: the file with the hooks. */
  readonly file: string;
  readonly workspace: string;
  /** Whether it may see the workspace. */
  readonly mayRead: boolean;
}

/** What an event tells the hooks that hang on it. */
export interface Told {
  /** What a matcher is compared with. */
  readonly names: readonly string[];
  readonly call?: { readonly tool: string; readonly args: JsonObject };
  readonly input: object;
  readonly signal: AbortSignal;
}

export type Ready = HookCommand & { readonly fits: (told: Told) => boolean };

type Host = Pick<AddonHostServices, "log" | "notify" | "alert" | "diagnostic">;

export class HungHooks {
  sessionId = "";
  readonly #hooks: readonly Ready[];
  readonly #facts: HooksFacts;
  readonly #host: Host;
  readonly #ran = new Set<Ready>();
  readonly #told = new Set<string>();

  constructor(hooks: readonly Ready[], facts: HooksFacts, host: Host) {
    this.#hooks = hooks;
    this.#facts = facts;
    this.#host = host;
  }

  /** All hooks of a moment; what they add for the model is a notice. */
  async tell(
    moment: HookMoment,
    whose: "anybody" | "the session" | "a delegate",
    told: Told,
  ): Promise<HookAnswer> {
    const events = Object.entries(HOOK_EVENT_ROWS).flatMap(([event, row]) =>
      "moment" in row && row.moment === moment && (row.of === whose || row.of === "anybody") ? [event] : [],
    );
    const answer = together(await Promise.all(events.map((event) => this.run(event, told))));
    for (const text of answer.context) await this.#pass("the model", this.#host.notify(text));
    return answer;
  }

  /** All hooks of an event that are about this, side by side. */
  async run(event: string, told: Told): Promise<HookAnswer> {
    const meant = this.#hooks.filter(
      (hook) => hook.event === event && !(hook.isOnce && this.#ran.has(hook)) && hook.fits(told),
    );
    for (const hook of meant) this.#ran.add(hook);
    const answer = together(await Promise.all(meant.map((hook) => this.#runOne(hook, told))));
    for (const message of answer.messages) await this.#pass("the person", this.#host.alert(message));
    return answer;
  }

  /** The host takes so many words a minute: what it does not take is no reason to fail. */
  async #pass(to: string, sent: Promise<void>): Promise<void> {
    try {
      await sent;
    } catch (error) {
      this.#say(`a hook's message could not be passed to ${to}: ${(error as Error).message}`);
    }
  }

  async #runOne(hook: Ready, { input, signal }: Told): Promise<HookAnswer> {
    const { root, workspace, mayRead } = this.#facts;
    const cwd = mayRead ? workspace : root;
    const running = runHook(
      hook,
      {
        session_id: this.sessionId,
        transcript_path: "",
        cwd: workspace,
        permission_mode: "default",
        hook_event_name: hook.event,
        ...input,
      },
      {
        cwd,
        env: {
          ...process.env,
          CLAUDE_PROJECT_DIR: workspace,
          CLAUDE_PLUGIN_ROOT: root,
          PLUGIN_ROOT: root,
          CLAUDE_PLUGIN_DATA: process.env.HOME,
        },
        timeoutMs: hookMs(hook),
        signal: hook.isAsync ? new AbortController().signal : signal,
      },
    );
    const takesText = hook.event === "SessionStart" || hook.event === "UserPromptSubmit";
    const heard = running.then((outcome) => {
      const answer = readAnswer(outcome, { onFailure: hook.onFailure, takesText });
      for (const problem of answer.problems) this.#report(hook, problem);
      if (answer.deny !== undefined && goesOn(hook))
        this.#report(hook, `it blocks ${hook.event}, which goes on all the same: ${answer.deny}`);
      return answer;
    });
    return hook.isAsync ? together([]) : heard;
  }

  #report(hook: Ready, problem: string): void {
    this.#say(`the hook ${hook.event} ${JSON.stringify(commandInWords(hook).slice(0, 200))}: ${problem}`);
  }

  /** Each thing once to the person; the log has it as often as it was. */
  #say(line: string): void {
    this.#host.log(`${line}\n`);
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.#host.diagnostic("warning", line);
  }
}

/** What an async hook answers is ignored anyway. */
function goesOn({ event, isAsync }: Ready): boolean {
  const row = HOOK_EVENT_ROWS[event];
  return !isAsync && row !== undefined && "moment" in row && row.goesOn === true;
}
