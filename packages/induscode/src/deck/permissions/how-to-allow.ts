// What would let an open call pass, worded so that following it works.

import type { Access } from "../../feature/contract.ts";
import { shownWord } from "../shell-quote.ts";
import type { Open } from "./decided.ts";
import type { PermissionMode } from "./modes.ts";

/** Quoted, because people copy it into a shell and the model wrote it. */
export function howToAllow(
  tool: string,
  { access: open, isAsked }: Pick<Open, "access" | "isAsked">,
  {
    mode,
    root,
    openParts,
  }: {
    readonly mode: PermissionMode;
    readonly root: string;
    /** The open commands of a line, if rules for them are enough. */
    readonly openParts: readonly string[] | undefined;
  },
): string {
  if (isAsked || !open)
    return "No flag overrides it: start on a terminal, or remove the rule from the settings.";
  const orBypass = mode === "bypass" ? "" : " or --permission-mode bypass";
  const { access, realPath } = open;
  if (access.kind === "execute" && access.variables) {
    const names = [...new Set(access.variables.map(({ by }) => by))].join(" and ");
    return `Start with --allow ${tool}${orBypass} to permit it, or without ${names}.`;
  }
  const isFile = access.kind === "read" || access.kind === "write";
  if (isFile && realPath === undefined)
    return mode === "bypass" ? "" : "Start with --permission-mode bypass to permit it.";
  // A rule with a pattern allows commands in the working directory only.
  if (access.kind === "execute" && access.cwd !== root)
    return `It would run in ${access.cwd}: start there, or with --allow ${tool}${orBypass} to permit it.`;
  const subjects =
    access.kind === "execute" && openParts !== undefined ? openParts : [subjectOf(access, realPath)];
  // In a rule these match other text, which nobody has asked about.
  if (access.kind === "execute" && subjects.some((subject) => /[*?]/.test(subject)))
    return `A rule for it would permit more: start on a terminal${orBypass && ", or with --permission-mode bypass,"} to permit it.`;
  const flags = subjects.map((subject) => `--allow ${shownWord(`${tool}(${subject})`)}`);
  return `Start with ${flags.join(" ")}${orBypass} to permit it.`;
}

function subjectOf(access: Access, realPath: string | undefined): string {
  if (access.kind === "execute") return access.command;
  if (access.kind === "network") return access.host;
  return access.kind === "delegate" ? access.agent : (realPath ?? access.path);
}
