// What a command's own words say of the sandbox: shown to the model, which would otherwise repair a program that is not broken.

import type { ShellExecResult } from "indusagi/capabilities";

/** What programs print when the kernel refuses them something. */
const FILES =
  /read-only file ?system|permission denied|operation not permitted|\b(?:EROFS|EACCES|EPERM)\b|\[Errno (?:1|13|30)\]/i;
const NETWORK =
  /could ?n[o']t (?:be )?resolved?|could not resolve|name or service not known|temporary failure in name resolution|network is unreachable|no route to host|failed to lookup address|unable to resolve|connection refused|\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED)\b|dial tcp|proxy (?:connect )?aborted|CONNECT tunnel failed/i;

/** Undefined where it succeeded, or where nothing points at the sandbox. */
export function explainDenial(
  { code, aborted, timedOut, stdout, stderr }: ShellExecResult,
  { isWritable, network }: { readonly isWritable: boolean; readonly network: "none" | "hosts" | "all" },
  level: string,
): string | undefined {
  if (code === 0 || aborted || timedOut) return undefined;
  const said = `${stderr}\n${stdout}`;
  const why = [
    ...(FILES.test(said) ? [isWritable ? WRITES : WRITES_NOTHING] : []),
    ...(NETWORK.test(said) && network !== "all" ? [network === "none" ? NO_NETWORK : SOME_HOSTS] : []),
    ...(FILES.test(said) && level === "landlock" ? [LANDLOCK] : []),
  ];
  if (why.length === 0) return undefined;
  return (
    `sandbox: the command ran confined (${level}), and this may be why it failed: ${why.join("; ")}. If it has to run ` +
    'outside, call again with "outside" and say why; the person may be asked.'
  );
}

const WRITES =
  "it writes in the working folder and in $TMPDIR only, not under names that act by themselves (.git/hooks, .git/config, .npmrc, " +
  "…), and reads neither credentials nor the person's home";
const WRITES_NOTHING = "it writes in $TMPDIR only, and reads neither credentials nor the person's home";
const NO_NETWORK = "it reaches no network, not even servers of this machine";
const SOME_HOSTS =
  "it reaches the hosts of the setting networkHosts and of WebFetch rules only, by HTTP through the proxy in $HTTPS_PROXY";
const LANDLOCK =
  "at this level nothing new is made directly in a folder that holds such a name, and modes are not changed";
