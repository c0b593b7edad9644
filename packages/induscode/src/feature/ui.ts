// What a console shows for features and asks in their name. Shapes only: every text is untrusted, and the console makes it
// printable and shows it under the feature's name.

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

/** A feature's question to the person. */
export type UiDialog =
  | {
      readonly kind: "select";
      readonly question: string;
      readonly choices: readonly string[];
      /** What is asked about, e.g. a plan; only a built-in feature's is shown. */
      readonly title?: string;
    }
  | { readonly kind: "confirm"; readonly question: string }
  | {
      readonly kind: "input";
      readonly question: string;
      readonly isSecret?: boolean;
      /** As of a `select`. */
      readonly title?: string;
    };

/** The person's answer: the index of a choice, yes or no, or a line. Undefined when they left the question. */
export type UiAnswer = number | boolean | string | undefined;

/** The console of one session. */
export interface SessionUi {
  /** A short text in the status line, in the place of the one with this id before; the empty text takes it away. */
  readonly status: (feature: string, id: string, text: string) => void;
  readonly render: (feature: string, shape: UiShape) => void;
  /** Questions come one at a time. Rejects with `Aborted` when the signal fires, and nothing of it stays visible. */
  readonly ask: (feature: string, dialog: UiDialog, signal: AbortSignal) => Promise<UiAnswer>;
  /** The feature is gone, and so is what it showed there. */
  readonly clear: (feature: string) => void;
}

/** A session's console as one feature may use it: everything is shown under the feature's name. */
export type FeatureUi = {
  readonly [Way in keyof SessionUi]: SessionUi[Way] extends (
    feature: string,
    ...rest: infer Rest
  ) => infer Answer
    ? (...rest: Rest) => Answer
    : never;
};
