// A pasted text in the form that is kept: no control characters or escape sequences, line breaks as LF.

import { printable } from "indusagi/core";

/**
 * Terminals send pasted line breaks as CR, LF or CRLF. Text beyond `maxLength` is left out, and a note at the end says so;
 * `length` is the original length.
 */
export function clipText(pasted: string, maxLength: number, length: number = pasted.length): string {
  const text = printable(pasted.slice(0, maxLength).replace(/\r\n?/g, "\n"));
  return length > maxLength ? `${text}\n[cut: more than ${maxLength} characters were pasted]` : text;
}
