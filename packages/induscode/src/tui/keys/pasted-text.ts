// A pasted text as it may be kept: no control, no escape sequence, line breaks as LF.

import { printable } from "indusagi/core";

/**
 * Terminals send pasted line breaks as CR, LF or CRLF. What is beyond `maxLength` of the `length` that it had is left out,
 * and said at the end.
 */
export function clipText(pasted: string, maxLength: number, length: number = pasted.length): string {
  const text = printable(pasted.slice(0, maxLength).replace(/\r\n?/g, "\n"));
  return length > maxLength ? `${text}\n[cut: more than ${maxLength} characters were pasted]` : text;
}
