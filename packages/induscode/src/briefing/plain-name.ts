// A name that a file of another agent has, in the form that names have here.

/** Lower-case letters, digits and single hyphens; a name without any of them stays as it is, and is refused. */
export function plainName(written: string): string {
  const letters = written.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = letters.match(/[a-z0-9]+/g) ?? [];
  return words.length === 0 ? written : words.join("-");
}
