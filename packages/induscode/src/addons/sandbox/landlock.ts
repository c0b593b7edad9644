// The level "landlock": the command line that starts a program through the launcher.

import { runnerFile } from "../runners/runner-file.ts";
import { seccompFilter } from "./calls/seccomp-filter.ts";
import type { FilterArchitecture } from "./calls/system-calls.ts";
import type { SandboxSpec } from "./contract.ts";
import type { LaunchSpec } from "./landlock-launcher.ts";
import { launchShell } from "./launch-shell.ts";
import { nodePermissions } from "./node-permissions.ts";
import { programLimits } from "./process-limits.ts";
import {
  PROCESS_FILES,
  SOURCE_DEVICES,
  SYSTEM_FILES,
  SYSTEM_FOLDERS,
  WRITABLE_DEVICES,
} from "./system-places.ts";

export interface LandlockOptions {
  readonly architecture: FilterArchitecture;
  /** See {@link LaunchSpec.announce}. */
  readonly announce?: boolean;
  /** See {@link LaunchSpec.maxAbi}. */
  readonly maxAbi?: number;
}

/** Node runs the launcher, which confines itself and becomes a shell, which sets the limits and becomes `argv`. */
export function landlockCommand(
  argv: readonly string[],
  spec: SandboxSpec,
  { architecture, announce, maxAbi }: LandlockOptions,
): readonly string[] {
  const { mayStartProcesses, readable, writable } = spec;
  const filter = seccompFilter({ architecture, mayStartProcesses, guardMetadata: true });
  const launch: LaunchSpec = {
    system: [...SYSTEM_FOLDERS, ...SYSTEM_FILES, ...PROCESS_FILES, ...SOURCE_DEVICES],
    readable,
    writable,
    protected: spec.protected,
    own: spec.own,
    devices: WRITABLE_DEVICES,
    filter: Buffer.from(filter).toString("base64"),
    mayStartProcesses,
    announce,
    maxAbi,
  };
  const program = launchShell(nodePermissions(argv, spec), { limits: programLimits(spec) });
  return [
    process.execPath,
    "--no-warnings",
    runnerFile("landlock-launcher").path,
    JSON.stringify(launch),
    ...program,
  ];
}
