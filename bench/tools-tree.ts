// The tree used to measure searches: 100,000 source files of 1 to 4 KB in nested folders, the same in every run.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const fileCount = 100_000;
const filesInFolder = 40;
const foldersAcross = 14;

/** Occurs in one file of a thousand, so that a search reads everything and finds a hundred places. */
export const rareWord = "quicksilverHarbour";
/** Occurs in the name of one file of a thousand. */
export const rareName = "harbour";

/** Creates the tree below `root`. */
export function makeTree(root: string): void {
  const random = createRandom(7);
  for (let index = 0; index < fileCount; index++) {
    const folder = folderOf(root, Math.floor(index / filesInFolder));
    if (index % filesInFolder === 0) mkdirSync(folder, { recursive: true });
    const isRare = index % 1_000 === 500;
    writeFileSync(join(folder, `${isRare ? rareName : "module"}-${index}.ts`), sourceText(random, isRare));
  }
}

function folderOf(root: string, number: number): string {
  const names: string[] = [];
  for (let rest = number; rest > 0; rest = Math.floor(rest / foldersAcross))
    names.unshift(`part-${rest % foldersAcross}`);
  return join(root, "src", ...names);
}

const words = [
  "const",
  "value",
  "import",
  "return",
  "function",
  "index",
  "result",
  "await",
  "items",
  "string",
  "total",
];

function sourceText(random: () => number, isRare: boolean): string {
  const lines: string[] = [];
  const wanted = 1_000 + Math.floor(random() * 3_000);
  for (let size = 0; size < wanted; ) {
    const line = Array.from(
      { length: 3 + Math.floor(random() * 8) },
      () => words[Math.floor(random() * words.length)],
    );
    lines.push(`  ${line.join(" ")} ${Math.floor(random() * 10_000)};`);
    size += lines.at(-1)?.length ?? 0;
  }
  if (isRare)
    lines.splice(lines.length >> 1, 0, `  const ${rareWord} = load(${Math.floor(random() * 100)});`);
  return `${lines.join("\n")}\n`;
}

/** Numbers from 0 to 1, the same for the same seed (a linear congruential generator, Numerical Recipes). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
