// By itself, because the command line's help names them and loads nothing else of the permissions.

/**
 * read-only: nothing but reading. acceptEdits: edits inside the working directory pass as well. auto: so do commands
 * that the sandbox confines. bypass: everything that no deny or ask rule names. What a mode leaves undecided is asked; with nobody to ask it is refused.
 */
export type PermissionMode = "read-only" | "acceptEdits" | "auto" | "bypass";

/** What commands of the model may write: everything, nothing but temporary files, or the working directory as well. */
export type SandboxMode = "off" | "read-only" | "workspace-write";

/** What they reach in a sandbox: nothing, named hosts through a proxy, or all that this machine does. */
export type NetworkMode = "off" | "hosts" | "on";

/** From the widest to the narrowest. */
export const SANDBOX_MODES: readonly SandboxMode[] = ["off", "workspace-write", "read-only"];

/** From the widest to the narrowest. */
export const NETWORK_MODES: readonly NetworkMode[] = ["on", "hosts", "off"];

export const PERMISSION_MODES: readonly PermissionMode[] = ["read-only", "acceptEdits", "auto", "bypass"];

/** What a session may begin with: `plan` is another mode, once a plan is agreed on. */
export type StartMode = PermissionMode | "plan";

export const START_MODES: readonly StartMode[] = ["read-only", "plan", "acceptEdits", "auto", "bypass"];
