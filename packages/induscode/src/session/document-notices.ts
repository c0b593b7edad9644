// The documents of deeper folders as notices in one session: shown when a tool first uses something there, and again after a
// summary removed them from the model's view.

import { type JsonValue, resolvePath } from "indusagi/core";
import type { FolderDoc, FolderDocsLoad } from "../briefing/docs-reading.ts";
import type { GatheredBriefing } from "../briefing/gather.ts";
import type { Conductor, Entry, ShownDocument } from "../conductor/contract.ts";
import { stringArgument } from "../deck/builtins/accesses.ts";

/** The origin of the notices. */
const FOLDER_DOCUMENTS = "builtin:folder-documents";

/** The size limit of one context document, plus a little for its heading. */
const MAX_NOTICE_BYTES: number = 48 * 1024;

export interface DocumentNotices {
  readonly visit: (path: string) => void;
  /** Replaces what counts as in view with these. */
  readonly recall: (shown: Iterable<ShownDocument>) => void;
  /**
   * From now on, paths that tools use are visited, a summary brings the documents back, and a cleared view forgets them.
   * Applies to this session only, not to its delegates.
   */
  readonly follow: (conductor: Pick<Conductor, "subscribe">) => void;
}

export interface DocumentNoticesDeps {
  readonly cwd: string;
  /** What `~` means; default: the home folder in the process's environment. */
  readonly personHome?: string;
  readonly docs: GatheredBriefing["folderDocs"];
  readonly notify: Conductor["notify"];
  /** Tells the person what could not be used. */
  readonly tell: (line: string) => void;
}

export function createDocumentNotices({
  cwd,
  personHome,
  docs,
  notify,
  tell,
}: DocumentNoticesDeps): DocumentNotices {
  const asked = new Map<string, JsonValue>();
  return {
    visit,
    recall,
    follow(conductor) {
      conductor.subscribe(
        (event) => {
          if (event.kind !== "entry") return;
          if (event.entry.type === "assistant") noteCalls(event.entry);
          if (event.entry.type === "tool") noteUse(event.entry);
          if (event.entry.type === "summary") show(docs.again(), true);
          if (event.entry.type === "clear") recall([]);
        },
        { pieces: false },
      );
    },
  };

  function visit(path: string): void {
    show(docs.touched(path));
  }

  function noteCalls({ message }: EntryOf<"assistant">): void {
    asked.clear();
    for (const block of message.content) if (block.kind === "tool_call") asked.set(block.id, block.input);
  }

  function noteUse({ callId, state, input = asked.get(callId) ?? {} }: EntryOf<"tool">): void {
    const path = state === "ok" ? stringArgument(input, "path") : undefined;
    if (path !== undefined) visit(resolvePath(cwd, path, personHome));
  }

  function recall(shown: Iterable<ShownDocument>): void {
    docs.recall([...shown].map(({ path, ...rest }) => ({ source: path, ...rest })));
  }

  function show({ docs: found, diagnostics }: FolderDocsLoad, isAgain = false): void {
    for (const { kind, message } of diagnostics) if (kind !== "absent") tell(message);
    for (const group of inNotices(found)) {
      const text = group.map(textOf).join("\n\n");
      const documents = group.map(({ source, folder, digest }) => ({ path: source, folder, digest }));
      notify(FOLDER_DOCUMENTS, text, {
        maxBytes: MAX_NOTICE_BYTES,
        documents,
        isAgain: isAgain || undefined,
      });
    }
  }
}

type EntryOf<Type extends Entry["type"]> = Extract<Entry, { readonly type: Type }>;

function textOf({ path, body }: FolderDoc): string {
  return `## ${path}\n${body}`;
}

/** As few groups as possible, in order, each within a notice's limit: text cut in the middle would lose instructions. */
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
