// Checkpoints that are loaded when something is about to change: most sessions look and run, and never write.

import type { Fs } from "indusagi/capabilities";
import { describeError } from "indusagi/core";
import type { Access } from "../../feature/contract.ts";
import type { Checkpoints } from "../../session/checkpoints.ts";
import type { KeptCheckpoints } from "./checkpoints.ts";

/** With `afterCommands`, a command can change relevant files. A failed load is reported, and loses only the checkpoints. */
export function createLazyCheckpoints(
  afterCommands: boolean,
  load: () => Promise<KeptCheckpoints>,
  tell: (text: string) => void,
): Checkpoints {
  let loading: Promise<KeptCheckpoints | undefined> | undefined;
  let isOpen = false;

  async function before(touched: readonly Access[]): Promise<void> {
    if (!isOpen) return;
    const isCommand = touched.some(({ kind }) => kind === "execute");
    if (!touched.some(({ kind }) => kind === "write") && !(isCommand && (afterCommands || loading))) return;
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
    await kept?.before(touched);
  }

  return {
    begin() {
      isOpen = true;
      void loading?.then((kept) => kept?.begin());
    },
    before,
    noting: (fs) => notingFs(fs, before),
    async end() {
      isOpen = false;
      const kept = await loading;
      return kept?.end();
    },
  };
}

/** The same files; `before` is awaited before one is written or removed. */
function notingFs(fs: Fs, before: (touched: readonly Access[]) => Promise<void>): Fs {
  const noted = (path: string): Promise<void> => before([{ kind: "write", path }]);
  const { checked } = fs;
  return {
    ...fs,
    writeFile: async (path, data) => {
      await noted(path);
      await fs.writeFile(path, data);
    },
    rm: async (path, options) => {
      await noted(path);
      await fs.rm(path, options);
    },
    ...(checked ? { checked: (check) => notingFs(checked(check), before) } : {}),
  };
}
