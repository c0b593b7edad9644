// /// indus-addon
// version = "1.0.0"
// description = "keeps the shell careful: no forced push, no install scripts; a clock for the model; /standup for you"
// [[capability]]
// kind = "files"
// execute = true
// required = false
// reason = "lets /standup run git log"
// ///

import { type AddonSurface, gate, stop } from "induscode/addons";

export const id = "careful-shell";
export const version = "1.0.0";

export function register(surface: AddonSurface): void {
  // A gate sees the call as it is about to run, and may stop it.
  surface.on(
    "tool:before",
    gate(({ name, args }) => {
      const line = name === "bash" ? commandOf(args) : "";
      if (/\bgit\s+push\b.*\s(--force|-f)\b/.test(line))
        return stop("never push by force; ask the person first");
      return undefined;
    }),
  );
  // An interceptor may change the arguments on the way in, and the result on the way out.
  surface.interceptTool("bash", {
    enter({ args }) {
      const line = commandOf(args);
      if (!/^\s*npm\s+(install|ci)\b/.test(line) || line.includes("--ignore-scripts")) return undefined;
      return {
        args: { ...(args as object), command: line.replace(/\bnpm\s+(install|ci)\b/, "$& --ignore-scripts") },
      };
    },
  });
  surface.addTool({
    name: "clock",
    description: "Tells the date and the time, with the offset of the time zone.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    run: () => new Date().toString(),
  });
  surface.addCommand("standup", {
    summary: "what was committed since yesterday, or since the day that you name",
    argumentHint: "[SINCE]",
    async run({ args, handles, say }) {
      const { stdout, stderr } = await handles.exec("git log --oneline --all", [
        `--since=${args || "yesterday"}`,
      ]);
      say(stdout.trim() || stderr.trim() || "nothing was committed");
    },
  });
}

/** The line of a call of bash. */
function commandOf(args: unknown): string {
  const { command } = (args ?? {}) as { readonly command?: unknown };
  return typeof command === "string" ? command : "";
}
