// What a console shows of features, and asks in their name. Shapes only: every text is untrusted, and the console that shows
// it makes it printable, under the name of the feature.

/** The parts of a console that are granted one by one. */
export type UiPart = "status" | "render" | "ask";

/** What a feature may have shown: the host decides how it looks. */
export type UiShape =
  | { readonly kind: "text" | "markdown"; readonly title?: string; readonly text: string }
  | {
      readonly kind: "table";
      readonly title?: string;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | {
      readonly kind: "list";
      readonly title?: string;
      readonly items: readonly string[];
      readonly isNumbered?: boolean;
    }
  /** The next one with this label takes its place where the console can. */
  | {
      readonly kind: "progress";
      readonly label: string;
      readonly done: number;
      readonly total: number;
    }
  | {
      readonly kind: "keyValue";
      readonly title?: string;
      readonly entries: readonly { readonly key: string; readonly value: string }[];
    };

/** A question of a feature to the person. */
export type UiDialog =
  | { readonly kind: "select"; readonly question: string; readonly choices: readonly string[] }
  | { readonly kind: "confirm"; readonly question: string }
  | { readonly kind: "input"; readonly question: string; readonly isSecret?: boolean };

/** What the person answered: the place of a choice, yes or no, a line. Undefined where they left the question. */
export type UiAnswer = number | boolean | string | undefined;

/** The console of one session. */
export interface SessionUi {
  /** A short text in the status line, in the place of the one with this id before; the empty text takes it away. */
  readonly status: (feature: string, id: string, text: string) => void;
  readonly render: (feature: string, shape: UiShape) => void;
  /** Questions come one at a time. Rejects with `Aborted` when the signal fires: then nothing of it is to be seen any more. */
  readonly ask: (feature: string, dialog: UiDialog, signal: AbortSignal) => Promise<UiAnswer>;
  /** The feature is gone: so is what it showed there. */
  readonly clear: (feature: string) => void;
}
