// What `/init` asks the model: an AGENTS.md for this folder. Other agents read that file, too.

/** The task; `wish` is what the person typed after the command. */
export function initPrompt(wish: string, hasFile: boolean): string {
  const task = hasFile
    ? "Improve AGENTS.md in this folder: read it first, keep what holds, correct what does not, and add what is missing."
    : "Write AGENTS.md in this folder: what a coding agent must know to work here.";
  return [
    task,
    "Look at the repository before you write: its manifests, scripts, tests, settings of linters, and its README.",
    "Say how to build, lint and test it, and how to run a single test; which folders hold what; and the conventions that the code follows and a newcomer would miss.",
    "Leave out what any agent knows, what a look at the folder shows, and whatever you did not verify. Keep it under 80 lines.",
    ...(wish === "" ? [] : [`In particular: ${wish}`]),
  ].join("\n");
}
