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

/** One command of a line, with the accesses that are known of it. */
export interface PartFacts extends ShellPart {
  /** It only looks, at these. */
  readonly looks?: readonly ResolvedAccess[];
  /** It looks at more than its words name. */
  readonly isDeep?: boolean;
  /** What the shell opens for it. */
  readonly opens: readonly ResolvedAccess[];
  /** Hosts that it names to a program that goes there. */
  readonly hosts: readonly string[];
  /** Why a command that would only look does more here. */
  readonly runs?: string;
}

export interface CommandFacts extends Omit<CommandReading, "parts"> {
  readonly parts: readonly PartFacts[];
}
