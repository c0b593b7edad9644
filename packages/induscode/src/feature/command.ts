// A `/name` that a person types, and what it is handed when it runs.

import type { FeatureId } from "./descriptor.ts";
import type { CallReach, SessionHandles } from "./services.ts";

/** What a command can do. It describes an effect; it never draws. */
export interface CommandContext extends CallReach {
  /** The text after the name, trimmed. */
  readonly args: string;
  readonly cwd: string;
  /** Shows text to the person; never reaches the model. */
  readonly say: (text: string) => void;
  /** The session's handles that this run mode offers; missing ones are undefined. */
  readonly handles: SessionHandles;
  /** A list to choose from, for built-in commands; absent when the console has none. */
  readonly list?: ConsoleList | undefined;
}

/** One row of a list. All texts may be untrusted. */
export interface PickItem {
  readonly label: string;
  /** Shown after it, in grey. */
  readonly detail?: string;
  /** Shown below the list while it is selected. */
  readonly preview?: readonly string[];
}

/** The items that match what the person has typed so far. */
export type FindItems<Item extends PickItem> = (typed: string) => readonly Item[] | Promise<readonly Item[]>;

export interface ConsoleList {
  /** Undefined when the person left the list. */
  readonly pick: <Item extends PickItem>(
    title: string,
    find: FindItems<Item>,
    start?: number,
  ) => Promise<Item | undefined>;
  /** Inserts a text where the person types. */
  readonly write: (text: string) => void;
}

/** A `/name` that a person types. */
export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly summary: string;
  /** Shown in help after the name, e.g. `[provider/model]`. */
  readonly argumentHint?: string | undefined;
  /** The values that can follow the name, for a console that completes; `typed` is what is already there. */
  readonly complete?: (
    typed: string,
    handles: SessionHandles,
  ) => readonly (string | { readonly value: string; readonly detail: string })[];
  /** Choosing its bare name from the suggestions shows those values to pick from first. */
  readonly picks?: boolean;
  /** May reject: the console reports a `command` fault and goes on. */
  readonly run: (context: CommandContext) => Promise<void> | void;
}

/** A committed command with the feature it came from. */
export interface InstalledCommand extends Command {
  readonly feature: FeatureId;
}
