import { Problem } from "../../cli/problem.ts";

const MAX_NAMED = 8;

/** The id that is `wanted`, or the only one that begins so; undefined if none does. Throws a {@link Problem} that names several. */
export function onlySession(ids: readonly string[], wanted: string): string | undefined {
  if (ids.includes(wanted)) return wanted;
  const found = ids.filter((id) => id.startsWith(wanted));
  if (found.length < 2) return found[0];
  const named = found.toSorted().toReversed().slice(0, MAX_NAMED);
  const more = found.length > named.length ? ` or ${found.length - named.length} more` : "";
  throw new Problem(`"${wanted}" is ambiguous (${named.join(" or ")}${more}): give more of the id`);
}
