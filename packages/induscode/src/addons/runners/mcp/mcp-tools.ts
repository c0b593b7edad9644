// What an MCP server lists as its tools, entry by entry: one that cannot be used costs that tool alone.

import type { JsonObject } from "indusagi/core";
import { isTable, isTooDeep, kindOf, MAX_DEPTH } from "../table-value.ts";

export interface ServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | undefined;
  /** It can only be called as a task. */
  readonly isTask: boolean;
}

interface ReadTools {
  readonly tools: readonly ServerTool[];
  /** Those that cannot be used. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/** What the host takes of one description (`ToolCard` of the protocol). */
const MAX_DESCRIPTION = 16 * 1024;
/** All tools of an addon may take this much of a request: one alone that takes more would displace the others. */
const MAX_SCHEMA_CHARACTERS = 128 * 1024;
const MAX_SHOWN_NAME = 100;

export function readTools(entries: readonly unknown[]): ReadTools {
  const tools: ServerTool[] = [];
  const known = new Map<string, string>();
  const skipped: { readonly name: string; readonly reason: string }[] = [];
  for (const [at, entry] of entries.entries()) {
    const read = readTool(entry);
    const { name } = isTable(entry) ? entry : { name: undefined };
    if (typeof read !== "string") {
      const text = JSON.stringify(entry);
      const before = known.get(read.name);
      if (before === text) continue; // the same twice is one tool
      if (before === undefined) {
        known.set(read.name, text);
        tools.push(read);
      } else
        skipped.push({
          name: read.name,
          reason: "the server has already listed a different tool with this name",
        });
      continue;
    }
    skipped.push({ name: typeof name === "string" ? name : `number ${at + 1} of the server`, reason: read });
  }
  return { tools, skipped };
}

/** The tool, or why it is none. Texts that are none, and fields that are not known, do not matter. */
function readTool(entry: unknown): ServerTool | string {
  if (!isTable(entry)) return `it is ${kindOf(entry)}, not an object`;
  const { name, inputSchema, outputSchema, execution } = entry;
  if (typeof name !== "string") return `its name is ${kindOf(name)}, not a string`;
  const parameters = parametersOf(inputSchema);
  if (typeof parameters === "string") return parameters;
  const description = [entry.description, entry.title, titleIn(entry.annotations)].find(
    (text) => typeof text === "string" && text !== "",
  );
  return {
    name,
    description: ((description as string | undefined) ?? name).slice(0, MAX_DESCRIPTION),
    inputSchema: parameters,
    isTask: isTable(execution) && execution.taskSupport === "required",
    outputSchema: isTable(outputSchema) ? (outputSchema as JsonObject) : undefined,
  };
}

function titleIn(annotations: unknown): unknown {
  return isTable(annotations) ? annotations.title : undefined;
}

/** The schema of its arguments, which are always an object, whether it says so or not; or what is wrong with it. */
function parametersOf(schema: unknown): JsonObject | string {
  if (schema === undefined || schema === null) return "it has no inputSchema";
  if (!isTable(schema)) return `its inputSchema is ${kindOf(schema)}, not an object`;
  const { type } = schema;
  const isObject =
    type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  if (!isObject)
    return `its inputSchema has the type ${JSON.stringify(type).slice(0, MAX_SHOWN_NAME)}, but arguments are an object`;
  if (isTooDeep(schema)) return `its inputSchema is nested deeper than ${MAX_DEPTH} levels`;
  const size = JSON.stringify(schema).length;
  if (size > MAX_SCHEMA_CHARACTERS)
    return `its inputSchema has ${size} characters; at most ${MAX_SCHEMA_CHARACTERS} are accepted`;
  return (type === "object" ? schema : { ...schema, type: "object" }) as JsonObject;
}
