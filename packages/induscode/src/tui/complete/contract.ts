// What completes what is written: shapes only.

/** One thing that may replace it. All texts are printable, and `shown` is one line. */
export interface Suggestion {
  readonly shown: string;
  /** Said behind it, in grey. */
  readonly detail?: string;
  /** What takes the place of the written part. */
  readonly put: string;
  /** Enter puts it in and sends it, where what is written is the beginning of it. */
  readonly isWhole?: boolean;
  /** What may follow it is shown at once, to choose from. */
  readonly opens?: boolean;
}

/** What there is for the cursor's place. */
export interface Suggestions {
  /** The part of the text that is completed. */
  readonly from: number;
  readonly to: number;
  /** The best first. */
  readonly items: readonly Suggestion[];
  /** What is not shown yet, or not at all: `still looking: 12,000 files so far`. */
  readonly note?: string;
}

/** Answers at once with what is known; asks to be asked again when more is. */
export interface Completer {
  readonly look: (text: string, cursor: number) => Suggestions | undefined;
  /** Called whenever {@link Completer.look} would answer otherwise for the same text. */
  readonly onMore: (listener: () => void) => void;
  readonly close: () => void;
}
