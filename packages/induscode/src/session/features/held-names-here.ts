// The files that appeared while addons or commands could write and are withheld from a session; loaded only if there are any, or could be.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { HeldNames } from "../../addons/source/held-names.ts";

export interface HeldNamesHere extends Pick<HeldNames, "refusal" | "settle" | "lines"> {
  readonly open: () => Promise<HeldNames>;
}

/** Reads it from the product's home folder. */
export async function heldNamesHere(home: string): Promise<HeldNamesHere> {
  let names: HeldNames | undefined;
  const open = async (): Promise<HeldNames> => {
    const { createHeldNames } = await import("../../addons/source/held-names.ts");
    names ??= createHeldNames(home);
    return names;
  };
  const folder = join(home, "held");
  if (existsSync(folder) && readdirSync(folder).length > 0) await open();
  return {
    open,
    refusal: (path) => names?.refusal(path),
    settle: () => names?.settle() ?? [],
    lines: (folder) => names?.lines(folder) ?? [],
  };
}
