// Which line ends a text has, so that what is written into it ends its lines in the same way.

export type LineEnd = "\n" | "\r\n" | "\r";

/** What separates the lines of `text`: a lone carriage return only where nothing else does. */
export function lineBreakOf(text: string): "\n" | "\r" {
  return text.includes("\n") || !text.includes("\r") ? "\n" : "\r";
}

/**
 * The line end nearest to a position: the next one, else the last before it. Positions must be asked for in order: what was
 * found for one is reused for the next.
 */
export function nearestLineEnds(text: string): (at: number) => LineEnd {
  const last = text.lastIndexOf("\n");
  if (last < 0) {
    const only = lineBreakOf(text);
    return () => only;
  }
  let next = -1;
  return (at) => {
    if (next < at) next = at <= last ? text.indexOf("\n", at) : last;
    return text[next - 1] === "\r" ? "\r\n" : "\n";
  };
}
