// What an edit writes at each place where its old text was found.

import { fuzzyReplacer } from "./fuzzy-replacement.ts";
import { nearestLineEnds } from "./line-ends.ts";
import type { Replacement } from "./replace-spans.ts";
import type { SnippetMatch } from "./snippet-match.ts";
import type { Span } from "./text-scan.ts";

interface Snippets {
  readonly oldText: string;
  readonly newText: string;
}

export type EditReplacements =
  | { readonly kind: "clear"; readonly replacements: readonly Replacement[] }
  /** It cannot be told which indentation the new lines should have at this place. */
  | { readonly kind: "unclear"; readonly place: Span };

/** The replacements for all places of `match`, with the line ends and the indentation that the file has there. */
export function editReplacements(text: string, match: SnippetMatch, edit: Snippets): EditReplacements {
  const lineEndAt = nearestLineEnds(text);
  if (!match.isFuzzy) {
    const newText = newTextFor(text, edit);
    const insertedAt = (at: number): string => newText.replaceAll("\n", lineEndAt(at));
    const isAsWritten = !newText.includes("\n") || newText.includes("\r\n");
    const replacements = match.spans.map((span) => ({
      span,
      inserted: isAsWritten ? newText : insertedAt(span.start),
    }));
    return { kind: "clear", replacements };
  }
  const replacementAt = fuzzyReplacer(text, edit);
  const replacements: Replacement[] = [];
  for (const place of match.spans) {
    const from = replacements.at(-1)?.span.end ?? 0;
    const replacement = replacementAt({ place, from, lineEnd: lineEndAt(place.start) });
    if (replacement === undefined) return { kind: "unclear", place };
    replacements.push(replacement);
  }
  return { kind: "clear", replacements };
}

/** Line ends that are quoted as they are in the file are written as given; in another file they are the snippet's own. */
function newTextFor(text: string, { oldText, newText }: Snippets): string {
  return oldText.includes("\r\n") && !text.includes("\r\n") ? newText.replaceAll("\r\n", "\n") : newText;
}
