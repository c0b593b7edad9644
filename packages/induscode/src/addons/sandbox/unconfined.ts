// What a level leaves open, in words that a person can decide on. Each sentence has its test, which shows that it is so.

import type { SandboxLevel } from "./contract.ts";

export interface UnconfinedOptions {
  /** Of the kernel's Landlock, where that is the level. */
  readonly abi?: number;
  readonly isRoot?: boolean;
  readonly node?: string;
}

/** One sentence for each thing that is not confined; empty when all is. "It" is the addon's program. */
export function unconfinedAt(
  level: SandboxLevel,
  { abi = 0, isRoot = process.getuid?.() === 0, node = process.versions.node }: UnconfinedOptions = {},
): readonly string[] {
  const many = isRoot && level !== "none" ? [ANY_NUMBER] : [];
  switch (level) {
    case "bubblewrap":
      return many;
    case "landlock":
      return [EXISTENCE, ORPHANS, ...(abi < 6 ? [SIGNALS] : []), ...many];
    case "node-permissions":
      return [
        ...(Number.parseInt(node, 10) < NETWORK_PERMISSION ? [NETWORK] : []),
        DATABASES,
        LINKS,
        SIGNALS,
        CHILDREN,
        ...many,
      ];
    case "none":
      return [FILES, NETWORK, PROCESSES, SIGNALS, GROUP];
  }
}

/** The first Node whose permission model refuses the network. */
const NETWORK_PERMISSION = 25;

const ANY_NUMBER = "For root the number of processes and threads is not limited, if it may start any.";
const EXISTENCE =
  "It can find out whether a file exists anywhere, its size, its dates and where a link points.";
const ORPHANS = "If indus itself is killed, processes that it was allowed to start may run on, confined.";
const SIGNALS = "It can send signals to other processes of yours.";
const NETWORK = "It can use the network.";
const DATABASES = "It can create and change SQLite files anywhere that you can.";
const LINKS = "It can read through links in its folders that point elsewhere.";
const CHILDREN = "Programs that it may start are not confined at all.";
const GROUP = "Processes of it can leave the group that indus ends with it.";
const FILES = "It can read and change all of your files.";
const PROCESSES = "It can start programs and read the environment and memory of yours.";
