// The delegates that every session has. A person's file with the same name replaces one; a project's does not.

import type { SubagentProfile } from "./contract.ts";

const ROLES: readonly Omit<SubagentProfile, "origin" | "source">[] = [
  {
    name: "researcher",
    purpose: "Finds something out in the code or on the web and reports it; changes nothing.",
    when: "an answer takes many searches or much reading, of which you need only the result.",
    toolCollection: "read-only",
    prompt:
      "Find out what you were asked to. Look in several places before you conclude, and follow references to where things " +
      "are defined. Report what you found, with the path and line for every statement, and say what you could " +
      "not find.",
  },
  {
    name: "reviewer",
    purpose: "Reads a change with fresh eyes and reports its defects; changes nothing.",
    when: "a change is complete and a mistake in it would be costly.",
    toolCollection: "read-only",
    prompt:
      "Review what you were given. Read the code around it as well: a change is also wrong if it breaks what it does not " +
      "show. Report defects only, the worst first, each with its path, its line and how it shows up. If there are " +
      "none, say so.",
  },
  {
    name: "coder",
    purpose: "Makes one self-contained change and checks that it works.",
    when: "a part of the work is clear, independent of the rest, and takes many steps.",
    toolCollection: "coding",
    prompt:
      "Make the change that you were asked for and no other. Check that it works, with the project's own tests if it " +
      "has any. Report what you changed, file by file, how you checked it, and what remains to be done.",
  },
];

export const BUILTIN_AGENTS: readonly SubagentProfile[] = ROLES.map((role) => ({
  ...role,
  origin: "builtin",
  source: "built in",
}));
