// Completion of the written text: shapes only.

import type { InstalledCommand } from "../../feature/command.ts";
import type { SessionHandles } from "../../feature/services.ts";

/** One possible replacement. All texts are printable, and `shown` is one line. */
export interface Suggestion {
  readonly shown: string;
  /** Shown after it, in grey. */
  readonly detail?: string | undefined;
  /** The text that replaces the written part. */
  readonly put: string;
  /** Enter inserts and sends it, if the written text is the beginning of it. */
  readonly isWhole?: boolean;
  /** Its own completions are shown at once, to choose from. */
  readonly opens?: boolean;
}

/** The suggestions at the cursor. */
export interface Suggestions {
  /** The range of the text that is completed. */
  readonly from: number;
  readonly to: number;
  /** The best first. */
  readonly items: readonly Suggestion[];
  /** What is missing from the list: `still looking: 12,000 files so far`. */
  readonly note?: string | undefined;
}

/** Answers immediately with what is known; reports through `onMore` when there is more. */
export interface Completer {
  readonly look: (text: string, cursor: number) => Suggestions | undefined;
  /** Called whenever {@link Completer.look} would return something else for the same text. */
  readonly onMore: (listener: () => void) => void;
  readonly close: () => void;
}

/** What a person types into: the commands that are there now, and the session that they act on. */
export interface TypedInto {
  readonly commands: readonly InstalledCommand[];
  readonly handles: SessionHandles;
}
