// What a level leaves open, in words that a person can base a decision on. Tests prove each sentence.

import { SCOPED_SIGNALS } from "./calls/own-signals-filter.ts";
import type { SandboxLevel, StrongLevel } from "./contract.ts";

interface UnconfinedOptions {
  /** The kernel's Landlock ABI, if that is the level. */
  readonly abi?: number;
  /** See {@link BubblewrapOptions.handsPlaces}, if bubblewrap is the level. */
  readonly handsPlaces?: boolean;
  readonly isRoot?: boolean;
  readonly node?: string;
  readonly platform?: NodeJS.Platform;
}

/** One sentence for each thing that is not confined; empty when everything is. "It" is the addon's program. */
export function unconfinedAt(
  level: SandboxLevel,
  {
    abi = 0,
    handsPlaces = true,
    isRoot = process.getuid?.() === 0,
    node = process.versions.node,
    platform = process.platform,
  }: UnconfinedOptions = {},
): readonly string[] {
  const memory = platform === "linux" ? [] : [MEMORY];
  const many = isRoot && level !== "none" ? [ANY_NUMBER] : [];
  switch (level) {
    case "bubblewrap":
      return [...(handsPlaces ? [] : [EXCHANGED]), ...many];
    case "landlock":
      return [EXISTENCE, ORPHANS, ...(abi < SCOPED_SIGNALS ? [SIGNALS_OF_SOME] : []), ...many];
    case "node-permissions":
      return [
        ...(Number.parseInt(node, 10) < NETWORK_PERMISSION ? [NETWORK] : []),
        DATABASES,
        LINKS,
        SIGNALS,
        CHILDREN,
        ...memory,
        ...many,
      ];
    case "none":
      return [FILES, NETWORK, PROCESSES, SIGNALS, GROUP, ...memory];
  }
}

/** The same for a model's command, which is confined by a strong level or not at all. */
export function commandsUnconfinedAt(strong: StrongLevel): readonly string[] {
  if (strong.level === "bubblewrap") return [];
  return [COMMAND_LINES, ...(strong.abi < SCOPED_SIGNALS ? [COMMAND_SIGNALS] : [])];
}

/** The first Node whose permission model refuses the network. */
const NETWORK_PERMISSION = 25;

const ANY_NUMBER =
  "If indus runs as root, the number of processes and threads that an addon can start is not limited.";
const EXCHANGED =
  "If another program replaces one of the addon's folders with a link while the addon starts, the addon can reach what the link points to. This is because bubblewrap is older than 0.10, or there is no bash.";
const EXISTENCE = "It can find out whether any file exists, its size and dates, and where a link points.";
const ORPHANS =
  "If indus itself is killed, processes that it was allowed to start may keep running in the sandbox.";
const COMMAND_LINES =
  "A command can list all processes and their command lines, because Landlock cannot open /proc/self for a command's child processes without opening /proc for all processes.";
const COMMAND_SIGNALS = "A command can send signals to your other processes.";
const SIGNALS = "It can send signals to your other processes.";
const SIGNALS_OF_SOME = "If it may start processes, it can send signals to your other processes.";
const NETWORK = "It can use the network.";
const DATABASES = "It can create and change SQLite files anywhere that you can.";
const LINKS = "It can read through links in its folders that point elsewhere.";
const CHILDREN = "Programs that it may start are not confined at all.";
const GROUP = "Its processes can leave the process group that indus kills with it.";
const MEMORY = "Its memory is not limited.";
const FILES = "It can read and change all of your files.";
const PROCESSES = "It can start programs and read the environment and memory of your other programs.";
