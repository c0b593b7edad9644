// The one adapter between a tool as written and a tool as the runtime invokes it. What all
// tools need around their `run` is here and nowhere else.

import { Aborted } from "../../core/abort.ts";
import { describeError } from "../../core/faults.ts";
import type { JsonValue } from "../../core/schema/json-schema.ts";
import type { ToolOutcome } from "../../runtime/contract.ts";
import type { DefinedTool, Tool, ToolContentBlock, ToolContext, ToolResult } from "./contract.ts";
import { failureResult } from "./results.ts";

/** Wraps `tool` for the runtime. The wrapped tool never rejects: whatever `run` throws becomes an error outcome. */
export function defineTool(tool: Tool): DefinedTool {
  const { name, description, parameters } = tool;
  return {
    name,
    description,
    parameters,
    descriptor: () => ({ name, description, parameters }),
    invoke: async (call, context): Promise<ToolOutcome> => {
      const result = await runFenced(tool, call.input, context);
      return { id: call.id, output: projectOutput(result.content), isError: result.isError };
    },
    execute: async (_callId, input, context) => {
      const { content, isError } = await runFenced(tool, input, context);
      return { content: content.map(blockText), details: projectDetails(content), isError };
    },
  };
}

async function runFenced(tool: Tool, input: JsonValue, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) return failureResult(`Cancelled before ${tool.name} could begin.`);
  try {
    const result = await tool.run(coerceInput(input), context);
    if (isResult(result)) return result;
    throw new Error("its run must return { content, isError }, as textResult makes it");
  } catch (error) {
    return failureResult(describeThrow(tool.name, error));
  }
}

/** Types say so already; a tool written in JavaScript has none. */
function isResult(result: Partial<ToolResult> | undefined): result is ToolResult {
  return (
    typeof result?.isError === "boolean" && Array.isArray(result.content) && result.content.every(isBlock)
  );
}

function isBlock(block: ToolContentBlock | null): boolean {
  return block?.kind === "text" ? typeof block.text === "string" : block?.kind === "json";
}

/** The message to the model when a tool's `run` throws. */
export function describeThrow(toolName: string, error: unknown): string {
  if (error instanceof Aborted) return `Cancelled while ${toolName} was running.`;
  return `${toolName} failed: ${describeError(error)}`;
}

/**
 * Coerces a model's arguments towards an object: a string containing `{…}` or `[…]` is parsed, nothing becomes `{}`, anything
 * else is passed on for the tool's own parsing to refuse.
 */
export function coerceInput(input: JsonValue | undefined): JsonValue {
  if (input === null || input === undefined) return {};
  if (typeof input !== "string") return input;
  const text = input.trim();
  const isBag = (text.startsWith("{") && text.endsWith("}")) || (text.startsWith("[") && text.endsWith("]"));
  if (!isBag) return input;
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return input;
    throw error;
  }
}

/** A single text becomes a bare string, a single JSON block its value, anything else an array of `{ kind, … }` objects. */
export function projectOutput(content: readonly ToolContentBlock[]): JsonValue {
  const [only] = content;
  if (only === undefined || content.length > 1) return content.map((block) => ({ ...block }));
  return only.kind === "text" ? only.text : only.value;
}

function blockText(block: ToolContentBlock): string {
  return block.kind === "text" ? block.text : JSON.stringify(block.value);
}

function projectDetails(content: readonly ToolContentBlock[]): JsonValue {
  const values = content.flatMap((block) => (block.kind === "json" ? [block.value] : []));
  return values.length === 1 ? (values[0] ?? null) : values.length === 0 ? {} : values;
}
