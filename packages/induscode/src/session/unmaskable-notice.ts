// Which secrets cannot be hidden, reported once per home.

import type { Secrets } from "../cli/secrets.ts";
import { untold } from "./told-once.ts";

/** Names whose values cannot be hidden; each is reported once per home folder. */
export function unmaskableNotice(
  home: string,
  { unmaskable }: Pick<Secrets, "unmaskable">,
): readonly string[] {
  const added = untold(home, "unmaskableSecrets", [...unmaskable.keys()]);
  if (added.length === 0) return [];
  const names = added.map((name) => `${name} (${unmaskable.get(name)})`).join(", ");
  return [`${names} cannot be masked and may appear in logs and on the screen. This is reported only once`];
}
