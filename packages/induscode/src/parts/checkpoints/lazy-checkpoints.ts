// Checkpoints that are loaded when something is about to change: most sessions look and run, and never write.

import type { Fs } from "indusagi/capabilities";
import { describeError } from "indusagi/core";
import type { Access } from "../../feature/tool.ts";
import type { AfterAction, Checkpoints } from "../../session/checkpoints.ts";
import type { KeptCheckpoints } from "./checkpoints.ts";

/** With `afterCommands`, a command can change relevant files. A failed load is reported, and loses only the checkpoints. */
export function createLazyCheckpoints(
  afterCommands: boolean,
  load: () => Promise<KeptCheckpoints>,
  tell: (text: string) => void,
): Checkpoints {
  let loading: Promise<KeptCheckpoints | undefined> | undefined;
  let isOpen = false;

  async function before(touched: readonly Access[]): Promise<AfterAction> {
    const isRelevant = ({ kind }: Access): boolean =>
      kind === "write" || (kind === "execute" && afterCommands);
    if (!isOpen || !(loading || touched.some(isRelevant))) return () => undefined;
    loading ??= load().then(
      (kept) => {
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
  }

  return {
    begin() {
      isOpen = true;
      void loading?.then((kept) => kept?.begin());
    },
    before,
    noting: (fs) => notingFs(fs, before),
    meanwhile: () => void loading?.then((kept) => kept?.meanwhile()),
    async end() {
      isOpen = false;
      const kept = await loading;
      return kept?.end();
    },
    close: () => void loading?.then((kept) => kept?.close()),
  };
}

/** The same files; `before` is awaited before one is written or removed. */
function notingFs(fs: Fs, before: Checkpoints["before"]): Fs {
  const noted = async (path: string, action: () => Promise<void>): Promise<void> => {
    const after = await before([{ kind: "write", path }]);
    await action().finally(() => after());
  };
  const { checked } = fs;
  return {
    ...fs,
    writeFile: (path, data) => noted(path, () => fs.writeFile(path, data)),
    rm: (path, options) => noted(path, () => fs.rm(path, options)),
    checked: checked ? (check) => notingFs(checked(check), before) : undefined,
  };
}
