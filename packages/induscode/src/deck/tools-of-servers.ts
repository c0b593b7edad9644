// The tools through which a model reaches what MCP servers offer without a definition in each request: two for tools that are only named
// in the prompt, two for the resources of all servers. A call through one of them is a call of what it names, and passes all checks as that.

import { type DefinedTool, defineTool, textResult } from "indusagi/capabilities";
import { isTable, type JsonValue } from "indusagi/core";
import type { ToolCall } from "indusagi/runtime";
import type { InstalledTool, ToolContribution } from "../feature/tool.ts";
import { CALL_TOOL, FIND_TOOLS, LIST_RESOURCES, READ_RESOURCE } from "../feature/tool-names.ts";
import { findDefinitions } from "./find-definitions.ts";
import { type OfferedTools, serverOf } from "./offered-tools.ts";

/** Those that are of use with what is offered; `current` is asked again by each call. */
export function toolsOfServers(
  offered: OfferedTools,
  current: () => OfferedTools,
): readonly ToolContribution[] {
  return [
    ...(offered.deferred.length === 0 ? [] : [findTools(offered, current), callTool()]),
    ...(offered.ofResources.length === 0 ? [] : [listResources(offered), readResource()]),
  ];
}

/** The call that a call of one of these tools stands for, or what is wrong with it. */
export function meantCall(call: ToolCall, { deferred, ofResources }: OfferedTools): ToolCall | string {
  const { id, name, input } = call;
  if (name === CALL_TOOL) {
    const { name: meant, arguments: args } = fieldsOf(input);
    if (typeof meant !== "string") return `${CALL_TOOL} takes { name: string, arguments: object }.`;
    if (meant === CALL_TOOL) return `${CALL_TOOL} calls other tools, not itself.`;
    return { id, name: wholeName(meant, deferred), input: args ?? {} };
  }
  const how = name === LIST_RESOURCES ? "list" : name === READ_RESOURCE ? "read" : undefined;
  if (how === undefined) return call;
  const { server, ...rest } = fieldsOf(input);
  const found = ofResources.find((each) => each.resources === how && serverOf(each) === server);
  if (found) return { id, name: found.tool.name, input: rest };
  return `There is no MCP server ${JSON.stringify(server ?? "")} with resources; there is ${serversIn(ofResources)}.`;
}

/** The prompt has the name of a server's tool without what all of them begin with. */
function wholeName(name: string, tools: readonly InstalledTool[]): string {
  const [only, other] = tools.filter(({ tool }) => tool.name.endsWith(`__${name}`));
  return only !== undefined && other === undefined ? only.tool.name : name;
}

function fieldsOf(input: JsonValue): Readonly<Record<string, JsonValue>> {
  return isTable(input) ? (input as Readonly<Record<string, JsonValue>>) : {};
}

function contributionOf(tool: DefinedTool): ToolContribution {
  return { tool, accesses: () => [] };
}

function findTools({ deferred }: OfferedTools, current: () => OfferedTools): ToolContribution {
  return contributionOf(
    defineTool({
      name: FIND_TOOLS,
      description:
        `Find tools of MCP servers, of which you know only the names: ${countsIn(deferred)}. Returns their whole definitions. ` +
        `Then call what you found with ${CALL_TOOL}.`,
      parameters: {
        type: "object",
        properties: { query: { type: "string", description: "Names, or words for what the tool does." } },
        required: ["query"],
        additionalProperties: false,
      },
      run: async (input) => textResult(findDefinitions(String(fieldsOf(input).query), current().deferred)),
    }),
  );
}

/** It never runs: see {@link meantCall}. */
function callTool(): ToolContribution {
  return contributionOf(
    standIn(CALL_TOOL, `Call a tool that ${FIND_TOOLS} found.`, {
      name: { type: "string", description: "Its whole name." },
      arguments: { type: "object", description: "As its definition says." },
    }),
  );
}

function listResources({ ofResources }: OfferedTools): ToolContribution {
  return contributionOf(
    standIn(
      LIST_RESOURCES,
      `List the resources (texts and files) that an MCP server offers, and the patterns of those that have no end. Servers: ${serversIn(ofResources)}.`,
      {
        server: { type: "string", description: "Its name." },
        contains: { type: "string", description: "Only those whose URI, name or description has this text." },
      },
      ["server"],
    ),
  );
}

function readResource(): ToolContribution {
  return contributionOf(
    standIn(READ_RESOURCE, `Read a resource that ${LIST_RESOURCES} listed.`, {
      server: { type: "string", description: "The server's name." },
      uri: { type: "string", description: "As the list has it." },
    }),
  );
}

function standIn(
  name: string,
  description: string,
  properties: Readonly<Record<string, JsonValue>>,
  required: readonly string[] = Object.keys(properties),
): DefinedTool {
  return defineTool({
    ...{ name, description },
    parameters: { type: "object", properties, required: [...required], additionalProperties: false },
    run: async () => textResult(`${name} is called through the boundary only.`),
  });
}

function serversIn(tools: readonly InstalledTool[]): string {
  return [...new Set(tools.map(serverOf))].join(", ");
}

/** `tickets (25), notes (2)`. */
function countsIn(tools: readonly InstalledTool[]): string {
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(serverOf(tool), (counts.get(serverOf(tool)) ?? 0) + 1);
  return Array.from(counts, ([server, count]) => `${server} (${count})`).join(", ");
}
