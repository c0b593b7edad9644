// The shell that one call's commands run in: with what features set for them, within the limits of what nobody allowed, and with a word
// where they were kept in the sandbox.

import type { ProcessLimits, Shell, ShellExecResult, ShellLaunchOptions } from "indusagi/capabilities";
import type { OutsideFolder } from "../../feature/permission.ts";

interface CommandShellFacts {
  /** The variables that features set, and those that say that nobody is there. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** It asked to leave the sandbox and was kept in it. */
  readonly stays?: true | undefined;
  /** The host that an answer let it reach there. */
  readonly host?: string | undefined;
  /** The folder that an answer let it read there, or change. */
  readonly folder?: OutsideFolder | undefined;
  /** It passed because it is harmless, which needs little. */
  readonly isBounded: boolean;
}

/** `inner`, with all of that applied to whatever it starts. */
export function commandShell(
  inner: Shell,
  { env, stays, host, folder, isBounded }: CommandShellFacts,
): Shell {
  const stayed = folder !== undefined ? given(folder) : host === undefined ? STAYED : reached(host);
  const launch = <Options extends ShellLaunchOptions>(options: Options): Options => ({
    ...options,
    env: env === undefined ? options.env : { ...options.env, ...env },
    limits: isBounded ? LIMITS : options.limits,
  });
  return {
    async exec(command, options) {
      const result = await inner.exec(command, launch(options));
      const notes = [
        ...(result.note === undefined ? [] : [result.note]),
        ...(stays ? [stayed] : []),
        ...(isBounded && mayHaveHitLimit(result) ? [LIMITED] : []),
      ];
      return notes.length === 0 ? result : { ...result, note: notes.join("\n") };
    },
    spawn(command, options) {
      if (stays) void options.onOutput?.("stderr", Buffer.from(`${stayed}\n`));
      return inner.spawn(command, launch(options));
    },
  };
}

/** More memory than Node maps to print its version, and far less than a machine has. */
const LIMITS: ProcessLimits = { memoryMb: 768, processorSeconds: 600 };

const OUT_OF_MEMORY =
  /out of (?:memory|space)|cannot allocate|can't allocate|allocation failed|memory exhausted|bad_alloc|\bENOMEM\b/i;
/** Aborted, killed, a bad access and too much time, as signals and as the codes that shells make of them. */
const SIGNALS = /^SIG(?:ABRT|KILL|SEGV|XCPU)$/;
const SIGNAL_CODES: ReadonlySet<number | null> = new Set([134, 137, 139, 152]);

function mayHaveHitLimit({ code, signal, stderr, timedOut, aborted }: ShellExecResult): boolean {
  if (timedOut || aborted) return false;
  return SIGNALS.test(signal ?? "") || SIGNAL_CODES.has(code) || OUT_OF_MEMORY.test(stderr);
}

const LIMITED = `limits: a command that runs unasked because it is harmless gets at most ${LIMITS.memoryMb} MB of memory and ${LIMITS.processorSeconds} s of processor time for each process, which may be why it failed. Look at less, or in smaller pieces.`;

const STAYED =
  "sandbox: it asked to run outside but ran inside: a command that only reads, or is allowed only inside, does not leave the sandbox without a question. " +
  "If it must run outside, ask the person for a rule such as outside(COMMAND), or to run it themselves with !.";

/** The person's answer to a command that asked to run outside. */
function reached(host: string): string {
  return (
    `sandbox: the person let it run inside with the network to ${host}, instead of outside: ` +
    "by HTTP and HTTPS through the proxy in $HTTPS_PROXY, and to no other host."
  );
}

function given({ path, isWritable }: OutsideFolder): string {
  return isWritable
    ? `sandbox: the person let it run inside, reading and changing ${path}, instead of outside: what acts later there cannot be changed.`
    : `sandbox: the person let it run inside, reading ${path}, instead of outside: nothing there can be changed.`;
}
