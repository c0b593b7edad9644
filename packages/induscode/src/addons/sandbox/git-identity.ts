// Who a commit in the sandbox is by. The person's home is empty there, and with it git's settings; only the name and the address of the
// person's own settings are handed in. A repository's own settings come before them, as everywhere.

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SYSTEM_PATH } from "./system-places.ts";

/** A git that does not answer by then is treated as one without an identity. */
const PATIENCE_MS = 2_000;
const MAX_BYTES = 64 * 1024;

interface Person {
  readonly personHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface GitIdentity {
  /** Writes `.gitconfig` into the home that commands see, once, before the first of them: later, what lies there is theirs. */
  readonly handIn: (home: string) => void;
  /** What must be known of a command that makes commits: that they are not signed although the person signs theirs. */
  readonly remarkOn: (command: string) => string | undefined;
}

export function createGitIdentity(person: Person): GitIdentity {
  let isHandedIn = false;
  let signs = false;
  return { handIn, remarkOn: (command) => (signs && COMMITS.test(command) ? UNSIGNED : undefined) };

  function handIn(home: string): void {
    if (isHandedIn) return;
    isHandedIn = true;
    const told = hasSettings(person) ? identityOf(person) : new Map<string, string>();
    const rows = (["name", "email"] as const).flatMap((key) => {
      const value = told.get(`user.${key}`);
      return value === undefined ? [] : [`\t${key} = ${quoted(value)}`];
    });
    if (rows.length > 0)
      writeFileSync(join(home, ".gitconfig"), `[user]\n${rows.join("\n")}\n`, { mode: 0o600, flag: "wx" });
    signs = told.get("commit.gpgsign") === "true";
  }
}

const COMMITS = /\bgit [^\n]{0,500}\b(?:am|cherry-pick|commit|merge|pull|rebase|revert)\b/;
const UNSIGNED = "commits made in the sandbox are not signed: it cannot reach the person's key";

/** Whether the person has settings of git at all: to ask costs the first command 6 ms. */
function hasSettings({ personHome, env }: Person): boolean {
  const own = env.GIT_CONFIG_GLOBAL || join(personHome, ".gitconfig");
  const shared = join(env.XDG_CONFIG_HOME || join(personHome, ".config"), "git", "config");
  return existsSync(own) || existsSync(shared);
}

/** Asks the system's git: a folder of the workspace may be on the person's PATH, and nothing confines this one. */
function identityOf({ personHome, env }: Person): ReadonlyMap<string, string> {
  const { XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = env;
  try {
    const said = execFileSync(
      "git",
      ["config", "--global", "--includes", "-z", "--get-regexp", "^(user\\.(name|email)|commit\\.gpgsign)$"],
      {
        cwd: personHome,
        encoding: "utf8",
        env: { HOME: personHome, PATH: SYSTEM_PATH, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL },
        maxBuffer: MAX_BYTES,
        stdio: ["ignore", "pipe", "ignore"],
        timeout: PATIENCE_MS,
      },
    );
    return new Map(said.split("\0").flatMap(keyAndValue));
  } catch {
    return new Map(); // no git, or nothing that it knows of the person: then a commit says itself what it needs
  }
}

function keyAndValue(entry: string): readonly (readonly [string, string])[] {
  const at = entry.indexOf("\n");
  return at < 0 ? [] : [[entry.slice(0, at), entry.slice(at + 1)]];
}

function quoted(value: string): string {
  const escaped = value
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t");
  return `"${escaped}"`;
}
