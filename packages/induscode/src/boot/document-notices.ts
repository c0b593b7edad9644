// The documents of deeper folders as notices of one session: shown when a tool first uses something there, and again
// when a summary took them out of the model's view.

import type { FolderDoc, FolderDocsLoad, GatheredBriefing } from "../briefing/index.ts";
import type { Conductor, ShownDocument } from "../conductor/contract.ts";
import { FOLDER_DOCUMENTS } from "../deck/builtins/folder-documents.ts";

/** As much as one context document may have (seed 003), and a little for its heading. */
const MAX_NOTICE_BYTES: number = 48 * 1024;

export interface DocumentNotices {
  readonly visit: (path: string) => void;
  /** Takes these for what is in view, and nothing else. */
  readonly recall: (shown: Iterable<ShownDocument>) => void;
  /** From now on a summary brings the documents back, and a cleared view forgets them. */
  readonly follow: (conductor: Pick<Conductor, "subscribe">) => void;
}

export interface DocumentNoticesDeps {
  readonly docs: GatheredBriefing["folderDocs"];
  readonly notify: Conductor["notify"];
  /** Tells the person what could not be used. */
  readonly tell: (line: string) => void;
}

export function createDocumentNotices({ docs, notify, tell }: DocumentNoticesDeps): DocumentNotices {
  return {
    visit: (path) => show(docs.touched(path)),
    recall,
    follow(conductor) {
      conductor.subscribe((event) => {
        if (event.kind !== "entry") return;
        if (event.entry.type === "summary") show(docs.again());
        if (event.entry.type === "clear") recall([]);
      });
    },
  };

  function recall(shown: Iterable<ShownDocument>): void {
    docs.recall([...shown].map(({ path, ...rest }) => ({ source: path, ...rest })));
  }

  function show({ docs: found, diagnostics }: FolderDocsLoad): void {
    for (const { message } of diagnostics) tell(message);
    for (const group of inNotices(found)) {
      const text = group.map(textOf).join("\n\n");
      const documents = group.map(({ source, folder, digest }) => ({ path: source, folder, digest }));
      notify(FOLDER_DOCUMENTS, text, { maxBytes: MAX_NOTICE_BYTES, documents });
    }
  }
}

function textOf({ path, body }: FolderDoc): string {
  return `## ${path}\n${body}`;
}

/** As few groups as possible, in order, none longer than a notice may be: a text cut in its middle loses instructions. */
function inNotices(docs: readonly FolderDoc[]): readonly (readonly FolderDoc[])[] {
  const groups: FolderDoc[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const doc of docs) {
    const own = Buffer.byteLength(textOf(doc)) + 2;
    if (bytes + own > MAX_NOTICE_BYTES) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)?.push(doc);
    bytes += own;
  }
  return groups;
}
