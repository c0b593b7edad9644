import type { Fs } from "indusagi/capabilities";
import type { JoinedParts } from "./joined-parts.ts";

/** The same files; `before` is awaited before one is written or removed. */
export function notedFiles(fs: Fs, before: JoinedParts["beforeChange"]): Fs {
  const noted = async (path: string, action: () => Promise<void>): Promise<void> => {
    const after = await before([{ kind: "write", path }]);
    await action().finally(() => after());
  };
  const { checked } = fs;
  return {
    ...fs,
    writeFile: (path, data) => noted(path, () => fs.writeFile(path, data)),
    rm: (path, options) => noted(path, () => fs.rm(path, options)),
    checked: checked && ((check) => notedFiles(checked(check), before)),
  };
}
