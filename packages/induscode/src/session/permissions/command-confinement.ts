// What confines the model's commands in a session: chosen by flags and settings; a repository can only narrow it.

import type { Flags } from "../../cli/flags.ts";
import {
  NETWORK_MODES,
  type NetworkMode,
  SANDBOX_MODES,
  type SandboxMode,
} from "../../deck/permissions/modes.ts";
import type { LoadedSettings } from "../../settings/load-settings.ts";

export interface ConfinementChoice {
  readonly sandbox: SandboxMode;
  readonly network: NetworkMode;
  /** The hosts they reach with `hosts`, in addition to those from rules. */
  readonly hosts: readonly string[];
  /** The person asked for it: if there is no sandbox, no command runs. Otherwise it comes with the mode auto or from a repository. */
  readonly isRequired: boolean;
  /** In every mode, not only in auto. */
  readonly isAlways: boolean;
}

/** Flags win over settings, settings over the mode's default; a repository's choices apply only if they are narrower. */
export function chooseConfinement(
  flags: Pick<Flags, "sandbox" | "network">,
  { settings, narrowed }: Pick<LoadedSettings, "settings" | "narrowed">,
): ConfinementChoice {
  const asked = (flags.sandbox as SandboxMode | undefined) ?? settings.sandbox;
  const own = asked ?? "workspace-write";
  const network = (flags.network as NetworkMode | undefined) ?? settings.network ?? "off";
  const isWished = (wish: SandboxMode | undefined): boolean => wish !== undefined && wish !== "off";
  return {
    sandbox: narrower(SANDBOX_MODES, own, narrowed.sandbox),
    network: narrower(NETWORK_MODES, network, narrowed.network),
    hosts: settings.networkHosts ?? [],
    isRequired: isWished(asked),
    isAlways: isWished(asked) || isWished(narrowed.sandbox),
  };
}

function narrower<Mode>(modes: readonly Mode[], own: Mode, wanted: Mode | undefined): Mode {
  return wanted !== undefined && modes.indexOf(wanted) > modes.indexOf(own) ? wanted : own;
}
