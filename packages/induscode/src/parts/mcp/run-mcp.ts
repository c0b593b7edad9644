// `indus mcp`: the MCP servers of this folder. It starts no session and asks no model.

import { nearest, printable } from "indusagi/core";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_OK, Problem } from "../../cli/problem.ts";
import { printableLine } from "../../console/printable-line.ts";
import { definitionOf } from "../../deck/offered-tools.ts";
import { type FeaturesHere, featuresHere } from "../addons/features-here.ts";
import { headOf, type ServerRow, serverRows, tokensOf, troubleOf } from "./server-rows.ts";

export async function runMcp(line: Invocation): Promise<number> {
  const [, verb, name = ""] = line.words;
  if (verb === "test") return (await import("./try-server.ts")).tryServer(name, line);
  if (verb === "login" || verb === "logout") {
    const { logIn, logOut } = await import("./run-login.ts");
    return verb === "login" ? logIn(name, line) : logOut(name, line);
  }
  if (verb === "serve") return (await import("./serve/run-mcp-serve.ts")).runMcpServe(line);
  const here = await featuresHere(line);
  const rows = serverRows(here.features, here.settings.settings);
  return verb === "tools" ? tools(known(name, rows), here, line) : list(rows, here, line);
}

function list(
  rows: readonly ServerRow[],
  { features, problems }: FeaturesHere,
  { flags }: Invocation,
): number {
  const { skipped, off } = features;
  if (flags.json) return say(JSON.stringify({ servers: rows, skipped, off, problems }, undefined, 2));
  const absent = [
    ...off,
    ...skipped.map((reason) => `skipped: ${reason}`),
    ...problems.map((problem) => `problem: ${problem}`),
  ];
  // One that is dead is a problem among these: it is here, and does not run.
  const none =
    absent.length > 0
      ? "No MCP server runs here:"
      : 'No MCP servers here. To add one: indus add "mcp:COMMAND", or indus add FILE for a .mcp.json.';
  const described = rows.map((row) =>
    [headOf(row), ...[row.runs, row.path, ...troubleOf(row)].map((text) => `  ${printableLine(text)}`)].join(
      "\n",
    ),
  );
  return say(
    [...(rows.length === 0 ? [none] : described), ...absent.map((text) => printableLine(text))].join("\n"),
  );
}

function tools(
  { feature, isDeferred }: ServerRow,
  { features }: FeaturesHere,
  { flags }: Invocation,
): number {
  const own = features.registry.tools.filter((each) => each.feature === feature);
  if (flags.json) return say(JSON.stringify({ tools: own.map(definitionOf) }, undefined, 2));
  const lines = own.map((each) => {
    const { name, description } = each.tool;
    return printableLine(`${name}  about ${tokensOf(each)} tokens  ${description}`, 160);
  });
  const how = isDeferred
    ? ["The model knows the tools' names, and loads their definitions when needed."]
    : [];
  return say([...lines, ...how].join("\n"));
}

function known(name: string, rows: readonly ServerRow[]): ServerRow {
  const row = rows.find((each) => each.name === name || each.feature === name);
  if (row) return row;
  const names = rows.map((each) => each.name);
  const near = nearest(name, names);
  const hint = near === undefined ? "indus mcp lists those that run here" : `did you mean "${near}"?`;
  throw new Problem(`there is no MCP server called "${name}" that runs here; ${hint}`);
}

/** Anything printed here can quote a server, so it is made printable here, in one place. */
function say(text: string): number {
  process.stdout.write(`${printable(text)}\n`);
  return EXIT_OK;
}
