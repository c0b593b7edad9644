// What can be chosen in a session by a front's menus: the permission mode, the model, how hard it thinks. Each returns why nothing was
// chosen, undefined if it was.

import type { Conductor } from "../conductor/contract.ts";
import { START_MODES } from "../deck/permissions/modes.ts";
import { THINKING_LEVELS } from "../settings/thinking-levels.ts";
import type { IndusSession } from "./open-indus.ts";

export function chooseMode({ modes }: Pick<IndusSession, "modes">, wanted: unknown): string | undefined {
  const mode = START_MODES.find((each) => each === wanted);
  if (mode === undefined) return `unknown mode ${JSON.stringify(wanted)}; expected ${START_MODES.join(", ")}`;
  const why = modes.choose(mode);
  return why === undefined ? undefined : `the mode is still ${modes.inForce()}: ${why}`;
}

export async function chooseModel(
  { setModel }: Pick<Conductor, "setModel">,
  wanted: unknown,
): Promise<string | undefined> {
  if (typeof wanted !== "string") return "expected the name of a model";
  return (await setModel(wanted))?.message;
}

export function chooseThinking(
  { setThinking }: Pick<Conductor, "setThinking">,
  wanted: unknown,
): string | undefined {
  const level = THINKING_LEVELS.find((each) => each === wanted);
  if (level === undefined)
    return `unknown value ${JSON.stringify(wanted)}; expected ${THINKING_LEVELS.join(", ")}`;
  setThinking(level);
  return undefined;
}
