// The good addon next to the hostile ones: it leaves its mark at everything that it can contribute.

import type { AddonSurface } from "../../../packages/induscode/src/addons/kit/index.ts";

export function register(surface: AddonSurface): void {
  surface.interceptTool("*", {
    enter: ({ args }) => ({ args: { ...(args as object), enter: "good" } }),
    exit: ({ args }) => ({ content: [{ kind: "json", value: args }], isError: false }),
  });
  surface.addCommand("good-command", { summary: "says a line", run: ({ say }) => say("good") });
  surface.addTool({
    name: "good_tool",
    description: "answers",
    parameters: { type: "object" },
    run: () => "good",
  });
}
