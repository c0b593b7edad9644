// How much of a commit each turn of each session wrote.

import { counted } from "../../conductor/log-reader.ts";
import type { MaybeOrigin } from "./origin.ts";

export interface CommittedShare {
  readonly path: string;
  readonly added: number;
  /** The largest first. */
  readonly by: readonly {
    readonly session: string;
    readonly turn: number;
    readonly said: string;
    readonly lines: number;
  }[];
  /** Lines that no session wrote. */
  readonly nobody: number;
}

/** `origins` are those of the lines that the commit added. */
export function sharesOf(path: string, origins: readonly MaybeOrigin[]): CommittedShare {
  const by = new Map<string, { session: string; turn: number; said: string; lines: number }>();
  let nobody = 0;
  for (const origin of origins) {
    if (!origin) {
      nobody++;
      continue;
    }
    const { session, turn, said } = origin;
    const share = by.get(`${session} ${turn}`) ?? { session, turn, said, lines: 0 };
    by.set(`${session} ${turn}`, share);
    share.lines++;
  }
  const largest = [...by.values()].sort((a, b) => b.lines - a.lines);
  return { path, added: origins.length, by: largest, nobody };
}

export function commitText(commit: string, shares: readonly CommittedShare[]): readonly string[] {
  const nobody = shares.reduce((sum, share) => sum + share.nobody, 0);
  const added = shares.reduce((sum, share) => sum + share.added, 0);
  return [
    `commit ${commit}: ${counted(added, "line")} added, ${added - nobody} by sessions, ${nobody} without a source in any log`,
    ...shares.flatMap((share) => [
      "",
      `${share.path}: ${counted(share.added, "line")} added`,
      ...share.by.map(
        ({ session, turn, said, lines }) => `  ${lines}  session ${session}, turn ${turn}: "${said}"`,
      ),
      ...(share.nobody > 0 ? [`  ${share.nobody}  no session`] : []),
    ]),
  ];
}
