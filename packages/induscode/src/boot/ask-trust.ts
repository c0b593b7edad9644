import { printable } from "indusagi/core";
import type { TrustAsker, TrustQuestion } from "../addons/decide-trust.ts";
import type { Dialogue } from "../console/dialogue.ts";

/** Asks once, on the terminal, with everything the addon would contribute and use. Anything but a yes is a no. */
export function createTrustAsker(dialogue: Dialogue): TrustAsker {
  return async (question) => {
    for (const line of trustLines(question)) dialogue.line(printable(line));
    for (;;) {
      const typed = await dialogue.nextLine(dialogue.leave);
      const answer = typed?.trim().toLowerCase();
      if (answer === "y" || answer === "yes") return "yes";
      if (answer === undefined || answer === "n" || answer === "no" || answer === "") return "no";
      dialogue.line("y or n, please");
    }
  };
}

/** What a person is told before anything of an addon acts. */
export function trustLines({
  id,
  version,
  description,
  source,
  contributes,
  capabilities,
  hash,
}: TrustQuestion): readonly string[] {
  return [
    "",
    `? The addon ${id}${version === undefined ? "" : ` ${version}`} is new here, or has changed.`,
    `  from   ${source.path}`,
    `  hash   ${hash.slice(0, 16)}`,
    ...(description === undefined ? [] : [`  says   ${description}`]),
    "  it would",
    ...contributes.map((line) => `    - ${line}`),
    "  it asks for",
    ...capabilities.map(
      ({ capability, required, reason }) =>
        `    - ${describeCapability(capability)}${required ? "" : " (optional)"}: ${reason}`,
    ),
    "  [y] trust this content and grant all of it   [n] leave it out",
  ];
}

function describeCapability({ kind, ...facts }: TrustQuestion["capabilities"][number]["capability"]): string {
  const told = Object.entries(facts)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => (value === true ? name : String(value)));
  return told.length === 0 ? kind : `${kind} (${told.join(", ")})`;
}
