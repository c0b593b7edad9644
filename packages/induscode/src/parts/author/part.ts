// What the author of an addon needs: to begin one, check it, test it, and try it in a session.

import { AUTHOR_KINDS } from "../../addons/author/addon-templates.ts";
import { SESSION } from "../../cli/flag-groups.ts";
import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";
import type { OpenConsole } from "./run-addon.ts";

export const authorPart = (openConsole: OpenConsole): PartRow => ({
  name: "author",
  subcommands: [
    subcommand({
      name: "addon",
      summary: "write an addon",
      flags: [
        {
          name: "kind",
          kind: "string",
          value: "kind",
          summary: "the addon's language or kind",
          choices: AUTHOR_KINDS,
        },
        { name: "user", kind: "boolean", summary: "put it with your own addons, for every folder" },
        {
          name: "session",
          kind: "string",
          value: "id",
          summary: "test the addon against this session instead",
        },
      ],
      usages: [
        {
          words: "new <name>",
          summary: "write a small working addon to start from",
          flags: ["kind", "user"],
          needs: ["kind"],
          writes: ["addons", "editorProject"],
        },
        {
          words: "import <file> <name>",
          summary: "make an addon from an MCP server in another agent's configuration, e.g. .mcp.json",
          flags: ["user"],
          writes: ["addons"],
        },
        {
          words: "check <path>",
          summary: "check an addon against the rules, including its registration",
          flags: ["json"],
        },
        {
          words: "test <path>",
          summary: "run an addon offline against its cassette and its expectations",
          flags: ["json", "allow", "deny", "permission-mode", "thinking", "session"],
        },
        {
          words: "pack <path>",
          summary: "check an addon, and write the archive that indus add and npm accept",
          flags: ["json"],
        },
        {
          words: "types",
          summary: "write the type files that an editor needs for addons again",
          flags: ["user"],
          writes: ["editorProject"],
        },
        {
          words: "dev <path>",
          summary: "start a session with this addon, reloaded on each save",
          flags: SESSION,
        },
      ],
      fault: "the addon was not found, breaks a rule, or does not meet an expectation",
      load: async () => {
        const { runAddon } = await import("./run-addon.ts");
        return (line) => runAddon(line, openConsole);
      },
    }),
  ],
});
