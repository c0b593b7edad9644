// What a command's file asks for in the turn that it begins, and the session that answers it: it puts this where commands find it.

import { type SessionKey, sessionKey } from "indusagi/core";

/** What stands in the header of a command's file. */
export interface TurnWishes {
  /** Rules for what runs without a question. */
  readonly allowedTools: readonly string[];
  readonly model?: WishedModel | undefined;
  /** A repository's file: it grants nothing unless the person says so. */
  readonly isOfRepository: boolean;
}

export interface WishedModel {
  readonly name: string;
  /** Why it is not used; absent if it is. */
  readonly problem?: string | undefined;
}

export interface CommandTurn {
  /** Lets pass what a file at `source` may let pass, from now to the end of the turn; tells what it may not. */
  readonly begin: (source: string, wishes: TurnWishes, tell: Tell) => Promise<void>;
  /** The turn that begins next is another model's; tells why not. */
  readonly useModel: (model: WishedModel, tell: Tell) => Promise<void>;
  /** No turn begins: nothing more passes. */
  readonly leave: () => void;
  /** The files that a text names with `@`, read under the rules for the model's reading; tells which are not. */
  readonly files: (text: string, tell: Tell) => Promise<string>;
}

type Tell = (text: string) => void;

/** Set in each session of a person's. */
export const COMMAND_TURN: SessionKey<CommandTurn> = sessionKey("command-turn");
