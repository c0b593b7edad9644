// Wildcards in linear time: never compiled to a regular expression, because a hostile pattern would then decide how
// long a match takes (CVE-2026-26996, CVE-2026-33671 are this mistake).

/** Matches `pattern` (`*` = any run, `?` = any one character) against the whole of `text`. */
export function matchWildcard(pattern: string, text: string): boolean {
  const isOne = (wanted: string, found: string): boolean => wanted === "?" || wanted === found;
  return matchSequence(charactersOf(pattern), charactersOf(text), "*", isOne);
}

/**
 * Matches a `/`-separated glob against the whole of a `/`-separated path: `**` stands for any number of segments,
 * `*` and `?` stay inside one.
 */
export function matchPathGlob(glob: string, path: string): boolean {
  return matchSequence(glob.split("/"), path.split("/"), "**", matchWildcard);
}

/**
 * Greedy two-pointer match of the whole of `input`; `star` stands for any number of items. Only the latest one is ever
 * retried, so the work is at most pattern × input.
 */
export function matchSequence<Wanted, Found>(
  pattern: ArrayLike<Wanted>,
  input: ArrayLike<Found>,
  star: Wanted,
  matchesOne: (wanted: Wanted, found: Found) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (i < input.length) {
    const wanted = pattern[p] as Wanted;
    if (p < pattern.length && wanted === star) {
      starAt = p++;
      resumeAt = i;
    } else if (p < pattern.length && matchesOne(wanted, input[i] as Found)) {
      p++;
      i++;
    } else if (starAt >= 0) {
      p = starAt + 1;
      i = ++resumeAt;
    } else return false;
  }
  while (p < pattern.length && pattern[p] === star) p++;
  return p === pattern.length;
}

/** The characters of a text; the text itself where each is one unit, because a walk asks for many. */
export function charactersOf(text: string): ArrayLike<string> {
  return /[\ud800-\udfff]/.test(text) ? [...text] : text;
}
