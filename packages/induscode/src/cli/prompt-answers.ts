// In a file of its own, because the help of the command line uses it and loads nothing else.

/** What happens in a run that needs to ask when nobody can answer. */
export type PromptAnswer = "none" | "deny" | "fail";

export const PROMPT_ANSWERS: readonly PromptAnswer[] = ["none", "deny", "fail"];
