// How wide a session's permission mode can become, and what holds it back.

import { type PermissionMode, type StartMode, widthOfMode } from "../../deck/permissions/modes.ts";

/** A widest mode, and why there is no wider one. */
export interface ModeLimit {
  readonly widest: PermissionMode;
  readonly why: string;
}

/** The limits of a session that starts in this mode, narrower ones of files included. `chosenBy`: the flag or the setting. */
export function limitsOfSession(
  start: PermissionMode,
  fromFiles: readonly ModeLimit[],
  chosenBy: string,
): readonly ModeLimit[] {
  // Its addons were started without the rights to write and to run.
  if (start === "read-only")
    return [...fromFiles, { widest: start, why: `the session was started in ${start}, by ${chosenBy}` }];
  if (start === "bypass") return fromFiles;
  return [
    ...fromFiles,
    {
      widest: "auto",
      why: "only a session that was started in bypass can be in it (--permission-mode bypass)",
    },
  ];
}

/** Why a session with these limits cannot be in this mode; undefined if it can. */
export function heldBack(mode: StartMode, limits: readonly ModeLimit[]): string | undefined {
  if (mode === "plan") return undefined; // nothing is narrower, until it ends
  return narrowest(limits.filter(({ widest }) => widthOfMode(widest) < widthOfMode(mode)))?.why;
}

/** The one that leaves least. */
export function narrowest(limits: readonly ModeLimit[]): ModeLimit | undefined {
  return limits.toSorted((one, other) => widthOfMode(one.widest) - widthOfMode(other.widest))[0];
}
