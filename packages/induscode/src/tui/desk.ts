// What the editor needs of the session and of the machine: shapes only. Whoever starts the console brings it.

import type { UserContent } from "../conductor/contract.ts";
import type { InstalledCommand } from "../feature/contract.ts";
import type { Completer } from "./complete/contract.ts";
import type { Submission } from "./contract.ts";
import type { History } from "./history/contract.ts";
import type { Bindings } from "./keys/bindings.ts";

export interface Desk {
  readonly bindings: Bindings;
  readonly history: History;
  readonly isVi: boolean;
  /** `commands` is asked again and again: features come and go. */
  readonly completer: (commands: () => readonly InstalledCommand[]) => Completer;
  /** The absolute path of an image that a pasted text names, as terminals paste a file that is dropped on them. */
  readonly imageAt: (pasted: string) => string | undefined;
  /** The image on the clipboard, as a file; undefined where there is none, or no program that reads it. */
  readonly clipboardImage: () => Promise<string | undefined>;
  /** What is sent for a submission: its text, and the files and images that it names. `problems` are for the person. */
  readonly contentOf: (
    submission: Submission,
  ) => Promise<{ readonly content: UserContent; readonly problems: readonly string[] }>;
  /** Lets the person write in an editor of theirs; the terminal is free while it runs. Rejects with what went wrong. */
  readonly editElsewhere: (text: string) => Promise<string>;
  /** For the person, at the start: what is wrong with their keys. */
  readonly notices: readonly string[];
}
