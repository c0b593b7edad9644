// What confines an addon's own process: one seam, four levels, the level in force always reported. Types only; no
// I/O.

import type { FilterArchitecture } from "./calls/system-calls.ts";
import type { ProxyPlace } from "./hosts/proxy-relay.ts";

/** From strongest to none. `node-permissions` confines Node programs only. */
export type SandboxLevel = "bubblewrap" | "landlock" | "node-permissions" | "none";

/** What one process can reach; everything not named here is out of reach. Paths are real and absolute. */
export interface SandboxSpec {
  /** What it needs to run at all, besides the system's libraries: its folder, its interpreter, its runner. */
  readonly readable: readonly string[];
  /** Readable as well. Nothing new can be made in a folder that contains a protected path, only below its other folders. */
  readonly writable: readonly string[];
  /** Below a writable path, but still read-only, even if they do not exist yet (CVE-2026-25725). */
  readonly protected: readonly string[];
  /** Those of them that are whole folders because there was too much to examine; absent if there was not. */
  readonly closed?: readonly string[] | undefined;
  /**
   * Places in the folders that contain something protected, each read-only by itself, so that these folders can become writable as a whole
   * for a while (see `root-window/`); absent: never. Only bubblewrap does that.
   */
  readonly keeps?: readonly string[] | undefined;
  /** A folder of its own outside of them, writable as a whole even where it lies below something protected; absent: it has none. */
  readonly own?: string | undefined;
  /** Whether it can start further processes; they stay inside the same sandbox. */
  readonly mayStartProcesses: boolean;
  /** The program is Node, and takes Node's permission flags as a second fence. */
  readonly isNode: boolean;
  readonly maxMemoryBytes: number;
  /** It may start a browser, for which it has more room, shared memory and fonts. Only bubblewrap has them. */
  readonly hasBrowser?: boolean | undefined;
  /** Its only way to a network; absent: it has no network. Only bubblewrap gives it one. */
  readonly proxy?: ProxyPlace | undefined;
}

/** What is needed to use the two strong levels. */
export type StrongLevel = BubblewrapLevel | LandlockLevel;

interface BubblewrapLevel {
  readonly level: "bubblewrap";
  readonly bwrap: string;
  readonly architecture: FilterArchitecture;
  /** See {@link BubblewrapOptions.handsPlaces}. */
  readonly handsPlaces: boolean;
}

export interface LandlockLevel {
  readonly level: "landlock";
  readonly architecture: FilterArchitecture;
  readonly abi: number;
  /** See {@link LandlockOptions.maxAbi}. */
  readonly maxAbi?: number;
  /** Start commands as on a machine without Perl. */
  readonly withoutPerl?: boolean;
}

/** A command line that runs a program inside its sandbox. */
export interface ConfinedCommand {
  /** Starts the program with no more privilege than the spec gives it; argv[0] is absolute. */
  readonly argv: readonly string[];
  readonly level: SandboxLevel;
}

/** The result of trying one level with a real program. */
export interface LevelReport {
  readonly level: SandboxLevel;
  readonly works: boolean;
  /** Why it does not work, in one line. */
  readonly reason?: string;
}

/** The sandbox of this machine. What works is determined once, on the first question. */
export interface Sandbox {
  /** The level that a program gets, a Node program or any other. */
  readonly levelFor: (program: { readonly isNode: boolean }) => SandboxLevel;
  /** What is not confined at this level, one sentence each, for the report and the trust question; empty when everything is. */
  readonly unconfined: (program: { readonly isNode: boolean }) => readonly string[];
  /** What confines a model's command; undefined when no strong level works. */
  readonly strong: () => StrongLevel | undefined;
  readonly confine: (argv: readonly string[], spec: SandboxSpec) => ConfinedCommand;
  /** The findings, strongest first: each level tried up to the first that works, or only the recorded one. */
  readonly levels: () => readonly LevelReport[];
}
