// What rules are held against: an access with what the machine says about it. Shapes only.

import type { Access } from "../../feature/contract.ts";
import type { CommandReading, ShellPart } from "../shell/contract.ts";

/** One access with the facts the rules are held against. */
export interface ResolvedAccess {
  readonly access: Access;
  /** Of a file access: where it really leads. Rules that allow look only at this. */
  readonly realPath?: string;
  /** Of a command: it runs in the sandbox. */
  readonly isConfined?: boolean;
  /** Of a command: what is understood of it. */
  readonly command?: CommandFacts;
}

/**
 * The first word of a command that a rule with a star, of these words, does not cover without naming it; undefined where there is
 * none. `root` is the workspace. It comes with the facts, because its table is loaded with the first command that is decided.
 */
export type RiskOf = (
  wanted: readonly string[],
  words: readonly string[],
  root: string,
) => string | undefined;

/** One command of a line, with the accesses that are known of it. */
export interface PartFacts extends ShellPart {
  /** It only looks, at these. */
  readonly looks?: readonly ResolvedAccess[];
  /** It looks at more than its words name. */
  readonly isDeep?: boolean;
  /** What the shell opens for it. */
  readonly opens: readonly ResolvedAccess[];
  /** Of a program of which nothing more is known: the paths that its words may name. */
  readonly named?: readonly string[];
  /** It writes those, or takes them away. */
  readonly writesNamed?: boolean;
  /** Hosts that it names to a program that goes there. */
  readonly hosts: readonly string[];
  /** It goes to one that is known at the run only. */
  readonly hidesHost?: boolean;
  /** Why a command that would only look does more here. */
  readonly runs?: string;
  readonly riskOf: RiskOf;
}

export interface CommandFacts extends Omit<CommandReading, "parts"> {
  readonly parts: readonly PartFacts[];
  readonly riskOf: RiskOf;
}
