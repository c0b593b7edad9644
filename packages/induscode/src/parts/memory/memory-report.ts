// `/memory`: shows what is remembered and lets the person change it, with no model and no permission.

import { describeError, type SecretMask } from "indusagi/core";
import { acceptMemory, type MemoryFiles, memoryFiles, openMemory } from "./memory.ts";

const USAGE =
  "/memory add TEXT remembers TEXT for this folder, /memory add-user TEXT remembers TEXT about you; /memory remove TEXT removes an entry. Or edit the files, then /memory accept.";

/** `mask` hides secrets. */
export async function memoryReport(
  files: MemoryFiles | undefined,
  words: string,
  mask: Pick<SecretMask, "text">,
): Promise<string> {
  if (!files) return 'Memory is off: the setting "memory" is false.';
  const memory = openMemory(files, mask)();
  const [verb = "", ...rest] = words.trim().split(/ +/);
  const text = rest.join(" ");
  try {
    if (verb === "add" || verb === "add-user") {
      await memory.add(text, verb === "add" ? "project" : "user");
      return "Remembered. New sessions know this entry.";
    }
    if (verb === "remove") {
      const [found] = (await memory.search()).filter((entry) => entry.text === text);
      await memory.replace(text, "", found?.scope ?? "project");
      return "Forgotten. Sessions that have already read the entry still know it.";
    }
    if (verb === "accept") acceptMemory(files);
    else if (verb !== "") return USAGE;
    const shown = memoryFiles(files).flatMap(({ path, lines, problem }) => [
      path,
      ...lines.map((line) => `  ${mask.text(line)}`),
      ...(problem === undefined ? [] : [`  ! ${problem}`]),
    ]);
    const end = verb === "accept" ? "Accepted: new sessions know the edited memory." : USAGE;
    return [...shown, end].join("\n");
  } catch (error) {
    return describeError(error);
  }
}
