// Thinking that a server leaves in the text: `<think>…</think>` before the answer, as some open models write it.

const OPENING = /^\s*<think>/;
const CLOSING = "</think>";
/** What may still become the opening tag. */
const MAY_OPEN = /^\s*(<(t(h(i(n(k>?)?)?)?)?)?)?$/;

export interface TaggedThoughts {
  /** Takes the next piece of the text; the tags may be split between pieces. */
  readonly read: (text: string) => void;
  /** The answer has ended: passes on what was kept back. */
  readonly end: () => void;
}

/** Passes on text and thinking apart. Only a tag at the very beginning counts: later on, the model may be writing about tags. */
export function createTaggedThoughts(to: {
  readonly onText: (text: string) => void;
  readonly onThought: (text: string) => void;
}): TaggedThoughts {
  let state: "beginning" | "thought" | "gap" | "text" = "beginning";
  let kept = "";

  function read(text: string): void {
    kept += text;
    if (state === "beginning") {
      const opening = OPENING.exec(kept);
      if (opening) {
        state = "thought";
        kept = kept.slice(opening[0].length);
      } else if (!MAY_OPEN.test(kept)) state = "text";
    }
    if (state === "thought") {
      const closing = kept.indexOf(CLOSING);
      // Its last characters may be the beginning of the closing tag.
      const thought = kept.slice(0, closing < 0 ? -(CLOSING.length - 1) : closing);
      to.onThought(thought);
      if (closing < 0) kept = kept.slice(thought.length);
      else {
        state = "gap";
        kept = kept.slice(closing + CLOSING.length);
      }
    }
    if (state === "gap") {
      kept = kept.trimStart();
      if (kept !== "") state = "text";
    }
    if (state === "text") flush(to.onText);
  }

  function flush(pass: (text: string) => void): void {
    const text = kept;
    kept = "";
    pass(text);
  }

  return { read, end: () => flush(state === "thought" ? to.onThought : to.onText) };
}
