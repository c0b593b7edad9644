// Names of files that hold somebody's keys and passwords by convention: one list for what a prompt may import, what an archive may
// hold, and what is kept of a folder that becomes an addon.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readFileOpening } from "indusagi/core";

/** The files in which other agents list a project's MCP servers, with the keys that the servers get. */
export const CLIENT_FILES: readonly string[] = [
  ".mcp.json",
  ".vscode/mcp.json",
  ".cursor/mcp.json",
  ".gemini/settings.json",
  ".codex/config.toml",
  "opencode.json",
  "opencode.jsonc",
];

const FOLDERS: ReadonlySet<string> = new Set([".ssh", ".aws", ".gnupg", ".kube", ".docker", ".git"]);
const FILES =
  /^(?:\.envrc|\.env(?:\..*)?|\.netrc|\.npmrc|\.yarnrc\.yml|\.pypirc|\.git-credentials|\.pgpass|\.htpasswd|credentials(?:\.json)?|auth\.json|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*\.(?:p12|pfx|ppk|jks|kdbx))$/i;
/** Written to be shared. */
const EXAMPLES = /^\.env\.(?:example|sample|template|dist|defaults|schema)$/i;
/** A file of this kind holds a private key, or certificates that anybody may have. */
const PERHAPS = /\.(?:pem|key)$/i;
const MAX_KEY_BYTES = 1024 * 1024;

/** Whether a file, or everything in a folder, with this name holds keys and passwords by convention. */
export function isPrivateName(name: string, isFolder: boolean): boolean {
  return isFolder ? FOLDERS.has(name.toLowerCase()) : FILES.test(name) && !EXAMPLES.test(name);
}

/**
 * What of a folder is private, as sorted `/`-separated paths in it; a folder that is so as a whole is one of them. Installed packages are
 * not looked at. Throws the system's error.
 */
export function privateFilesIn(folder: string): readonly string[] {
  const found: string[] = [];
  const folders = [""];
  for (let below = folders.pop(); below !== undefined; below = folders.pop())
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      const isFolder = entry.isDirectory();
      if (
        isPrivateName(entry.name, isFolder) ||
        isClients(path) ||
        (!isFolder && hasPrivateKey(folder, path))
      )
        found.push(path);
      else if (isFolder && entry.name !== "node_modules") folders.push(path);
    }
  return found.sort();
}

/** At any depth: a folder may hold several projects. */
function isClients(path: string): boolean {
  const folded = `/${path.toLowerCase()}`;
  return CLIENT_FILES.some((each) => folded.endsWith(`/${each}`));
}

function hasPrivateKey(folder: string, path: string): boolean {
  if (!PERHAPS.test(path)) return false;
  try {
    return readFileOpening(join(folder, path), MAX_KEY_BYTES).includes("PRIVATE KEY-----");
  } catch {
    return true; // a link, or not readable: nobody can say that it holds none
  }
}
