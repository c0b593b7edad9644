// A model's command at the level "landlock". Landlock only adds rights and never removes any, so a folder that contains something protected
// is opened entry by entry, as for an addon: nothing new can be made directly in it.

import { join } from "node:path";
import { runnerFile } from "../runners/runner-file.ts";
import { seccompFilter } from "./calls/seccomp-filter.ts";
import type { LaunchVariables } from "./command-environment.ts";
import type { CommandLaunch, CommandSpec } from "./command-spec.ts";
import type { LandlockLevel } from "./contract.ts";
import type { LaunchSpec } from "./landlock-launcher.ts";
import { PERL_VARIABLES, perlLaunch, perlWorks } from "./landlock-perl.ts";
import { SOURCE_DEVICES, SYSTEM_FOLDERS } from "./system-places.ts";

/** Perl, or Node where Perl is missing or would be told of too many places, runs a launcher, which confines itself and becomes `argv`. */
export function confinedByLandlock(
  argv: readonly string[],
  spec: CommandSpec,
  { outer, inner }: LaunchVariables,
  { architecture, maxAbi, withoutPerl }: Omit<LandlockLevel, "level" | "abi">,
): CommandLaunch {
  const hasNetwork = spec.network === "all";
  const filter = seccompFilter({
    architecture,
    mayStartProcesses: true,
    guardMetadata: true,
    command: { isAlone: false, sockets: hasNetwork ? "inet" : "none" },
  });
  const launch: LaunchSpec = {
    system: [...SYSTEM_FOLDERS, ...SYSTEM_VIEWS, ...SOURCE_DEVICES],
    readable: [...spec.readable, ...(spec.isWritable ? [] : [spec.root])],
    writable: [...(spec.isWritable ? [spec.root] : []), spec.temporary, spec.home],
    protected: spec.protected,
    hidden: spec.hidden,
    devices: DEVICES,
    filter: Buffer.from(filter).toString("base64"),
    mayStartProcesses: true,
    hasNetwork,
    env: inner,
    maxAbi,
  };
  const words = !withoutPerl && perlWorks() ? perlLaunch(argv, launch) : undefined;
  if (words !== undefined && bytesOf(words) < MAX_WORDS_BYTES)
    return { argv: words, env: { ...outer, ...PERL_VARIABLES } };
  const launcher = runnerFile("landlock-launcher").path;
  return { argv: [process.execPath, "--no-warnings", launcher, JSON.stringify(launch), ...argv], env: outer };
}

/** Perl is told of each place on its command line, for which Linux has 2 MB, with the variables; Node looks for them itself. */
const MAX_WORDS_BYTES = 1_000_000;

function bytesOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + Buffer.byteLength(word), 0);
}

/** The list of processes is visible; their contents are not, because inside, Landlock blocks access to them. */
const SYSTEM_VIEWS = ["/proc", "/sys"];

/** No terminals and no shared memory: those there are belong to other programs of the person. */
const DEVICES = ["/dev/null", "/dev/full", "/dev/tty"];

/** Where tool chains find their own files when the home is a different one. */
export function toolVariables(personHome: string): Readonly<Record<string, string>> {
  return {
    RUSTUP_HOME: join(personHome, ".rustup"),
    PYENV_ROOT: join(personHome, ".pyenv"),
    NVM_DIR: join(personHome, ".nvm"),
    GOMODCACHE: join(personHome, "go", "pkg", "mod"),
  };
}
