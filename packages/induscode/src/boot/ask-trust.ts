// How a person is asked to trust an addon. All of the addon's words stand behind the gutter, each under its own label,
// so that none of them can pass for the question itself.

import type { TrustAsker, TrustQuestion } from "../addons/decide-trust.ts";
import type { Dialogue } from "../console/dialogue.ts";
import { printableLine } from "../console/printable-line.ts";
import { gutter } from "../console/question-lines.ts";
import type { LineLook } from "../console/transcript-lines.ts";
import { capabilityInWords, unavailability } from "../feature/capabilities.ts";

/** Asks once, on the terminal, with what the addon would contribute and use. Rejects when the person leaves instead. */
export function createTrustAsker(dialogue: Dialogue): TrustAsker {
  return async (question) => {
    const answer = await dialogue.confirm(trustLines(question, dialogue.look()));
    if (answer !== undefined) return answer;
    dialogue.leave();
    throw new Error("the question was left"); // no answer is not a no, which would be kept
  };
}

// About two screens: a question that scrolls away is not read.
const MAX_ROWS = 60;
// A path or a description may be as long as all of it.
const MAX_BRIEF_COLUMNS = 200;

/** What a person is told before anything of an addon acts. */
export function trustLines(question: TrustQuestion, look: LineLook): readonly string[] {
  const { id, version, description, source, hash } = question;
  const name = printableLine(version === undefined ? id : `${id} ${version}`, 60);
  const rows = [
    ...gutter("from", printableLine(source.path, MAX_BRIEF_COLUMNS), look),
    ...gutter("hash", hash.slice(0, 16), look),
    ...(description === undefined ? [] : gutter("says", printableLine(description, MAX_BRIEF_COLUMNS), look)),
    ...question.contributes.flatMap((line) => gutter("would", line, look)),
    ...question.capabilities.flatMap((request) => gutter("asks", describeRequest(request), look)),
    ...(question.confinement?.() ?? []).flatMap((line) => gutter("fence", line, look)),
  ];
  const hidden = rows.length - MAX_ROWS;
  const cut = `  … and ${hidden} more rows that do not fit here: read its manifest before you trust it`;
  return [
    "",
    `${look.style.warn("?")} The addon ${look.style.bold(name)} is new here, or has changed.`,
    ...rows.slice(0, MAX_ROWS),
    ...(hidden > 0 ? [look.style.warn(cut)] : []),
    "  [y] trust this content and grant all of it   [n] leave it out",
  ];
}

function describeRequest({ capability, required, reason }: TrustQuestion["capabilities"][number]): string {
  const missing = unavailability(capability);
  const refused = missing === undefined ? "" : ` (refused: ${missing})`;
  return `${capabilityInWords(capability)}${required ? "" : " (optional)"}${refused}: ${reason}`;
}
