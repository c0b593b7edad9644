// What a search found and a read showed, in a few words, derived from the tools' text for the model.

import { plural } from "../../console/figures.ts";

/** Empty if the tool's text does not say. */
export function foundCount(tool: string, output: string): string {
  switch (tool) {
    case "grep":
      return searchCount(output, "match", "matches", /^.*?:\d+: /);
    case "find":
      return /^No(?:thing| name) under /.test(output) ? NOTHING : searchCount(output, "path", "paths", /./);
    case "ls":
      return /^\d+ entr(?:y|ies)(?= in )/.exec(output)?.[0] ?? "";
    case "read":
      return readCount(output);
    default:
      return "";
  }
}

const NOTHING = "nothing found";
/** Notes that searches print below their results. */
const NOTE = /^\[(?:stopped at \d|.*\.\]$)/;
/** Printed in place of output trimmed from one result, and where a search stopped before the end of the tree. */
const MORE = /^(?:… trimmed \d+ bytes? |\[stopped )/;

function searchCount(output: string, one: string, several: string, isFound: RegExp): string {
  const lines = output.split("\n");
  const hasMore = lines.some((line) => MORE.test(line));
  while (NOTE.test(lines.at(-1) ?? "")) lines.pop();
  const count = lines.filter((line) => isFound.test(line) && !MORE.test(line)).length;
  if (count === 0) return NOTHING;
  return `${count}${hasMore ? "+" : ""} ${count === 1 && !hasMore ? one : several}`;
}

function readCount(output: string): string {
  if (output.startsWith("The file is empty")) return "empty";
  const [, shown] = /^Showing lines (.+?) of /.exec(output) ?? [];
  if (shown === undefined) return "";
  const sizes = shown.split(" and ").map((span) => {
    const [first = 0, last = 0] = span.split("–").map(Number);
    return last - first + 1;
  });
  return plural(
    sizes.reduce((sum, size) => sum + size, 0),
    "line",
  );
}
