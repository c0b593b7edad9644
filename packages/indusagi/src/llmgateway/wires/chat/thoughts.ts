// The thinking in a Chat Completions stream, and the form in which it must be sent back. No two servers agree on that form: the
// block's signature names the field that it came in, or holds the fields to send back unchanged, as JSON.

import type { ModelDelta, ThinkingBlock } from "../../contract.ts";
import { asArray, asObject, asText, type Loose } from "../../loose-json.ts";

/** The `signature` of a thought that is sent back under the name of the field it came in. */
export const RETURNED_FIELDS = ["reasoning_content", "reasoning"] as const;

/** The `signature` of a thought that is sent back as a part of the content (Mistral). */
export const RETURNED_PART = "content";

export interface ThoughtGatherer {
  /** Takes the thinking fields of one delta. */
  readonly read: (delta: Loose) => void;
  /** Takes thinking that came as text between tags. It is not sent back. */
  readonly readTagged: (text: string) => void;
  /** Takes one `thinking` part of a content array. */
  readonly readPart: (part: Loose) => void;
  readonly blocks: () => readonly ThinkingBlock[];
}

export function createThoughtGatherer(
  provider: string,
  onDelta: (delta: ModelDelta) => void,
): ThoughtGatherer {
  const thoughts: string[] = [];
  const details = new Details();
  let form: string | undefined;

  const think = (text: string, from: string | undefined): void => {
    if (text === "") return;
    form ??= from;
    thoughts.push(text);
    onDelta({ kind: "thinking", text });
  };

  return {
    read(delta) {
      const stated = asArray(delta.reasoning_details);
      for (const detail of stated) details.add(asObject(detail) ?? {});
      for (const field of RETURNED_FIELDS) {
        const text = asText(delta[field]);
        if (!text) continue;
        think(text, field);
        return; // some servers send the same text in both
      }
      // Details are the thinking itself unless a field repeats it as text.
      for (const each of stated) {
        const detail = asObject(each);
        think(asText(detail?.text) ?? asText(detail?.summary) ?? "", "reasoning_details");
      }
    },
    readTagged: (text) => think(text, undefined),
    readPart({ thinking }) {
      const pieces = typeof thinking === "string" ? [{ text: thinking }] : asArray(thinking).map(asObject);
      for (const piece of pieces) think(asText(piece?.text) ?? "", RETURNED_PART);
    },
    blocks() {
      const text = thoughts.join("");
      const { all } = details;
      const signature = all.length > 0 ? JSON.stringify({ reasoning_details: all }) : form;
      if (text === "" && all.length === 0) return [];
      return [{ kind: "thinking", text, provider, ...(signature === undefined ? {} : { signature }) }];
    },
  };
}

// OpenRouter streams each detail in pieces, under its index: texts are joined; for everything else the last value counts.
class Details {
  readonly all: Loose[] = [];
  /** The position in `all` of the detail with a given index and type. */
  readonly #places = new Map<string, number>();

  add(piece: Loose): void {
    const { index } = piece;
    const isIndexed = typeof index === "number" || typeof index === "string";
    const key = isIndexed ? `${typeof index} ${index} ${asText(piece.type) ?? ""}` : undefined;
    const at = key === undefined ? undefined : this.#places.get(key);
    const known = at === undefined ? undefined : this.all[at];
    if (at !== undefined && known) this.all[at] = merged(known, piece);
    else {
      if (key !== undefined) this.#places.set(key, this.all.length);
      this.all.push(piece);
    }
  }
}

function merged(known: Loose, piece: Loose): Loose {
  const result: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(piece)) {
    const joins = name === "text" || name === "summary" || name === "data";
    const before = known[name];
    if (value === null || value === undefined) continue;
    result[name] = joins && typeof before === "string" && typeof value === "string" ? before + value : value;
  }
  return result;
}
