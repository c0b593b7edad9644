// What confines the model's commands in a session: chosen by flags and settings, where a repository may only narrow.

import {
  NETWORK_MODES,
  type NetworkMode,
  type PermissionMode,
  SANDBOX_MODES,
  type SandboxMode,
} from "../deck/permissions/modes.ts";
import type { Flags } from "./flags.ts";
import type { LoadedSettings } from "./settings.ts";

export interface ConfinementChoice {
  readonly sandbox: SandboxMode;
  readonly network: NetworkMode;
  /** What they reach with `hosts`, besides those of rules. */
  readonly hosts: readonly string[];
  /** The person asked for it: without one no command runs. Otherwise it comes with the mode auto, or a repository wants it. */
  readonly isRequired: boolean;
}

/** Flags before settings before what the mode brings; a repository's are taken where they are narrower. */
export function chooseConfinement(
  flags: Pick<Flags, "sandbox" | "network">,
  { settings, narrowed }: Pick<LoadedSettings, "settings" | "narrowed">,
  mode: PermissionMode,
): ConfinementChoice {
  const asked = (flags.sandbox as SandboxMode | undefined) ?? settings.sandbox;
  const own = asked ?? (mode === "auto" ? "workspace-write" : "off");
  const network = (flags.network as NetworkMode | undefined) ?? settings.network ?? "off";
  return {
    sandbox: narrower(SANDBOX_MODES, own, narrowed.sandbox),
    network: narrower(NETWORK_MODES, network, narrowed.network),
    hosts: settings.networkHosts ?? [],
    isRequired: asked !== undefined && asked !== "off",
  };
}

function narrower<Mode>(modes: readonly Mode[], own: Mode, wanted: Mode | undefined): Mode {
  return wanted !== undefined && modes.indexOf(wanted) > modes.indexOf(own) ? wanted : own;
}
