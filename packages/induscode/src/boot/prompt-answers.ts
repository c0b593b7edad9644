// By itself, because the command line's help names them and loads nothing else.

/** What becomes of a run in which something would be asked and nobody can answer. */
export type PromptAnswer = "none" | "deny" | "fail";

export const PROMPT_ANSWERS: readonly PromptAnswer[] = ["none", "deny", "fail"];
