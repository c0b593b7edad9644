// What rules are matched against: an access plus facts from the machine. Types only.

import type { OutsideFolder } from "../../feature/permission.ts";
import type { Access } from "../../feature/tool.ts";
import type { CommandReading, ShellPart } from "../shell/contract.ts";

/** How a command would leave a sandbox that is in force. */
export interface Leaving {
  /** It can run inside as well: it would, where nothing but its harmlessness lets it pass. */
  readonly canStay: boolean;
  /** Whether it could reach this host inside, by an answer; absent: none. */
  readonly mayReach?: (host: string) => boolean;
  /** The folder at a real path, if an answer can let it read that inside, or change it; absent: none. */
  readonly judge?: (path: string, isWritable: boolean) => OutsideFolder | undefined;
  /** Whether it sees a real path inside anyway; absent: no. */
  readonly sees?: (path: string) => boolean;
  /** How many commands and jobs run in the sandbox now, and can change what it finds. */
  readonly beside: () => number;
}

/** One access with the facts that rules are matched against. */
export interface ResolvedAccess {
  readonly access: Access;
  /** For a file access: where it really leads. Allow rules look only at this. */
  readonly realPath?: string | undefined;
  /** For a command: it runs in the sandbox. */
  readonly isConfined?: boolean | undefined;
  /** For a command: it runs outside of a sandbox that is in force; absent where there is none. */
  readonly leaving?: Leaving | undefined;
  /** For a command: what is understood of it. */
  readonly command?: CommandFacts;
}

/**
 * The first word of a command that a rule with a star, made of these words, does not cover without naming it; undefined if there is none.
 * `root` is the workspace. Passed with the facts, because its table is loaded with the first command that is decided.
 */
export type RiskOf = (
  wanted: readonly string[],
  words: readonly string[],
  root: string,
) => string | undefined;

/** One command of a line, with its known accesses. */
export interface PartFacts extends ShellPart {
  /** It only looks, at these. */
  readonly looks?: readonly ResolvedAccess[];
  /** Files that the shell opens for it. */
  readonly opens: readonly ResolvedAccess[];
  /** The paths that words of an otherwise unknown program may name, or that are not known otherwise: as written, and where they lead. */
  readonly named?: readonly string[];
  /** Why it may read files that are not among those; absent if it does not. */
  readonly unnamedReads?: string | undefined;
  /** Why it may change others. */
  readonly unnamedChanges?: string | undefined;
  /** The same of files that the shell opens for it. */
  readonly mayOpen?: readonly ResolvedAccess[];
  /** It writes or removes what is named. */
  readonly writesNamed?: boolean;
  /** Hosts that it names to a program that connects to them. */
  readonly hosts: readonly string[];
  /** It connects to one that is known only at run time. */
  readonly hidesHost?: boolean;
  /** Why a command that would normally only look does more here. */
  readonly runs?: string;
  readonly riskOf: RiskOf;
}

export interface CommandFacts extends Omit<CommandReading, "parts"> {
  readonly parts: readonly PartFacts[];
  readonly riskOf: RiskOf;
}
