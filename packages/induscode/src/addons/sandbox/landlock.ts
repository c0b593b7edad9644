// The level "landlock": the command line that starts a program through the launcher.

import { fileURLToPath } from "node:url";
import type { SandboxSpec } from "./contract.ts";
import type { LaunchSpec } from "./landlock-launcher.ts";
import { nodePermissions } from "./node-permissions.ts";
import { programLimits, withLimits } from "./process-limits.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import type { FilterArchitecture } from "./system-calls.ts";
import { SOURCE_DEVICES, SYSTEM_FILES, SYSTEM_FOLDERS, WRITABLE_DEVICES } from "./system-places.ts";

export interface LandlockOptions {
  readonly architecture: FilterArchitecture;
  /** The Node (26 or later) that runs the launcher. */
  readonly node?: string;
  /** See {@link LaunchSpec.announce}. */
  readonly announce?: boolean;
}

/** Node runs the launcher, the launcher confines itself and becomes a shell, which sets the limits and becomes `argv`. */
export function landlockCommand(
  argv: readonly string[],
  spec: SandboxSpec,
  { architecture, node = process.execPath, announce }: LandlockOptions,
): readonly string[] {
  const { mayStartProcesses, readable, writable } = spec;
  const filter = seccompFilter({ architecture, mayStartProcesses, guardMetadata: true });
  const launch: LaunchSpec = {
    readable: [...SYSTEM_FOLDERS, ...SYSTEM_FILES, ...SOURCE_DEVICES, ...readable],
    writable,
    protected: spec.protected,
    devices: WRITABLE_DEVICES,
    filter: Buffer.from(filter).toString("base64"),
    ...(announce === undefined ? {} : { announce }),
  };
  const program = withLimits(nodePermissions(argv, spec), programLimits(spec));
  return [node, "--no-warnings", launcherPath(), JSON.stringify(launch), ...program];
}

/** Beside this file, in the sources and where they are built. */
function launcherPath(): string {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./landlock-launcher.${ending}`, import.meta.url));
}
