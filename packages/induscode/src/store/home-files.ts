// Every file the product reads by name or writes in its home, and where it lies. `docs/reference/home.md` has the rest about
// each; a test checks it against this table.

import { join } from "node:path";

export interface HomeFile {
  /** Relative to the home; `<name>` stands for a variable part, and a folder ends with `/`. */
  readonly path: string;
  /** A larger file is ignored or started over; absent: no limit. */
  readonly maxBytes?: number;
  /** The format version its content states. */
  readonly version?: number;
  /** True: one entry of a cache, bounded by {@link CACHE_BOUND}. */
  readonly isCached?: true;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * How many entries a cache keeps, for those who write many in a month, e.g. an author whose addon is loaded at each save;
 * and how long an unused entry is kept.
 */
export const CACHE_BOUND = { entries: 200, days: 30 } as const;

export const HOME_FILES = {
  settings: { path: "settings.json", maxBytes: MIB },
  models: { path: "models.json", maxBytes: MIB },
  credentials: { path: "credentials.json", maxBytes: 64 * KIB, version: 1 },
  serverLogins: { path: "server-logins.json", maxBytes: MIB, version: 1 },
  namedSecrets: { path: "secrets.json", maxBytes: MIB, version: 1 },
  lessons: { path: "cache/lessons.json", maxBytes: 256 * KIB, version: 1 },
  addons: { path: "addons/" },
  packagesLock: { path: "packages.lock", maxBytes: MIB, version: 1 },
  packages: { path: "packages/" },
  marketplaces: { path: "marketplaces.json", maxBytes: MIB, version: 1 },
  editorProject: { path: "tsconfig.json" },
  editorTypes: { path: "induscode/" },
  // Room for hundreds of thousands of answers.
  trust: { path: "trust.json", maxBytes: 64 * MIB, version: 1 },
  quarantine: { path: "quarantine.json", maxBytes: MIB, version: 1 },
  permissions: { path: "permissions.json", maxBytes: MIB, version: 1 },
  session: { path: "sessions/<folder>/<session>.jsonl", version: 3 },
  longSessions: { path: "sessions/<folder>/long-sessions", maxBytes: 4 * KIB },
  trashedSession: { path: "sessions/<folder>/trash/<session>.jsonl", version: 3 },
  delegate: { path: "sessions/<folder>/delegates/<session>.jsonl", version: 3 },
  checkpoint: { path: "checkpoints/<folder>/<hash>", maxBytes: 4 * MIB },
  checkpointIndex: { path: "checkpoints/<folder>/index.json", maxBytes: 32 * MIB, version: 1 },
  heldNames: { path: "held/<record>.json", maxBytes: 4 * MIB },
  crew: { path: "crews/<folder>/<plan>/" },
  workItems: { path: "work-items/<folder>/board.jsonl", maxBytes: 4 * MIB },
  memory: { path: "memory/<name>.md", maxBytes: 64 * KIB },
  memoryAgreed: { path: "memory/<name>.md.agreed", maxBytes: 4 * KIB },
  theme: { path: "themes/<theme>.json", maxBytes: 64 * KIB },
  keybindings: { path: "keybindings.json", maxBytes: MIB },
  history: { path: "history/<folder>.jsonl", maxBytes: MIB },
  serve: { path: "serve/" },
  bugReport: { path: "bugs/<report>.json" },
  addonState: { path: "state/<addon>/" },
  addonLog: { path: "logs/addons/<addon>.log", maxBytes: 256 * KIB },
  registration: { path: "cache/registrations/<hash>.json", maxBytes: 4 * MIB, isCached: true },
  // Room for the longest paths of as many entries as an addon may have.
  addonContent: { path: "cache/contents/<hash>.json", maxBytes: 16 * MIB, version: 1, isCached: true },
  addonTimes: { path: "cache/times/<addon>.json", maxBytes: 64 * KIB, isCached: true },
  runServer: { path: "cache/servers/<hash>/", isCached: true },
  compiled: { path: "cache/modules/<hash>/", isCached: true },
  sandboxLevel: { path: "cache/sandbox.json", maxBytes: 64 * KIB },
  toldFiles: { path: "cache/told-files", maxBytes: 256 * KIB },
  unmaskableSecrets: { path: "cache/unmaskable-secrets", maxBytes: MIB },
} as const satisfies Readonly<Record<string, HomeFile>>;

/** Where a file lies; `names` fill its variable parts, in order. */
export function homePath(home: string, file: keyof typeof HOME_FILES, ...names: readonly string[]): string {
  let at = 0;
  const path = HOME_FILES[file].path.replace(/<[^<>]*>/g, () => names[at++] ?? "");
  return join(home, path.replace(/\/$/, ""));
}

/** Where the person's own addons lie: those that they put there, and those of packages. */
export function addonFolders(home: string): readonly string[] {
  return [homePath(home, "addons"), homePath(home, "packages")];
}
