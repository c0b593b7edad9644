// What a model's command can read besides the working directory and the system's programs: the person's tool chains. The home itself is
// empty in the sandbox, so credentials are out of reach even where they are not known.

import { accessSync, constants, existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { isInside } from "indusagi/core";
import { SYSTEM_FOLDERS } from "./system-places.ts";

/** System folders besides its programs: settings that programs read, and self-contained software. */
export const COMMAND_FOLDERS: readonly string[] = ["/etc", "/opt"];

/** Places in a home that contain tool chains and their downloads, without credentials. */
const TOOL_PLACES: readonly string[] = [
  ...[".nvm", ".fnm", ".volta", ".nodenv", ".bun/bin", ".deno/bin", ".local/share/fnm", ".local/share/pnpm"],
  ...[".pyenv", ".local/lib", ".local/share/uv", "miniconda3", "anaconda3", "miniforge3"],
  ...[".cargo/bin", ".cargo/registry", ".cargo/git", ".rustup", "go/bin", "go/pkg/mod", ".goenv"],
  ...[".rbenv", ".gem/ruby", ".jenv", ".sdkman/candidates", ".m2/repository", ".dotnet", ".ghcup", ".opam"],
  ...[".asdf", ".local/share/mise", ".local/bin"],
];

/** Below a home: contains credentials or acts for the person. Only for a working directory that is a home, or above one. */
const PRIVATE_PLACES: readonly string[] = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".config", ".kube", ".docker", ".netrc", ".npmrc", ".pypirc"],
  ...[".git-credentials", ".gitconfig", ".cargo/credentials.toml", ".cargo/credentials", ".m2/settings.xml"],
  ...[".gradle/gradle.properties", ".composer/auth.json", ".gem/credentials", ".password-store"],
  ...[".local/share/keyrings", ".mozilla", ".thunderbird", ".pki", ".pgpass", ".my.cnf", ".indus", ".claude"],
  ...[".codex", ".gemini", ".terraform.d", ".vault-token", ".boto", ".s3cfg", ".Xauthority", ".bash_history"],
  ...[".zsh_history", ".python_history", ".node_repl_history", ".psql_history", "Library/Keychains"],
];

/** System secrets that a person may be able to read. */
const SYSTEM_SECRETS: readonly string[] = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
  ...["/etc/ssl/private", "/etc/pki/tls/private", "/etc/letsencrypt", "/etc/krb5.keytab", "/etc/wireguard"],
  ...["/etc/openvpn", "/etc/ipsec.secrets", "/etc/ppp", "/etc/NetworkManager/system-connections"],
  ...["/etc/docker", "/etc/kubernetes", "/etc/rancher", "/etc/indus", "/etc/mysql/debian.cnf"],
];

interface CommandPlaces {
  /** Real paths outside of the working directory. */
  readonly readable: readonly string[];
  /** Real paths inside a readable place. */
  readonly hidden: readonly string[];
}

/** For a session in `root`: the tool chains in the home and on the PATH. */
export function commandPlaces(root: string, home: string, path: string): CommandPlaces {
  const tools = [
    ...TOOL_PLACES.map((place) => join(home, place)),
    // What the working directory holds is readable as such; a link in it opens nothing else.
    ...path
      .split(delimiter)
      .flatMap(toolsAt)
      .filter((place) => !leadsThrough(root, place)),
    process.execPath,
  ];
  const readable = [...new Set([...COMMAND_FOLDERS, ...tools].flatMap(realPlace))].filter(
    // A home on the PATH is not a tool chain; neither is a folder that contains it.
    (place) =>
      !isInside(place, home) &&
      !isInside(root, place) &&
      !SYSTEM_FOLDERS.some((folder) => isInside(folder, place)),
  );
  const homes = isInside(root, home) ? [home, ...otherHomes(root, home)] : [];
  const secrets = [
    ...SYSTEM_SECRETS.filter(isReadable),
    ...sshKeys(),
    ...homes.flatMap((each) => (each === home ? PRIVATE_PLACES.map((place) => join(each, place)) : [each])),
  ];
  return { readable: withoutInner(readable), hidden: [...new Set(secrets.flatMap(realPlace))] };
}

/** Where the person's programs and tool chains are, or will be, by their names: also where nothing is yet. */
export function programPlaces(home: string, path: string): readonly string[] {
  return [
    ...[...TOOL_PLACES, "bin"].map((place) => join(home, place)),
    ...path
      .split(delimiter)
      .filter(isAbsolute)
      .flatMap((folder) => [folder, ...toolsAt(folder)]),
    process.execPath,
  ];
}

/** The tool chain of a folder of programs: its own root where its name is known, else the folders next to the programs. */
function toolsAt(folder: string): readonly string[] {
  if (!isAbsolute(folder)) return [];
  const segments = folder.split(sep);
  for (const place of TOOL_PLACES) {
    const [first = ""] = place.split("/");
    const at = segments.indexOf(first);
    if (at > 0 && place === first) return [segments.slice(0, at + 1).join(sep)];
  }
  const parent = dirname(folder);
  if (!["bin", "sbin"].includes(basename(folder)) || PRIVATE_PARENTS.has(basename(parent))) return [folder];
  return [folder, ...["lib", "lib64", "libexec", "share", "include"].map((name) => join(parent, name))];
}

const PRIVATE_PARENTS: ReadonlySet<string> = new Set([".local", ".config", "home", "root", ""]);

/** Whether the path passes a folder in `root`, wherever a link in it leads then. */
function leadsThrough(root: string, path: string): boolean {
  const isIn = realPlace(path).some((real) => isInside(root, real));
  return isIn || (path !== dirname(path) && leadsThrough(root, dirname(path)));
}

function realPlace(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return []; // a missing place needs no mount
  }
}

/** Each mount costs time; a place inside another is already included. */
function withoutInner(places: readonly string[]): readonly string[] {
  return places.filter((place) => !places.some((other) => other !== place && isInside(other, place)));
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function sshKeys(): readonly string[] {
  if (!existsSync("/etc/ssh")) return [];
  try {
    return readdirSync("/etc/ssh")
      .filter((name) => name.endsWith("_key"))
      .map((name) => join("/etc/ssh", name))
      .filter(isReadable);
  } catch {
    return []; // not readable for this user, so not for their commands
  }
}

/** For a working directory that contains homes. */
function otherHomes(root: string, home: string): readonly string[] {
  const holders = ["/home", "/Users"].filter((folder) => isInside(root, folder));
  const found = holders.flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
  );
  return [...found, ...(isInside(root, "/root") ? ["/root"] : [])].filter((each) => each !== home);
}
