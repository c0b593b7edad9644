// The versions of one addon during development. Each is a copy of what was saved, so a process that starts later still runs
// the version that was registered, whatever has been saved since.

import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { describeError } from "indusagi/core";
import type { HostCapability } from "../../feature/descriptor.ts";
import type { AddonDescription, AddonSource, LoadedAddon } from "../contract.ts";
import { type CodeAddonHandle, createTieredLoader, type TieredLoaderDeps } from "../kinds/tiered-loader.ts";
import { hashAddon } from "../source/content-hash.ts";

/** One version that has registered. Disposing of it removes its copy. */
export interface AddonVersion extends LoadedAddon {
  readonly code?: CodeAddonHandle | undefined;
  readonly dispose: () => Promise<void>;
}

/** What was saved, read as data; none of it has run. */
export interface SavedAddon {
  readonly description: AddonDescription;
  readonly hash: string;
  /** Lets it register, in a fresh process. Rejects with the reason if it fails. */
  readonly load: (grants: readonly HostCapability[]) => Promise<AddonVersion>;
  /** Removes the copy of a version that will not be loaded. */
  readonly discard: () => void;
}

export interface AddonVersions {
  /** The version on disk now; undefined if it is the one loaded last. Rejects with what is wrong with it. */
  readonly saved: () => Promise<SavedAddon | undefined>;
  /** Removes every copy. */
  readonly dispose: () => void;
}

/** Error messages name the author's own files, never the copies. */
export function createAddonVersions(source: AddonSource, deps: TieredLoaderDeps): AddonVersions {
  const copies = realpathSync(mkdtempSync(join(tmpdir(), "indus-dev-")));
  let count = 0;
  let loadedLast: string | undefined;

  return {
    async saved() {
      if (hashAddon(source.root) === loadedLast) return undefined;
      const folder = join(copies, String(++count));
      const root = join(folder, basename(source.root));
      const copy: AddonSource = { ...source, root, path: join(root, relative(source.root, source.path)) };
      const discard = (): void => rmSync(folder, { recursive: true, force: true });
      const orDiscard = async <Result>(work: () => Promise<Result>): Promise<Result> => {
        try {
          return await work();
        } catch (error) {
          discard();
          throw new Error(describeError(error).replaceAll(root, source.root), { cause: error });
        }
      };
      return orDiscard(async () => {
        cpSync(source.root, root, { recursive: true, verbatimSymlinks: true });
        const hash = hashAddon(root); // hash the copy: anything saved meanwhile is the next version
        const loader = createTieredLoader(deps);
        const description = await loader.describe(copy);
        const load: SavedAddon["load"] = (grants) =>
          orDiscard(async () => {
            const addon = await loader.load(copy, { hash, grants });
            loadedLast = hash;
            const [code] = loader.code();
            const dispose = async (): Promise<void> => {
              await addon.dispose?.();
              discard();
            };
            return { ...addon, code, dispose };
          });
        return { description, hash, load, discard };
      });
    },
    dispose: () => rmSync(copies, { recursive: true, force: true }),
  };
}
