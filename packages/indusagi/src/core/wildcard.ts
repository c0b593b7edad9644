// Wildcards in linear time: never compiled to a regular expression, because a hostile pattern would then decide how
// long a match takes (CVE-2026-26996, CVE-2026-33671 are this mistake).

/** Matches `pattern` (`*` = any run, `?` = any one character) against the whole of `text`. */
export function matchWildcard(pattern: string, text: string): boolean {
  return matchSequence([...pattern], [...text], "*", (wanted, found) => wanted === "?" || wanted === found);
}

/**
 * Matches a `/`-separated glob against the whole of a `/`-separated path: `**` stands for any number of segments,
 * `*` and `?` stay inside one.
 */
export function matchPathGlob(glob: string, path: string): boolean {
  return matchSequence(glob.split("/"), path.split("/"), "**", matchWildcard);
}

/**
 * Greedy two-pointer match: only the latest `star` is ever retried, so the work is at most pattern × input.
 */
function matchSequence(
  pattern: readonly string[],
  input: readonly string[],
  star: string,
  matchesOne: (wanted: string, found: string) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (i < input.length) {
    const wanted = pattern[p];
    if (wanted === star) {
      starAt = p++;
      resumeAt = i;
    } else if (wanted !== undefined && matchesOne(wanted, input[i] as string)) {
      p++;
      i++;
    } else if (starAt >= 0) {
      p = starAt + 1;
      i = ++resumeAt;
    } else return false;
  }
  while (pattern[p] === star) p++;
  return p === pattern.length;
}
