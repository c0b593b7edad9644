// Completes `@` and part of a path: the matching files and folders.

import { printable, shownPath } from "indusagi/core";
import type { Completer, Suggestions } from "./contract.ts";
import { createFileIndex, type FileIndexOptions, type FoundFiles } from "./file-index.ts";

// The text before the cursor, back to the previous blank; if quoted, back to the quote.
const MENTION = /(?:^|[\s([{])@(?:"([^"\n]{0,512})|([^\s"]{0,512}))$/;
const LOOKED_BACK = 600;

/** Where the mention that ends at `cursor` begins, and the part of its path typed so far. */
export function mentionAt(
  text: string,
  cursor: number,
): { readonly from: number; readonly typed: string } | undefined {
  const before = text.slice(Math.max(0, cursor - LOOKED_BACK), cursor);
  const found = MENTION.exec(before);
  if (!found) return undefined;
  const [whole, quoted, bare = ""] = found;
  const sign = whole.indexOf("@");
  return { from: cursor - (whole.length - sign), typed: quoted ?? bare };
}

const MENTIONS = /(?:^|[\s([{])@(?:"((?:[^"\\\n]|\\.){1,512})"|([^\s"]{1,512}))/g;

/** The paths mentioned in a text, without duplicates. */
export function mentionsIn(text: string): readonly string[] {
  const paths = Array.from(text.matchAll(MENTIONS), ([, quoted, bare = ""]) => {
    if (quoted === undefined) return bare.replace(/[,;:.!?)\]}]{1,8}$/, "");
    try {
      return String(JSON.parse(`"${quoted}"`));
    } catch {
      return quoted;
    }
  });
  return [...new Set(paths)];
}

/** How a path is written after `@`: in quotes if it contains a blank or an invisible character. */
export function mentionOf(path: string): string {
  const isPlain = shownPath(path) === path && !/[\s"'`()[\]{},;]/.test(path);
  return isPlain ? `@${path}` : `@${quoted(path)}`;
}

/** As JSON, with all invisible characters escaped. */
function quoted(path: string): string {
  return JSON.stringify(path).replace(UNSEEN, (unseen) =>
    unseen
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Lists the files when the first `@` is typed, never before. */
export function createFileCompleter(options: FileIndexOptions): Completer {
  const index = createFileIndex(options);
  let listener: (() => void) | undefined;
  let known: { readonly typed: string; readonly found: FoundFiles } | undefined;
  let asked: string | undefined;

  function ask(typed: string): void {
    if (asked === typed) return;
    asked = typed;
    let isHere = true;
    index.search(typed, (found) => {
      if (asked !== typed) return;
      known = { typed, found };
      if (!isHere) listener?.();
    });
    isHere = false;
  }

  return {
    look: (text, cursor): Suggestions | undefined => {
      const mention = mentionAt(text, cursor);
      if (!mention) {
        asked = undefined;
        return undefined;
      }
      ask(mention.typed);
      // The matches for the previous text are shown until the new search is done, to avoid flicker.
      const { paths = [], note } = known?.found ?? {};
      const shown =
        known?.typed === mention.typed || mention.typed.startsWith(known?.typed ?? "\0") ? paths : [];
      return {
        from: mention.from,
        to: cursor,
        items: shown.map((path) => ({
          shown: printable(path),
          put: path.endsWith("/") && mentionOf(path) === `@${path}` ? `@${path}` : `${mentionOf(path)} `,
        })),
        note: note === undefined ? undefined : printable(note),
      };
    },
    onMore: (heard) => {
      listener = heard;
    },
    close: index.close,
  };
}
