import { matchWildcard } from "../../core/wildcard.ts";

/** True if `glob` matches the whole of `text`, ignoring case: `*` is any run of characters, `?` is one. */
export function matchesWildcard(glob: string, text: string): boolean {
  return createWildcard(glob)(text);
}

/** {@link matchesWildcard} for one glob and many texts. */
export function createWildcard(glob: string): (text: string) => boolean {
  const pattern = glob.toLowerCase();
  return (text) => matchWildcard(pattern, text.toLowerCase());
}
