/**
 * True when `glob` covers the whole of `text`, regardless of case: `*` is any run of characters, `?` is one. Two
 * pointers and one point to return to, so the time is at most the product of the lengths however many stars there are.
 */
export function matchesWildcard(glob: string, text: string): boolean {
  return createWildcard(glob)(text);
}

/** {@link matchesWildcard} for one glob and many texts. */
export function createWildcard(glob: string): (text: string) => boolean {
  const pattern = glob.toLowerCase();
  return (text) => covers(pattern, text.toLowerCase());
}

function covers(pattern: string, subject: string): boolean {
  let p = 0;
  let s = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (s < subject.length) {
    if (pattern[p] === "*") {
      starAt = p++;
      resumeAt = s;
    } else if (pattern[p] === "?") {
      p++;
      s += characterLength(subject, s);
    } else if (p < pattern.length && pattern[p] === subject[s]) {
      p++;
      s++;
    } else if (starAt >= 0) {
      p = starAt + 1;
      resumeAt += characterLength(subject, resumeAt);
      s = resumeAt;
    } else {
      return false;
    }
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}

function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
