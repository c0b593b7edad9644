// An index of addons: a JSON file that anybody can host, with what each is called, what it does, and what `indus add` takes for it.

import { isTable } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";

export interface IndexedAddon {
  readonly name: string;
  readonly description: string;
  /** For `indus add`. */
  readonly source: string;
  readonly keywords: readonly string[];
}

/** A row that does not fit costs that row alone; `left` is how many those are. Throws a {@link Problem} for what is no index. */
export function readIndex(
  content: unknown,
  said: string,
): { readonly addons: readonly IndexedAddon[]; readonly left: number } {
  if (!isTable(content) || content.version !== 1 || !Array.isArray(content.addons))
    throw new Problem(`${said} is not an index of addons: expected "version": 1 and a list "addons"`);
  const addons = content.addons.flatMap((row): readonly IndexedAddon[] => {
    if (!isTable(row)) return [];
    const { name, description = "", source, keywords = [] } = row;
    const isRow = [name, description, source].every((each) => typeof each === "string");
    if (!isRow || !Array.isArray(keywords) || !isOneWord(String(source))) return [];
    return [
      {
        name: String(name),
        description: String(description),
        source: String(source),
        keywords: keywords.filter((each) => typeof each === "string"),
      },
    ];
  });
  return { addons, left: content.addons.length - addons.length };
}

/** It is shown to be pasted into a shell, where more than one word, quoted or not, could be another command. */
function isOneWord(source: string): boolean {
  return /^(?:[\w@:/.+#~^=,%?-]|'[^'\p{Cc}]*'|"[^"$`\\!\p{Cc}]*")+$/u.test(source);
}

/** Those in which every word is found; those with it in their name first. */
export function searchIndex(addons: readonly IndexedAddon[], wanted: string): readonly IndexedAddon[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const isIn = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const found = addons.filter(({ name, description, keywords }) =>
    isIn([name, description, ...keywords].join("\n")),
  );
  return found.toSorted((one, other) => Number(isIn(other.name)) - Number(isIn(one.name)));
}
