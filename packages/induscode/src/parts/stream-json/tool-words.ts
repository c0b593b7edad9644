// Whose words tools and their arguments have on the pipe: those of the agent whose programs speak this form, or ours for a program that asks
// for them.

import { isTable, type JsonObject, type JsonValue } from "indusagi/core";
import { hookToolInput, hookToolName } from "../../addons/runners/hooks/hook-tools.ts";

export interface ToolWords {
  readonly name: (tool: string) => string;
  readonly input: (tool: string, input: JsonValue) => JsonObject;
}

export const THEIR_WORDS: ToolWords = {
  name: hookToolName,
  input: (tool, input) => (isTable(input) ? hookToolInput(tool, input) : {}),
};

export const OUR_WORDS: ToolWords = {
  name: (tool) => tool,
  input: (_tool, input) => (isTable(input) ? input : {}),
};
