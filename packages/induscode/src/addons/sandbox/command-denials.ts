// What a command's output says about the sandbox: shown to the model, which would otherwise try to fix a program that is not broken.

import type { ShellExecResult } from "indusagi/capabilities";

/** What programs print when the kernel denies them something. */
const FILES =
  /read-only file ?system|permission denied|operation not permitted|\b(?:EROFS|EACCES|EPERM)\b|\[Errno (?:1|13|30)\]/i;
/** Of programs that do not say why: CMake, javac, Gradle. */
const FILES_SOMEHOW =
  /\b(?:unable to|could not|cannot|failed to) (?:\(re\))?create (?:[\w-]+ ){0,4}(?:director(?:y|ies)|folder|file)\b(?![^\n]*: (?:no such file|file exists|not a directory))/i;
const NETWORK = new RegExp(
  [
    "could ?n[o']t (?:be )?resolved?|could not resolve|unable to resolve|failed to lookup address|dns error",
    "name or service not known|no such host|unknown ?host|temporary failure (?:in name resolution|resolving)",
    "network is unreachable|no route to host|connection refused|failed to (?:connect to|establish a new connection)",
    "could ?n[o']t connect|dial tcp|proxy (?:connect )?aborted|CONNECT tunnel failed",
    // Of package managers that do not say what failed: pip, gem, Bundler, NuGet, Poetry, Deno, Bun.
    "\\(from versions: none\\)|unable to download data from|could not reach host|unable to load the service index",
    "all attempts to connect to|error sending request for url|\\b(?:DNSResolveFailed|FailedToOpenSocket|ConnectionRefused)\\b",
    // Of those that were told, or found out, that there is none: Composer, Cargo, Maven.
    "network disabled, request cancel|\\b(?:using|in) offline mode",
    "\\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED)\\b",
  ].join("|"),
  "i",
);

/** What git prints when it does not know who commits. */
const IDENTITY = /(?:Author|Committer) identity unknown|empty ident name/;

/**
 * The same, for a command that succeeded while part of it failed (`make install || true`): complete messages only, because a test or a
 * log may contain the words.
 */
const FILES_MESSAGE =
  /: (?:read-only file system|permission denied|operation not permitted)(?: \(os error \d+\))?\.?$|\b(?:EROFS|EACCES|EPERM): |\[Errno (?:1|13|30)\] /i;
const NETWORK_MESSAGE =
  /: (?:network is unreachable|name or service not known|temporary failure in name resolution)\.?$|could not resolve host: |^curl: \(7\) |\bgetaddrinfo (?:ENOTFOUND|EAI_AGAIN) /i;

interface Reach {
  readonly isWritable: boolean;
  readonly network: "none" | "hosts" | "all";
}

/** Explains the results of one session. A denial in a command that succeeded is reported once. */
export function createDenials(
  reach: Reach,
  level: string,
): (command: string, result: ShellExecResult) => string | undefined {
  const told = new Set<string>();
  return (command, result) => {
    if (result.aborted || result.timedOut) return undefined;
    if (result.code !== 0) return explainDenial(result, reach, level);
    const { stdout, stderr } = result;
    const lines = (/2>&1|&>|\|&/.test(command) ? `${stderr}\n${stdout}` : String(stderr)).split(/\r?\n/);
    const why = reasons(
      lines.some((line) => FILES_MESSAGE.test(line)),
      lines.some((line) => NETWORK_MESSAGE.test(line)),
      reach,
      level,
    ).filter((each) => !told.has(each));
    for (const each of why) told.add(each);
    if (why.length === 0) return undefined;
    return (
      `sandbox: the command succeeded but ran confined (${level}), which may be why part of it failed: ${why.join("; ")}. ` +
      whatToDo(why, level)
    );
  };
}

/** Whether a text says that something could not be written; the rest of a long one is data. */
export function saysDenied(text: string): boolean {
  return FILES.test(text.slice(0, MAX_LOOKED));
}

const MAX_LOOKED = 8_000;

/** Undefined when nothing points to the sandbox. */
function explainDenial({ stdout, stderr }: ShellExecResult, reach: Reach, level: string): string | undefined {
  const said = `${stderr}\n${stdout}`;
  if (IDENTITY.test(said)) return NO_IDENTITY;
  const why = reasons(FILES.test(said) || FILES_SOMEHOW.test(said), NETWORK.test(said), reach, level);
  if (why.length === 0) return undefined;
  return `sandbox: the command ran confined (${level}), and this may be why it failed: ${why.join("; ")}. ${whatToDo(why, level)}`;
}

/** A host can be granted only at bubblewrap. */
function whatToDo(why: readonly string[], level: string): string {
  const isOfHosts = level === "bubblewrap" && (why.includes(NO_NETWORK) || why.includes(SOME_HOSTS));
  return isOfHosts ? `${OUTSIDE} ${ONE_HOST}` : OUTSIDE;
}

function reasons(
  isOfFiles: boolean,
  isOfNetwork: boolean,
  { isWritable, network }: Reach,
  level: string,
): readonly string[] {
  return [
    ...(isOfFiles ? [isWritable ? WRITES : WRITES_NOTHING] : []),
    ...(isOfNetwork && network !== "all" ? [network === "none" ? NO_NETWORK : SOME_HOSTS] : []),
    ...(isOfFiles && level === "landlock" ? [LANDLOCK] : []),
  ];
}

const NO_IDENTITY =
  "sandbox: git knows no author here, and the person's git settings name none. Do not invent one: ask the person to set " +
  "user.name and user.email.";
const OUTSIDE = 'If it must run outside, call again with "outside" and say why; the person may be asked.';
const ONE_HOST =
  "If the command names one web address (https://…), the person can let it reach that host alone instead.";
const WRITES =
  "it can write only in the working folder, $TMPDIR and folders that an answer named, not under protected names (.git/hooks, " +
  ".git/config, .npmrc, …), and can read neither credentials nor the person's home";
const WRITES_NOTHING = "it can write only in $TMPDIR, and can read neither credentials nor the person's home";
const NO_NETWORK = "it has no network access, not even to servers on this machine";
const SOME_HOSTS =
  "it can reach only the hosts that the person named (networkHosts, WebFetch rules, answers), by HTTP through the proxy in $HTTPS_PROXY";
const LANDLOCK =
  "at this level it cannot create anything directly in a folder that contains such a name, change file modes, or use terminals or shared memory";
