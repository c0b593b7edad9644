// What the editor needs from the session and the machine: shapes only. Whoever starts the console provides it.

import type { UserContent } from "../conductor/contract.ts";
import type { Completer, TypedInto } from "./complete/contract.ts";
import type { Submission } from "./contract.ts";
import type { History } from "./history/contract.ts";
import type { Bindings } from "./keys/bindings.ts";

export interface Desk {
  readonly bindings: Bindings;
  readonly history: History;
  readonly isVi: boolean;
  /** `into` is called repeatedly: features come and go. */
  readonly completer: (into: () => TypedInto) => Completer;
  /** The absolute path of an image named by a pasted text; terminals paste the path of a file dropped on them. */
  readonly imageAt: (pasted: string) => string | undefined;
  /** A name for the image on the clipboard, which the desk keeps until it is sent; undefined if there is none, or no program that reads it. */
  readonly clipboardImage: () => Promise<string | undefined>;
  /** The content sent for a submission: its text, and the files and images that it names. `problems` are for the person. */
  readonly contentOf: (
    submission: Submission,
  ) => Promise<{ readonly content: UserContent; readonly problems: readonly string[] }>;
  /** Lets the person write in an editor of their own; it has the terminal while it runs. Rejects with what went wrong. */
  readonly editElsewhere: (text: string) => Promise<string>;
  /** Shown to the person at the start: what is wrong with their key bindings. */
  readonly notices: readonly string[];
}
