// Trims certain characters from the ends of a text in linear time. A regular expression such as `/[. ]+$/` is not linear: it
// tries every position of a run that something else follows, so a run of n costs n² steps.

import { beginningOf } from "./cut-text.ts";
import { describeError } from "./faults.ts";

/** `text` without the characters at its end that `isTrimmed` accepts. */
export function trimEndOf(text: string, isTrimmed: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isTrimmed(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** `text` without the characters at its beginning that `isTrimmed` accepts. */
export function trimStartOf(text: string, isTrimmed: (character: string) => boolean): string {
  let start = 0;
  while (start < text.length && isTrimmed(text.charAt(start))) start++;
  return text.slice(start);
}

const MAX_BRIEF_CHARS = 100;

/** The beginning of a name or value that comes from elsewhere, for use in a message. */
export function brief(text: string, maxChars: number = MAX_BRIEF_CHARS): string {
  return text.length > maxChars ? `${beginningOf(text, maxChars)}…` : text;
}

/** A value of any kind that does not fit, for use in a message. */
export function briefValue(value: unknown): string {
  if (typeof value === "number" || typeof value === "function") return brief(String(value));
  try {
    return brief(JSON.stringify(value) ?? "nothing");
  } catch (error) {
    return describeError(error);
  }
}
