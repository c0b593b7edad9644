// A separate file, because the command line's help names the modes and loads nothing else of the permissions.

/**
 * read-only: nothing but reading. ask: the same, and whatever changes something is asked about. acceptEdits: edits inside the working
 * directory pass as well. auto: so do commands confined by the sandbox. bypass: everything that no deny or ask rule names, except writing
 * in the home. What a mode leaves undecided is asked; with nobody to ask it is refused.
 */
export type PermissionMode = "read-only" | "ask" | "acceptEdits" | "auto" | "bypass";

/** What the model's commands can write: everything, only temporary files, or the working directory as well. */
export type SandboxMode = "off" | "read-only" | "workspace-write";

/** What they can reach from a sandbox: nothing, named hosts through a proxy, or everything that this machine can. */
export type NetworkMode = "off" | "hosts" | "on";

/** From the least to the most restrictive. */
export const SANDBOX_MODES: readonly SandboxMode[] = ["off", "workspace-write", "read-only"];

/** From the least to the most restrictive. */
export const NETWORK_MODES: readonly NetworkMode[] = ["on", "hosts", "off"];

/** From the narrowest to the widest. */
export const PERMISSION_MODES: readonly PermissionMode[] = [
  "read-only",
  "ask",
  "acceptEdits",
  "auto",
  "bypass",
];

/** The place of a mode among {@link PERMISSION_MODES}. */
export function widthOfMode(mode: PermissionMode): number {
  return PERMISSION_MODES.indexOf(mode);
}

/** What a session can begin with: `plan` is followed by another mode, once a plan is approved. */
export type StartMode = PermissionMode | "plan";

export const START_MODES: readonly StartMode[] = [
  "read-only",
  "plan",
  "ask",
  "acceptEdits",
  "auto",
  "bypass",
];
