// What of a package was not brought, in words.

const MAX_NAMED = 5;

/** One line; none if nothing was left out. */
export function leftOut(why: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMED ? ", …" : "";
  return [`left out, because ${why}: ${names.slice(0, MAX_NAMED).join(", ")}${more}`];
}
