// The process of one addon: started when it is first needed, and again after it has ended.

import { Aborted, abortable, monotonicMs } from "indusagi/core";
import type { ConfinedCommand } from "../sandbox/contract.ts";
import type { RootWindow } from "../sandbox/root-window/root-window.ts";
import type { AddonFaults } from "./addon-faults.ts";
import { type AddonProcess, startAddonProcess } from "./addon-process.ts";
import type { AddonTimes } from "./addon-times.ts";
import { type FirstExchangeFacts, firstExchange, startFailure } from "./first-exchange.ts";
import type { HostCalls } from "./host-calls.ts";
import type { ProtocolBreach, ProtocolLimits } from "./protocol/contract.ts";
import type { HostToAddon, Registration } from "./protocol/messages.ts";
import { RunningAddon } from "./running-addon.ts";

/** How long it may take to exit on its own when the session ends. */
const DISPOSE_MS = 1_000;

export interface AddonLauncherDeps extends FirstExchangeFacts {
  /** Compiles, looks for interpreters, confines. */
  readonly launch: () => Promise<Launch>;
  readonly describe: HostToAddon["describe"]["params"];
  /** From the cache; if absent, the first start requests it. */
  readonly registration?: Registration | undefined;
  readonly limits: ProtocolLimits;
  readonly calls: HostCalls;
  readonly log: (text: string) => void;
  readonly times: AddonTimes;
}

/** How to start the process. */
export interface Launch extends Pick<ConfinedCommand, "argv"> {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** In which each of its tools runs; absent: none. */
  readonly window?: RootWindow | undefined;
}

export class AddonLauncher {
  readonly #deps: AddonLauncherDeps;
  readonly #faults: AddonFaults;
  #registration: Registration | undefined;
  #running: RunningAddon | undefined;
  /** How many calls wait for the process to start. */
  #starting = 0;
  #isDisposed = false;

  constructor(deps: AddonLauncherDeps, faults: AddonFaults) {
    this.#deps = deps;
    this.#faults = faults;
    this.#registration = deps.registration;
  }

  get registration(): Registration | undefined {
    return this.#registration;
  }

  /** What it contributes from now on, as its running process says. */
  renew(found: Registration): void {
    this.#registration = found;
  }

  get running(): RunningAddon | undefined {
    return this.#running;
  }

  /** It runs, and nobody waits for its start: who comes before then waits too, so that calls arrive in the order in which they were made. */
  get isReady(): boolean {
    return this.#running?.isReady === true && this.#starting === 0;
  }

  /** Starts the process unless it runs. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#isDisposed) throw this.#ended();
    this.#running ??= await this.#launch();
    const { ready } = this.#running;
    this.#starting++;
    try {
      await abortable(ready, signal);
    } catch (error) {
      throw error instanceof Aborted ? signal.reason : error; // the reason for the cancellation says more
    } finally {
      this.#starting--;
    }
  }

  /** The process is not used any further. */
  leave(): void {
    this.#running = undefined;
    this.#deps.calls.gone();
  }

  kill(): void {
    this.#running?.process.kill();
    this.leave();
  }

  async end(): Promise<void> {
    const ending = this.#running;
    this.leave();
    if (ending === undefined) return;
    ending.isEnding = true;
    await ending.process.dispose(ending.isReady ? DISPOSE_MS : 0); // one that hangs at its start has nothing to save
  }

  /** Ends the process, and starts no other. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.end();
  }

  #ended(): Error {
    return new Error(`the addon ${this.#deps.id} was ended with its session`);
  }

  async #launch(): Promise<RunningAddon> {
    const sinceMs = monotonicMs();
    const { isServer, limits, calls, log, times } = this.#deps;
    const { argv, cwd, env, window } = await this.#deps.launch();
    if (this.#running) return this.#running; // another call was faster
    if (this.#isDisposed) throw this.#ended(); // disposed meanwhile: nobody would end this process
    const process = startAddonProcess({
      argv,
      cwd,
      env,
      isServer,
      limits,
      handle: calls.handle,
      onLog: log,
      onGone: (why) => this.#goneItself(process, why),
    });
    this.#running = new RunningAddon(process, times, (started) => this.#register(started, sinceMs), window);
    return this.#running;
  }

  async #register(started: RunningAddon, sinceMs: number): Promise<void> {
    const { calls, describe, isServer, times } = this.#deps;
    try {
      this.#registration = await firstExchange(
        this.#deps,
        (options) => calls.whileRegistering(() => started.request("describe", describe, options)),
        this.#registration,
      );
      times.note("start", monotonicMs() - sinceMs);
    } catch (error) {
      if (this.#running === started) this.#running = undefined;
      this.#faults.log("register", error);
      const { process } = started;
      await process.dispose(0); // what it wrote to its log before failing gives the reason, and is still in the pipe
      throw startFailure(error, process.lastWords(), isServer);
    }
  }

  #goneItself(process: AddonProcess, why: ProtocolBreach): void {
    const gone = this.#running;
    if (gone === undefined || gone.process === process) this.#deps.calls.gone();
    if (gone?.process !== process) return;
    this.#running = undefined;
    if (gone.isLate && why.kind === "hung") this.#faults.skip(why);
    this.#deps.log(`${why.message}\n`);
    // Waiting callers learn of it from their calls; if the addon fails while idle, nobody is waiting.
    if (gone.isReady && process.pending() === 0 && gone.endedBy === undefined)
      this.#faults.count("handler", why, { isUnheard: true });
  }
}
