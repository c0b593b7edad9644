// The folder that an MCP server keeps between sessions: the only home that it has.

import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { homePath } from "../../store/home-files.ts";
import { type AddonId, type AddonSource, LoaderError } from "../contract.ts";
import { realPath } from "../source/on-disk.ts";

const DIGEST_DIGITS = 12;

/** Where it lies. One that is not the person's own shares it with no other of its name: that is another repository's. */
export function serverStatePath(
  home: string,
  { scope, root }: Pick<AddonSource, "scope" | "root">,
  called: AddonId,
): string {
  if (scope === "user") return homePath(home, "addonState", called);
  const digest = createHash("sha256").update(root).digest("hex").slice(0, DIGEST_DIGITS);
  return homePath(home, "addonState", `${called}@${digest}`);
}

/** Makes it where there is none, for the person alone, and returns its real path. Nothing in it is looked at: all of it is the server's. */
export function openServerState(home: string, source: AddonSource, called: AddonId): string {
  const path = serverStatePath(realPath(home), source, called);
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path, { mode: 0o700 });
  if (!lstatSync(path).isDirectory())
    throw new LoaderError(
      { kind: "io", path },
      "expected the folder that the MCP server keeps, found a link or a file; remove it",
    );
  return realPath(path);
}

/** What tells programs where their own files go. */
export function stateVariables(folder: string): Readonly<Record<string, string>> {
  return {
    HOME: folder,
    XDG_CACHE_HOME: join(folder, ".cache"),
    XDG_CONFIG_HOME: join(folder, ".config"),
    XDG_DATA_HOME: join(folder, ".local/share"),
    XDG_STATE_HOME: join(folder, ".local/state"),
  };
}
