// Answers what an addon's process asks of the host, by its grants (invariant 3: enforced where it happens). Before its
// feature is installed, and while it describes itself, nothing has an effect.

import type { Disposer, JsonValue } from "indusagi/core";
import type { CommandContext } from "../../feature/command.ts";
import { LOG_BYTES_A_SECOND } from "./addon-log.ts";
import {
  type AddonDesk,
  AddonRequest,
  type Answers,
  type HostCallsDeps,
  LINES_A_MINUTE,
} from "./addon-request.ts";
import { type AddonStanding, createAddonStanding } from "./addon-standing.ts";
import { createCallingSessions, type SessionCall } from "./calling-sessions.ts";
import { CommandRuns } from "./command-runs.ts";
import { HOST_ANSWERS, NOTICES_A_MINUTE } from "./host-answers.ts";
import { createLineAllowance } from "./line-allowance.ts";
import type { IncomingHandler } from "./protocol/contract.ts";
import { refuse } from "./refuse-request.ts";
import { ServingWatch } from "./serving-watch.ts";
import { createUiCalls } from "./ui-calls.ts";

/** A session's call to the addon. */
interface CallUnderWay extends SessionCall {
  /** The command that it runs. */
  readonly command?: CommandContext | undefined;
  /** Where the addon's words about it go, if it is a tool's. */
  readonly onProgress?: ((text: string) => void) | undefined;
}

export interface HostCalls
  extends Pick<AddonStanding, "attach" | "whileRegistering" | "takeEarly" | "tell" | "diagnostic">,
    Pick<ServingWatch, "watch"> {
  readonly handle: IncomingHandler;
  /**
   * A session's call begins, with this request id, and ends when the returned function is called. Meanwhile the addon's
   * requests go to that session; what it asks of its command, it asks in the name of the person who typed it.
   */
  readonly begin: (requestId: number, call: CallUnderWay) => Disposer;
  /** Its process has ended or is no longer used: consoles remove what they show of it, and its sessions end. */
  readonly gone: () => void;
}

type Answerer = (params: JsonValue, request: AddonRequest) => JsonValue | Promise<JsonValue>;

export function createHostCalls(deps: HostCallsDeps): HostCalls {
  const standing = createAddonStanding(deps.log);
  const serving = new ServingWatch();
  let life = new AbortController();
  const desk: AddonDesk = {
    ...deps,
    standing,
    callers: createCallingSessions(),
    commands: new CommandRuns(),
    toolCalls: new Map(),
    lines: createLineAllowance({ count: LINES_A_MINUTE, perMs: 60_000 }),
    notices: createLineAllowance({ count: NOTICES_A_MINUTE, perMs: 60_000 }),
    logged: createLineAllowance({ count: LOG_BYTES_A_SECOND, perMs: 1_000 }),
    samples: { calls: new WeakMap(), sessions: new WeakMap() },
    runningLines: new Set(),
    life: () => life.signal,
  };
  const ui = createUiCalls();
  const answers: Answers = { ...HOST_ANSWERS, ...ui.methods };

  return {
    ...standing,
    watch: (onChange) => serving.watch(onChange),
    handle(method, params, context) {
      if (!Object.hasOwn(answers, method)) refuse("method", `the host has no method "${method}"`);
      // The connection has checked the parameters against the method's schema.
      const run = answers[method as keyof Answers] as unknown as Answerer;
      const answer = run(params, new AddonRequest(desk, context));
      // What is done by now takes no turn among the calls that run: the answer to a command would overtake its lines.
      return answer instanceof Promise ? serving.during(answer) : answer;
    },
    gone() {
      life.abort();
      life = new AbortController();
      ui.clear();
    },
    begin(id, { command, onProgress, ...call }) {
      const end = desk.callers.begin(id, call);
      const endCommand = command && desk.commands.begin(id, command);
      if (onProgress) desk.toolCalls.set(id, onProgress);
      return () => {
        end();
        endCommand?.();
        if (desk.toolCalls.get(id) === onProgress) desk.toolCalls.delete(id); // a new process restarts the count
      };
    },
  };
}
