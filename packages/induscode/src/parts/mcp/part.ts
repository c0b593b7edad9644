// MCP servers, by name: what is here, whether one works, and what it offers.

import { FEATURES, MEMBERS } from "../../cli/flag-groups.ts";
import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

export const mcpPart: PartRow = {
  name: "mcp",
  subcommands: [
    subcommand({
      name: "mcp",
      summary: "the MCP servers of this folder",
      usages: [
        {
          words: "list",
          isDefault: true,
          summary: "list the servers: what starts them, state, tools, cost",
          flags: ["json", ...FEATURES],
        },
        {
          words: "test <name>",
          summary: "start a server once, in its sandbox, and say what it offers, or what fails",
          flags: FEATURES,
        },
        {
          words: "tools <name>",
          summary: "list a server's tools, and what each costs",
          flags: ["json", ...FEATURES],
        },
        {
          words: "login <name>",
          summary: "log in at a server that is reached over HTTP, with a browser",
          flags: FEATURES,
          writes: ["serverLogins"],
        },
        {
          words: "logout <name>",
          summary: "remove the login of a server",
          flags: FEATURES,
          writes: ["serverLogins"],
        },
        {
          words: "serve",
          summary:
            "offer this folder's tools, and a session as one tool, to an agent that speaks MCP on stdin",
          flags: MEMBERS,
          bringsServers: true,
        },
      ],
      fault: "there is no such server, the server does not work here, or nobody logged in",
      load: async () => (await import("./run-mcp.ts")).runMcp,
    }),
  ],
  commands: async () => (await import("./commands.ts")).MCP_COMMANDS,
};
