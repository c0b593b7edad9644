// The answers that a client's dialogue offers to a permission question, as a console's question does.

import { printable } from "indusagi/core";
import type { PermissionAnswer, PermissionQuestion } from "../feature/permission.ts";

export interface OfferedAnswer {
  readonly words: string;
  readonly answer: PermissionAnswer;
}

/** Yes comes first, no last. `span`: how long an answer for the session holds, in words. */
export function offeredAnswers(
  {
    sessionRule,
    keep,
    mode,
    host,
    readable,
    writable,
  }: Pick<PermissionQuestion, "sessionRule" | "keep" | "mode" | "host" | "readable" | "writable">,
  span: string,
): readonly OfferedAnswer[] {
  const answers: OfferedAnswer[] = [{ words: "Yes", answer: { kind: "once" } }];
  const add = (words: string, answer: PermissionAnswer): void =>
    void answers.push({ words: printable(words), answer });
  if (host !== undefined) {
    const inside = `Yes, in the sandbox with the network to ${host} only`;
    add(`${inside}, for this command`, { kind: "host", lasts: "once" });
    add(`${inside}, for commands ${span}`, { kind: "host", lasts: "session" });
  }
  if (readable !== undefined || writable !== undefined) {
    const inside = `Yes, in the sandbox, reading ${writable === undefined ? readable : `and changing ${writable}`}`;
    add(`${inside}, for this command`, { kind: "folder", lasts: "once" });
    add(`${inside}, for commands ${span}`, { kind: "folder", lasts: "session" });
  }
  if (mode !== undefined) add(`Yes, and switch to the mode ${mode}`, { kind: "mode" });
  add(`Yes, and don't ask again ${span}: ${sessionRule}`, { kind: "session" });
  if (keep !== undefined) {
    const pattern = keep.prefix;
    const kept = { kind: "always", where: "here", pattern } as const;
    add(`Yes, and don't ask again in this folder: ${pattern ?? keep.exact}`, kept);
  }
  add("No", { kind: "no" });
  return answers;
}
