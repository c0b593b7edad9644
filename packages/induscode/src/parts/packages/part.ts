// What a person has from others: packages, brought in one step, updated, and taken away.

import { addedUsages, type PartRow, subcommand } from "../../cli/subcommand-row.ts";
import { ADDONS_INDEX } from "./index-setting.ts";

const load = async () => (await import("./run-packages.ts")).runPackages;

const YES = { name: "yes", kind: "boolean", summary: "do it without asking" } as const;

export const packagesPart: PartRow = {
  name: "packages",
  settings: [ADDONS_INDEX],
  usages: [
    addedUsages({
      name: "addons",
      usages: [
        {
          words: "search <word>",
          summary: "look for addons in the index that you set",
          flags: ["json", "index"],
        },
      ],
      flags: [
        {
          name: "index",
          kind: "string",
          value: "place",
          summary: "look in this index: an address, or a file",
        },
      ],
      load: async () => (await import("./run-search.ts")).runSearch,
    }),
  ],
  subcommands: [
    subcommand({
      name: "add",
      summary: "add a package: an addon, a plugin, hooks, or an MCP server",
      flags: [
        YES,
        { name: "name", kind: "string", value: "name", summary: "the name to give the package" },
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
          summary: "also list it in .indus/packages.lock, for everyone who works in this repository",
        },
        { name: "secret", kind: "list", value: "variable", summary: "an MCP server gets this secret" },
        {
          name: "from",
          kind: "string",
          value: "agent",
          summary:
            "add what is installed for another agent: its plugins, the hooks in its settings, its MCP servers",
          choices: ["claude"],
        },
        {
          name: "env",
          kind: "list",
          value: "name=value",
          summary: "set a variable for an MCP server; repeatable",
        },
        {
          name: "start-seconds",
          kind: "string",
          value: "n",
          summary: "how long an MCP server may take to start (default 60, at most 300)",
        },
        { name: "ask", kind: "boolean", summary: "an MCP server may ask you something during a call" },
        {
          name: "unconfined",
          kind: "boolean",
          summary: "one MCP server runs outside of the sandbox, with all that you may do",
        },
        { name: "browser", kind: "boolean", summary: "an MCP server may start a browser in its sandbox" },
        { name: "sampling", kind: "boolean", summary: "an MCP server may use your model, at your cost" },
      ],
      usages: [
        {
          words: "<source>",
          summary:
            "add ./folder, ./archive.tgz, npm:NAME, git+https://…, PLUGIN@MARKETPLACE, mcp:'npx -y NAME', https://HOST/mcp, .mcp.json, or .claude/settings.json",
          flags: [
            ...(["yes", "name", "files", "host", "secret", "env", "start-seconds", "team", "ask"] as const),
            ...(["browser", "sampling", "unconfined"] as const),
          ],
          writes: ["packages", "packagesLock", "trust", "namedSecrets"],
        },
        {
          words: "",
          summary:
            "add the packages in .indus/packages.lock that you do not have; with --from, those that another agent has",
          flags: ["yes", "from"],
          writes: ["packages", "packagesLock", "trust", "namedSecrets"],
        },
      ],
      fault:
        "the package could not be fetched, is not a package, was declined, or does not work on this machine yet",
      load,
    }),
    subcommand({
      name: "marketplace",
      summary: "lists of plugins that others publish",
      usages: [
        {
          words: "add <source>",
          summary:
            "add a marketplace: OWNER/NAME on GitHub, git+https://…, ./folder, or the address of its marketplace.json",
          writes: ["marketplaces"],
        },
        { words: "list [name]", summary: "list your marketplaces, or the plugins of one" },
        {
          words: "remove <name>",
          summary: "remove a marketplace; packages that you added from it are kept",
          writes: ["marketplaces"],
        },
      ],
      fault: "the marketplace is unknown, or could not be fetched",
      load: async () => (await import("./run-marketplaces.ts")).runMarketplaces,
    }),
    subcommand({
      name: "update",
      summary: "update packages",
      flags: [YES],
      usages: [
        {
          words: "[name]",
          summary: "fetch a package again, or all of them, and show what has changed",
          flags: ["yes"],
          writes: ["packages", "packagesLock", "trust", "namedSecrets"],
        },
      ],
      fault: "a package could not be fetched, was declined, or does not work on this machine",
      load,
    }),
    subcommand({
      name: "remove",
      summary: "remove a package",
      usages: [
        {
          words: "<name>",
          summary: "remove a package and your trust in it",
          writes: ["packages", "packagesLock", "trust", "namedSecrets"],
        },
      ],
      fault: "no package has that name",
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
        {
          words: "<name>",
          summary: "show where a package is from, what it contributes, requests and costs",
          flags: ["json"],
        },
      ],
      fault: "no package has that name",
      load,
    }),
    subcommand({
      name: "enable",
      summary: "turn a package on",
      usages: [{ words: "<name>", summary: "turn a package on again", writes: ["packages", "packagesLock"] }],
      fault: "no package has that name",
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
      fault: "no package has that name",
      load,
    }),
  ],
};
