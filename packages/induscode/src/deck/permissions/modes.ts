// By itself, because the command line's help names them and loads nothing else of the permissions.

/**
 * read-only: nothing but reading. acceptEdits: edits inside the working directory pass as well. bypass: everything
 * that no deny or ask rule names. What a mode leaves undecided is asked; with nobody to ask it is refused.
 */
export type PermissionMode = "read-only" | "acceptEdits" | "bypass";

export const PERMISSION_MODES: readonly PermissionMode[] = ["read-only", "acceptEdits", "bypass"];
