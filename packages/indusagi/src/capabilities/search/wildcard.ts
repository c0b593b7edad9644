import { matchWildcard } from "../../core/wildcard.ts";

/** True when `glob` covers the whole of `text`, regardless of case: `*` is any run of characters, `?` is one. */
export function matchesWildcard(glob: string, text: string): boolean {
  return createWildcard(glob)(text);
}

/** {@link matchesWildcard} for one glob and many texts. */
export function createWildcard(glob: string): (text: string) => boolean {
  const pattern = glob.toLowerCase();
  return (text) => matchWildcard(pattern, text.toLowerCase());
}
