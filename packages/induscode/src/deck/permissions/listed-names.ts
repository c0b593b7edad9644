// `src/*.js` stands for names in one folder. What all of its names lead to is looked at: whichever of them are meant, no other is opened.

import { join } from "node:path";
import type { ShellPart, ShellWord } from "../shell/contract.ts";
import { placesOf } from "../shell/expand-word.ts";
import type { GitFiles } from "../shell/git-place.ts";

/** More are asked about: each is a path to look up. */
const MAX_NAMES = 1_000;
/** No sign that a shell expands. */
const PLAIN_FOLDER = /^[\w.@+/-]*$/;
/** A star or a question mark, and no other such sign; never what begins with a dot. */
const PATTERN = /^[\w@+?*-][\w.@+?*-]*$/;

/** The folder, with its slash, of a word whose last name stands for several. */
function partsOf(text: string): { readonly path: string } | undefined {
  const at = text.lastIndexOf("/") + 1;
  const [path, name] = [text.slice(0, at), text.slice(at)];
  const isListed = PATTERN.test(name) && /[*?]/.test(name) && !name.includes("**");
  return isListed && PLAIN_FOLDER.test(path) && !path.startsWith("/") && !path.includes("//")
    ? { path }
    : undefined;
}

/** The part with all names of their folders in place of such words; itself if there are none, or it is not known which names. */
export async function withListedNames(part: ShellPart, files: GitFiles | undefined): Promise<ShellPart> {
  const [folder, ...others] = part.folders ?? [];
  const isOpen = part.words.some(({ value }) => value === undefined);
  if (!isOpen || files === undefined || folder === undefined || others.length > 0) return part;
  const words: ShellWord[] = [];
  for (const word of part.words) {
    const names = word.value === undefined ? await namesFor(word.text, folder, files) : [word];
    if (names === undefined || words.length + names.length > MAX_NAMES) return part;
    words.push(...names);
  }
  return { ...part, words };
}

async function namesFor(
  text: string,
  folder: string,
  files: GitFiles,
): Promise<readonly ShellWord[] | undefined> {
  const { path } = partsOf(text) ?? {};
  if (path === undefined) return undefined;
  const [place] = placesOf(path === "" ? "." : path, [folder]) ?? [];
  const children = place === undefined ? undefined : await files.readDir(place).catch(() => undefined);
  if (children === undefined || children.length > MAX_NAMES) return undefined;
  const names = children.map(({ name }) => name).filter((name) => !name.startsWith("."));
  // Without a folder before it, such a name would be an option.
  if (path === "" && names.some((name) => name.startsWith("-"))) return undefined;
  return names.map((name) => ({ text: path + name, value: path === "" ? name : join(path, name) }));
}
