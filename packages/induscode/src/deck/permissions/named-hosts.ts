// The hosts that a command names to a program that connects to them: rules that refuse, or ask about, a host apply to them. It may find
// more than are meant; allow rules never use it.

import type { ShellPart } from "../shell/contract.ts";
import { programName } from "../shell/wrappers.ts";

/** What a program accepts as a host besides a URL: `bare` any word, `remote` the part before a colon, `folder` the part before a slash. */
type Takes = "bare" | "remote" | "folder" | "url";

const PROGRAMS: Readonly<Record<string, Takes>> = {
  ...each(
    "curl wget aria2c axel lynx w3m http https httpie xh xhs ping dig host nslookup nc ncat netcat telnet ftp",
    "bare",
  ),
  ...each("ssh sftp mosh socat openssl websocat", "bare"),
  ...each("git scp rsync", "remote"),
  ...each("docker podman go", "folder"),
  ...each("npm npx pnpm yarn pip pip3 pipx uv cargo gem bundle gh helm kubectl deno bun", "url"),
  ...each("xdg-open open sensible-browser x-www-browser firefox chromium google-chrome", "url"),
  ...each("node nodejs perl php python python3 ruby", "url"),
};

/**
 * The one host of the web addresses in a line, on the ports of HTTP; undefined if it names none, or several. Only words that are an
 * address as a whole count, and nothing that is known at run time.
 */
export function webHost(parts: readonly Pick<ShellPart, "words">[]): string | undefined {
  const words = parts.flatMap(({ words: [program, ...others] }) =>
    takenBy(program?.value) === undefined ? [] : others,
  );
  const urls = words.flatMap(({ value = "" }) => (/^https?:\/\/\S+$/i.test(value) ? value : []));
  const hosts = new Set(
    urls.flatMap((url) => (URL.canParse(url) && new URL(url).port === "" ? hostOf(url) : [])),
  );
  const [host] = hosts;
  return hosts.size === 1 && host !== undefined && /[a-z]/.test(host) && host.includes(".")
    ? host
    : undefined;
}

/** From addresses as written: `https://host/x`, `git@host:x`, `--url=host`. */
export function namedHosts({ words, files }: ShellPart): readonly string[] {
  const opened = files.flatMap(({ paths = [] }) => paths.flatMap(socketIn));
  const takes = takenBy(words[0]?.value);
  if (takes === undefined) return [...new Set(opened)];
  const found = words
    .slice(1)
    .flatMap(({ value = "" }) => [
      ...(value.match(/[a-z][a-z\d+.-]{0,20}:\/\/[^\s"']+/gi) ?? []),
      ...(takes === "bare" ? bareIn(value) : []),
      ...(takes === "bare" || takes === "remote" ? remoteIn(value) : []),
      ...(takes === "folder" ? folderIn(value) : []),
    ]);
  return [...new Set([...opened, ...found.flatMap(hostOf)])];
}

/** bash connects to a host where a redirection is to `/dev/tcp/host/port`. */
function socketIn(path: string): readonly string[] {
  const host = /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(path)?.[1];
  return host === undefined ? [] : hostOf(`http://${host}`);
}

/** Whether the host it reaches is known only at run time, or listed in a file. */
export function hidesHost({ words }: ShellPart): boolean {
  if (takenBy(words[0]?.value) !== "bare") return false;
  const name = programName(words[0]?.value) ?? "";
  const list = Object.hasOwn(HOSTS_IN_FILE, name) ? HOSTS_IN_FILE[name] : undefined;
  return words.some(({ value }) => value === undefined || list?.test(value) === true);
}

/** Options that name a file with addresses in it. */
const HOSTS_IN_FILE: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-[sSfLkgi#]*K|--config\b)/,
  wget: /^(?:-[qncNvd]*i|--input-file\b)/,
  aria2c: /^(?:-[qcV]*i|--input-file\b)/,
};

function takenBy(program: string | undefined): Takes | undefined {
  const name = programName(program) ?? "";
  return Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
}

/** `evil.example:80`, and the hosts of `TCP:evil.example:80,crlf`, `a:80:[::1]:80` and `::evil.example:`. */
function bareIn(word: string): readonly string[] {
  const value = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
  if (!/^[\w.[:*+]/.test(value) || value.includes("://")) return [];
  const fields = /:.*:/.test(value) ? (value.match(/\[[^\][]*\]|[^:,]+/g) ?? []) : [];
  const pieces = fields.filter((field) => /^(?:\[|[\w.-]*[a-z.]|\d{6,}$)/i.test(field)); // no ports
  return [value, ...pieces].map((each) => `http://${each}`);
}

function remoteIn(word: string): readonly string[] {
  const [, host] = /^(?:[^@/:\s]+@)?([\w.-]+)(?::|$)/.exec(word) ?? [];
  return host !== undefined && /[@:]/.test(word) ? [`http://${host}`] : [];
}

function folderIn(word: string): readonly string[] {
  const [host = ""] = word.split("/", 1);
  return word.includes("/") && /^[\w-].*[.:]\w+$/.test(host) ? [`http://${host}`] : [];
}

/** Normalized as connections do it: `0x7f.1` is 127.0.0.1. */
function hostOf(address: string): readonly string[] {
  const url = address.replace(/^[a-z\d+.-]*:\/\//i, "http://");
  if (!URL.canParse(url)) return [];
  const { hostname } = new URL(url);
  return hostname === "" ? [] : [hostname.replace(/\.$/, "").replace(/^\[|\]$/g, "")];
}

function each(names: string, takes: Takes): Readonly<Record<string, Takes>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, takes]));
}
