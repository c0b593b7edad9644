// One code addon of a session. Every call to it either answers, or rejects with an error that names it and has been counted.

import { Aborted, type Disposer, type SessionScope } from "indusagi/core";
import type { CommandContext } from "../../feature/command.ts";
import { NotRunning } from "../../feature/dispatch/fence.ts";
import type { WindowedProcess, WindowListener } from "../sandbox/root-window/root-window.ts";
import { AddonFaults, type AddonFaultsDeps, type CountedKind } from "./addon-faults.ts";
import { AddonLauncher, type AddonLauncherDeps } from "./addon-launcher.ts";
import { ProtocolBreach, type RequestOptions, Unsendable } from "./protocol/contract.ts";
import type { HostToAddon, Registration } from "./protocol/messages.ts";
import { endedByTask, type RunningAddon } from "./running-addon.ts";

type RemoteAddonDeps = AddonLauncherDeps & Pick<AddonFaultsDeps, "tell" | "quarantine">;

/** What a call to an addon in quarantine rejects with; it does not count as a further fault. */
export class Quarantined extends NotRunning {
  override readonly name = "Quarantined";
}

/** What a call rejects with whose target has gone, or takes other arguments, since it was offered. */
export class Gone extends Error {
  override readonly name = "Gone";
}

export interface RemoteAddon {
  /** Starts the process unless it runs, and returns what it registers. Rejects with the reason if it fails. */
  readonly register: () => Promise<Registration>;
  /** It contributes this from now on. */
  readonly renew: (found: Registration) => void;
  /** One call. Rejects with the addon's error, or why there is no answer; both name the addon. */
  readonly call: <M extends Exclude<keyof HostToAddon, "describe" | "cancel" | "dispose">>(
    method: M,
    params: HostToAddon[M]["params"],
    options: CallOptions<HostToAddon[M]["result"]>,
  ) => Promise<HostToAddon[M]["result"]>;
  readonly state: () => "quarantined" | "running" | "waiting";
  /** Ends the process; the next call starts another, with all earlier faults forgotten. */
  readonly restart: () => Promise<void>;
  /** Ends the process for good. Idempotent, never rejects. */
  readonly dispose: () => Promise<void>;
}

interface CallOptions<Answer> extends Pick<RequestOptions, "signal"> {
  /** Asked once the process runs: why what is called is not there any more, which is no fault. */
  readonly isStill?: () => string | undefined;
  /** Throws if an answer fits the protocol but not the question; that counts as a fault like any other. */
  readonly check?: (answer: Answer) => void;
  readonly faultKind: CountedKind;
  /** The calling session; without one, what the addon asks meanwhile goes to the session it belongs to. */
  readonly session?: SessionScope | undefined;
  /** The command that the call runs. */
  readonly command?: CommandContext;
  /** Receives the addon's words about the call while it runs. */
  readonly onProgress?: (text: string) => void;
  /** For whoever reads the answer of a tool. */
  readonly window?: WindowListener;
}

export function createRemoteAddon(deps: RemoteAddonDeps): RemoteAddon {
  const { id, calls, isServer = false } = deps;
  const faults = new AddonFaults({
    ...deps,
    registration: () => launcher.registration,
    onOut: () => launcher.kill(),
  });
  const launcher = new AddonLauncher(deps, faults);

  return {
    async register() {
      await launcher.start(new AbortController().signal); // the first exchange has its own deadline
      if (!launcher.registration) throw new Error(`the addon ${id} did not register`);
      return launcher.registration;
    },
    renew: (found) => launcher.renew(found),
    async call(
      method,
      params,
      { signal, faultKind, check, isStill, session, command, onProgress, window: listener },
    ) {
      if (faults.isQuarantined())
        throw new Quarantined(
          `the addon ${id} is in quarantine; to run it again: indus addons restart ${id}`,
        );
      const task = method === "task/start" ? (params as HostToAddon["task/start"]["params"]).id : undefined;
      let asked = launcher.running;
      let endCall: Disposer | undefined;
      try {
        if (!launcher.isReady) await launcher.start(signal);
        asked = launcher.running;
        if (!asked) throw new Error(`the addon ${id} ended`);
        const gone = isStill?.();
        if (gone !== undefined) throw new Gone(gone);
        if (task !== undefined) asked.taskBegins(task);
        const running = asked;
        const ask = (): Promise<HostToAddon[typeof method]["result"]> =>
          running.request(method, params, {
            signal,
            onId: (requestId) => {
              endCall = calls.begin(requestId, {
                ...{ session, command, onProgress },
                isTask: task !== undefined,
              });
            },
          });
        const { window } = running;
        const answer = await (listener && window ? window.during(windowed(running), ask, listener) : ask());
        check?.(answer);
        if (task !== undefined) asked.taskEnds(task);
        return answer;
      } catch (error) {
        if (task !== undefined) asked?.taskEnds(task, error);
        // After a protocol breach another is likely: this process is not used any further.
        if (error instanceof ProtocolBreach && launcher.running === asked) launcher.leave();
        throw blamed(error, asked, { signal, faultKind, isTask: task !== undefined });
      } finally {
        endCall?.();
      }
    },
    state: () => (faults.isQuarantined() ? "quarantined" : launcher.running ? "running" : "waiting"),
    async restart() {
      await faults.forget();
      await launcher.end();
    },
    async dispose() {
      await launcher.dispose();
      await faults.stored(); // a quarantine that is not stored would end with this process
    },
  };

  function windowed(running: RunningAddon): WindowedProcess {
    return {
      pid: running.process.pid,
      kill() {
        running.isEnding = true; // calls that this interrupts are nobody's fault
        if (launcher.running === running) launcher.kill();
        else running.process.kill();
      },
    };
  }

  /** Counts a call's failure as whoever's it is, and returns what the call rejects with. */
  function blamed(
    error: unknown,
    asked: RunningAddon | undefined,
    {
      signal,
      faultKind,
      isTask,
    }: Pick<CallOptions<never>, "signal" | "faultKind"> & { readonly isTask: boolean },
  ): unknown {
    const cutOff = error instanceof ProtocolBreach && error.kind === "closed" && !isTask ? error : undefined;
    if (cutOff && asked?.endedBy !== undefined) return endedByTask(id, asked.endedBy, cutOff);
    // A cancelled call is nobody's fault; a missed deadline is the addon's. A message too long for a frame, which the
    // host could not even send, is not the addon's fault either.
    const isCancelled = signal.aborted && signal.reason instanceof Aborted;
    const isOurs = isCancelled || asked?.isEnding === true || error instanceof Unsendable;
    if (!isOurs && !(error instanceof Quarantined) && !(error instanceof Gone)) {
      if (signal.aborted && asked) asked.isLate = true;
      // A server's work may take its time: what it waits for is not in its hands.
      if (signal.aborted && isServer) faults.log(faultKind, error);
      else faults.count(faultKind, error);
    }
    return cutOff && asked ? asked.besideTasks(cutOff) : error;
  }
}
