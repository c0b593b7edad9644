// What confines the model's commands in a session: chosen by flags and settings; a repository can only narrow it.

import type { Flags } from "../../cli/flags.ts";
import {
  NETWORK_MODES,
  type NetworkMode,
  SANDBOX_MODES,
  type SandboxMode,
} from "../../deck/permissions/modes.ts";
import type { LoadedSettings } from "../../settings/load-settings.ts";
import type { ReadRules } from "./permission-policy.ts";

export interface ConfinementChoice {
  readonly sandbox: SandboxMode;
  readonly network: NetworkMode;
  /** The hosts they reach with `hosts`, in addition to those from rules. */
  readonly hosts: readonly string[];
  /** The person asked for it: if there is no sandbox, no command runs. Otherwise it came with the mode auto or from a repository. */
  readonly isRequired: boolean;
  /** The mode auto is in force by default: without bubblewrap commands are decided as in acceptEdits. */
  readonly mayFallBack: boolean;
  /** Nothing but that default asked for the sandbox: without bubblewrap there is none. */
  readonly isByDefault: boolean;
}

/** Flags win over settings, settings over the mode's default; a repository's choices apply only if they are narrower. */
export function chooseConfinement(
  flags: Pick<Flags, "sandbox" | "network">,
  { settings, narrowed }: Pick<LoadedSettings, "settings" | "narrowed">,
  { mode, isDefault }: Pick<ReadRules, "mode" | "isDefault">,
): ConfinementChoice {
  const asked = (flags.sandbox as SandboxMode | undefined) ?? settings.sandbox;
  const own = asked ?? (mode === "auto" ? "workspace-write" : "off");
  const network = (flags.network as NetworkMode | undefined) ?? settings.network ?? "off";
  const mayFallBack = isDefault && mode === "auto";
  return {
    sandbox: narrower(SANDBOX_MODES, own, narrowed.sandbox),
    network: narrower(NETWORK_MODES, network, narrowed.network),
    hosts: settings.networkHosts ?? [],
    isRequired: asked !== undefined && asked !== "off",
    mayFallBack,
    isByDefault: mayFallBack && asked === undefined && narrowed.sandbox === undefined,
  };
}

function narrower<Mode>(modes: readonly Mode[], own: Mode, wanted: Mode | undefined): Mode {
  return wanted !== undefined && modes.indexOf(wanted) > modes.indexOf(own) ? wanted : own;
}
