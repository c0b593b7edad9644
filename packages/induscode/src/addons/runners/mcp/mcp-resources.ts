// The resources of an MCP server, as two tools of its own: one lists them, one reads them.

import type { Client } from "@modelcontextprotocol/client";
import type { AddonTool, AddonToolResult } from "../../kit/contract.ts";
import { isTable, type Table } from "../table-value.ts";
import { listAll, NO_TIMEOUT_MS } from "./mcp-lists.ts";
import { contentBlocks } from "./mcp-result.ts";
import { realAnswer } from "./mcp-stand-ins.ts";

type Unnamed<Args> = Omit<AddonTool<Args>, "name">;

const MAX_LISTED = 200;
const MAX_DESCRIPTION = 200;

/** By the names that they have behind the server's. */
export function resourceTools(client: Client): {
  readonly list_resources: Unnamed<ListArgs>;
  readonly read_resource: Unnamed<ReadArgs>;
} {
  return {
    list_resources: {
      description:
        "List this server's resources (texts and files that it offers) and the patterns of those that have no end.",
      parameters: {
        type: "object",
        properties: {
          contains: {
            type: "string",
            description: "Only those whose URI, name or description has this text.",
          },
        },
        additionalProperties: false,
      },
      run: async ({ contains = "" }) => {
        const lists = [
          await listAll(client, "resources/list"),
          await listAll(client, "resources/templates/list"),
        ];
        const found = lists
          .flatMap(({ entries }) => entries.map(lineOf))
          .filter((line) => line.toLowerCase().includes(contains.toLowerCase()));
        const cuts = lists.flatMap(({ cut }) => (cut === undefined ? [] : [`(${cut})`]));
        if (found.length === 0)
          return [
            contains === "" ? "It has none." : `None contains ${JSON.stringify(contains)}.`,
            ...cuts,
          ].join("\n");
        const more = found.length - MAX_LISTED;
        const rest = [...(more > 0 ? [`… and ${more} more: narrow it with "contains"`] : []), ...cuts];
        return [...found.slice(0, MAX_LISTED), ...rest].join("\n");
      },
    },
    read_resource: {
      description: "Read a resource of this server.",
      parameters: {
        type: "object",
        properties: { uri: { type: "string", description: "As the list has it." } },
        required: ["uri"],
        additionalProperties: false,
      },
      run: ({ uri }, { signal }) => readResource(client, uri, signal),
    },
  };
}

interface ListArgs {
  readonly contains?: string;
}

interface ReadArgs {
  readonly uri: string;
}

async function readResource(client: Client, uri: string, signal: AbortSignal): Promise<AddonToolResult> {
  const answer = realAnswer(
    await client.request({ method: "resources/read", params: { uri } }, { signal, timeout: NO_TIMEOUT_MS }),
  );
  const { contents }: Table = isTable(answer) ? answer : {};
  const parts = (Array.isArray(contents) ? contents : []).map((resource) => ({ type: "resource", resource }));
  return { content: parts.length === 0 ? [{ kind: "text", text: "[it is empty]" }] : contentBlocks(parts) };
}

/** `notes://1 - notes (text/plain): What was said.` */
function lineOf(entry: unknown): string {
  if (!isTable(entry)) return "(an entry that is not a resource)";
  const { uri, uriTemplate, title, name, mimeType, description } = entry;
  const parts = [title ?? name, typeof mimeType === "string" ? `(${mimeType})` : undefined].filter(isText);
  const about = isText(description) ? `: ${description.replace(/\s+/g, " ").slice(0, MAX_DESCRIPTION)}` : "";
  return `${[uri, uriTemplate].find(isText) ?? "(without a URI)"} - ${parts.join(" ")}${about}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
