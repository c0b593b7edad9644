// Checkpoints that are loaded when something is about to change: most sessions look and run, and never write.

import { describeError } from "indusagi/core";
import type { AfterChange } from "../../cli/part.ts";
import type { Access } from "../../feature/tool.ts";
import type { Checkpoints } from "./checkpoints.ts";

/** Where commands are not looked at, one can only change files that were written before. A failed load is reported, and loses only the checkpoints. */
export function createLazyCheckpoints(
  looksAtAll: boolean,
  load: () => Promise<Checkpoints>,
  tell: (text: string) => void,
): Checkpoints {
  let loading: Promise<Checkpoints | undefined> | undefined;
  let isOpen = false;
  let written: readonly string[] = [];

  return {
    wrote(paths) {
      written = paths;
      void loading?.then((kept) => kept?.wrote(paths));
    },
    begin() {
      isOpen = true;
      void loading?.then((kept) => kept?.begin());
    },
    async before(touched): Promise<AfterChange> {
      const isRelevant = ({ kind }: Access): boolean =>
        kind === "write" || (kind === "execute" && (looksAtAll || written.length > 0));
      if (!isOpen || !(loading || touched.some(isRelevant))) return () => undefined;
      loading ??= load().then(
        (kept) => {
          kept.wrote(written);
          kept.begin();
          return kept;
        },
        (error: unknown) => {
          tell(`This session has no checkpoints: ${describeError(error)}`);
          return undefined;
        },
      );
      const kept = await loading;
      return (await kept?.before(touched)) ?? (() => undefined);
    },
    meanwhile: () => void loading?.then((kept) => kept?.meanwhile()),
    async end() {
      isOpen = false;
      const kept = await loading;
      return kept?.end();
    },
    close: () => void loading?.then((kept) => kept?.close()),
  };
}
