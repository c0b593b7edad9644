// Which tools a request describes. Those of MCP servers can be many: beyond a budget the model gets their names, finds a definition with
// `find_tools`, and calls what it found through `call_tool`. The list of tools, which providers cache, stays the same meanwhile.

import type { ToolDescriptor } from "indusagi/runtime";
import type { InstalledTool } from "../feature/tool.ts";
import { isServerTool } from "../feature/tool-names.ts";

/** How many bytes of servers' tools a request has at most, if the person does not say. */
export const DEFAULT_TOOL_BYTES = 8 * 1024;

/** Which tools a session shows, and how. */
export interface OfferedTools {
  /** Described in each request. */
  readonly described: readonly InstalledTool[];
  /** Named in the prompt. */
  readonly deferred: readonly InstalledTool[];
  /** Those that list or read the resources of one server: the pair for all servers stands for them. */
  readonly ofResources: readonly InstalledTool[];
}

export const NOTHING_OFFERED: OfferedTools = { described: [], deferred: [], ofResources: [] };

/**
 * What follows `before`, with the tools that are there now. Tools described before keep their places, so that the provider's cache of the
 * list stays valid, and tools that were deferred stay so.
 */
export function offerTools(
  present: readonly InstalledTool[],
  before: OfferedTools,
  maxBytes: number = DEFAULT_TOOL_BYTES,
): OfferedTools {
  const now = new Map(present.map((each) => [each.tool.name, each]));
  const still = (tools: readonly InstalledTool[]): readonly InstalledTool[] =>
    tools.flatMap(({ tool }) => now.get(tool.name) ?? []);
  const all = [...new Set([...still(before.described), ...now.values()])];
  const direct = all.filter(({ resources }) => resources === undefined);
  const bytes = direct.filter(isOfServer).reduce((sum, each) => sum + sizeOf(each), 0);
  const wereDescribed = new Set(before.described.map(({ tool }) => tool.name));
  const isDeferring = before.deferred.length > 0 || bytes > maxBytes;
  const isDeferred = (each: InstalledTool): boolean =>
    isDeferring && isOfServer(each) && !wereDescribed.has(each.tool.name);
  return {
    described: direct.filter((each) => !isDeferred(each)),
    deferred: direct.filter(isDeferred),
    ofResources: all.filter(({ resources }) => resources !== undefined),
  };
}

/** As the model reads it. */
export function definitionOf({ tool }: InstalledTool): ToolDescriptor {
  return tool.descriptor();
}

/** The name that a server has behind the scope of its feature. */
export function serverOf({ feature }: InstalledTool): string {
  return feature.slice(feature.indexOf(":") + 1);
}

export function isOfServer({ tool }: InstalledTool): boolean {
  return isServerTool(tool.name);
}

function sizeOf(each: InstalledTool): number {
  return Buffer.byteLength(JSON.stringify(definitionOf(each)));
}
