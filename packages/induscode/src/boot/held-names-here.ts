// What is held of what appeared while addons could write, for a session: loaded only where something is held or may come to be.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HeldNames } from "../addons/source/held-names.ts";

export interface HeldNamesHere extends Pick<HeldNames, "refusal" | "settle" | "lines"> {
  readonly open: () => Promise<HeldNames>;
}

/** As the product's home folder has it. */
export async function heldNamesHere(home: string): Promise<HeldNamesHere> {
  let names: HeldNames | undefined;
  const open = async (): Promise<HeldNames> => {
    const { createHeldNames } = await import("../addons/source/held-names.ts");
    names ??= createHeldNames(home);
    return names;
  };
  if (existsSync(join(home, "held"))) await open();
  return {
    open,
    refusal: (path) => names?.refusal(path),
    settle: () => names?.settle() ?? [],
    lines: () => names?.lines() ?? [],
  };
}
