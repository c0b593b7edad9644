// What a person has from others: packages, brought in one step, updated, and taken away.

import { type PartRow, subcommand } from "../../cli/subcommand-row.ts";

const load = async () => (await import("./run-packages.ts")).runPackages;

const YES = { name: "yes", kind: "boolean", summary: "do it without asking" } as const;

export const packagesPart: PartRow = {
  name: "packages",
  subcommands: [
    subcommand({
      name: "add",
      summary: "add a package: an addon, a plugin, hooks, or an MCP server",
      flags: [
        YES,
        { name: "name", kind: "string", value: "name", summary: "the name to give it here" },
        {
          name: "files",
          kind: "string",
          value: "access",
          summary: "an MCP server or hooks may read the workspace, write in it, or change commands",
          choices: ["read", "write", "execute"],
        },
        { name: "host", kind: "list", value: "host", summary: "an MCP server may reach this host" },
        {
          name: "team",
          kind: "boolean",
          summary: "also list it in .indus/packages.lock, for everyone who works here",
        },
        { name: "secret", kind: "list", value: "variable", summary: "an MCP server gets this secret" },
        { name: "ask", kind: "boolean", summary: "an MCP server may ask you something during a call" },
      ],
      usages: [
        {
          words: "<source>",
          summary:
            "add ./folder, ./archive.tgz, npm:NAME, git+https://…, mcp:'npx -y NAME', https://HOST/mcp, .mcp.json, or .claude/settings.json",
          flags: ["yes", "name", "files", "host", "secret", "team", "ask"],
          writes: ["packages", "packagesLock", "trust"],
        },
        {
          words: "",
          summary: "add what .indus/packages.lock names and you do not have",
          flags: ["yes"],
          writes: ["packages", "packagesLock", "trust"],
        },
      ],
      fault: "it could not be fetched, is not a package, was declined, or does not work here yet",
      load,
    }),
    subcommand({
      name: "update",
      summary: "update packages",
      flags: [YES],
      usages: [
        {
          words: "[name]",
          summary: "fetch a package again, or all of them, and show what is different",
          flags: ["yes"],
          writes: ["packages", "packagesLock", "trust"],
        },
      ],
      fault: "one could not be fetched, was declined, or does not work here",
      load,
    }),
    subcommand({
      name: "remove",
      summary: "remove a package",
      usages: [
        {
          words: "<name>",
          summary: "remove a package and the trust in it",
          writes: ["packages", "packagesLock", "trust"],
        },
      ],
      fault: "there is no such package",
      load,
    }),
    subcommand({
      name: "list",
      summary: "the packages that you added",
      usages: [{ words: "", summary: "list the packages that you added", flags: ["json"] }],
      load,
    }),
    subcommand({
      name: "show",
      summary: "one package",
      usages: [
        { words: "<name>", summary: "show where a package is from, and what it asks for", flags: ["json"] },
      ],
      fault: "there is no such package",
      load,
    }),
    subcommand({
      name: "enable",
      summary: "turn a package on",
      usages: [{ words: "<name>", summary: "turn a package on again", writes: ["packages", "packagesLock"] }],
      fault: "there is no such package",
      load,
    }),
    subcommand({
      name: "disable",
      summary: "turn a package off",
      usages: [
        {
          words: "<name>",
          summary: "turn a package off without removing it",
          writes: ["packages", "packagesLock"],
        },
      ],
      fault: "there is no such package",
      load,
    }),
  ],
};
