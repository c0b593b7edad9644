// Cuts a text to a length in UTF-16 units without cutting a character: half of a surrogate pair would be shown as U+FFFD.

/** The beginning of `text`, as far as whole characters fit. */
export function beginningOf(text: string, maxChars: number): string {
  return text.length > maxChars ? text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "") : text;
}

/** The end of `text`, as far as whole characters fit. */
export function endingOf(text: string, maxChars: number): string {
  return text.length > maxChars ? text.slice(text.length - maxChars).replace(/^[\udc00-\udfff]/, "") : text;
}
