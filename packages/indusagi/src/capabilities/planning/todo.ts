// todo_set and todo_read: the checklist that a model keeps for itself.

import { clamp } from "../../core/clamp.ts";
import type { JsonValue } from "../../core/schema/json-schema.ts";
import { ArgumentReader } from "../kernel/argument-reader.ts";
import type { DefinedTool, Framework } from "../kernel/contract.ts";
import { coerceInput, defineTool } from "../kernel/define-tool.ts";
import { failureResult, textResult } from "../kernel/results.ts";
import { createTodoStore, TODOS, type TodoItem, type TodoStatus, type TodoStore } from "./todo-store.ts";

// Far above any useful list; one near the limits would fill the model's view each time it is shown.
export const MAX_TODO_ITEMS = 200;
const MAX_TODO_ID_CHARS = 100;
export const MAX_TODO_TEXT_CHARS = 2_000;

const BOXES: Readonly<Record<TodoStatus, string>> = { pending: "[ ]", active: "[~]", done: "[x]" };
const STATUSES = Object.keys(BOXES) as readonly TodoStatus[];

const catalogueStore = createTodoStore();

/** Clears every list in the store shared by the bare catalogue's tools. */
export function resetTodos(): void {
  catalogueStore.reset();
}

/** The tool's own store, else the calling session's, else the bare catalogue's. */
function storeOf(own: TodoStore | undefined, { session }: Framework): TodoStore {
  return own ?? session?.get(TODOS) ?? catalogueStore;
}

/** Replaces the conversation's whole list. Without `store`, uses the session's. */
export function todoSetTool(store?: TodoStore): DefinedTool {
  return defineTool({
    name: "todo_set",
    description:
      "Replace the whole checklist of this task: send every item each time; an empty array clears it. " +
      "Keep one item active while you work on it.",
    parameters: {
      type: "object",
      properties: {
        items: {
          type: "array",
          items: {
            type: "object",
            properties: {
              id: { type: "string", description: "Unique in the list." },
              text: { type: "string", description: "What to do." },
              status: { type: "string", enum: [...STATUSES] },
            },
            required: ["id", "text", "status"],
            additionalProperties: false,
          },
        },
      },
      required: ["items"],
      additionalProperties: false,
    },
    run: async (input, { contextId, budget, framework }) => {
      const args = new ArgumentReader(input);
      const given = args.raw("items");
      if (args.problem) return failureResult(args.problem);
      if (!Array.isArray(given)) return failureResult('"items" must be an array; [] clears the checklist.');
      const items = parseItems(given);
      if (typeof items === "string") return failureResult(items);
      storeOf(store, framework).set(contextId, items);
      return textResult(clamp(checklistText(items), budget));
    },
  });
}

/** Returns the conversation's list unchanged. Without `store`, uses the session's. */
export function todoReadTool(store?: TodoStore): DefinedTool {
  return defineTool({
    name: "todo_read",
    description: "Show the checklist of this task.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    run: async (_input, { contextId, budget, framework }) =>
      textResult(clamp(checklistText(storeOf(store, framework).get(contextId)), budget)),
  });
}

/** When a conversation is resumed, restores the list that a call of `todo_set` with these arguments set. */
export function recallTodos(store: TodoStore, contextId: number, input: JsonValue): void {
  const items = new ArgumentReader(coerceInput(input)).raw("items");
  const parsed = Array.isArray(items) ? parseItems(items) : [];
  if (typeof parsed !== "string") store.set(contextId, parsed);
}

/** The items, or what is wrong with the first bad one: then none of them is accepted. */
function parseItems(given: readonly JsonValue[]): readonly TodoItem[] | string {
  if (given.length > MAX_TODO_ITEMS) {
    return `"items" has ${given.length} items; the limit is ${MAX_TODO_ITEMS}. Merge some.`;
  }
  const items = new Map<string, TodoItem>();
  for (const [index, entry] of given.entries()) {
    const item = parseItem(entry);
    if (typeof item === "string") return `Item ${index + 1}: ${item}`;
    if (items.has(item.id)) return `Item ${index + 1}: duplicate id "${item.id}". Ids must be unique.`;
    items.set(item.id, item);
  }
  return [...items.values()];
}

function parseItem(entry: JsonValue): TodoItem | string {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    return 'must be an object with "id", "text" and "status".';
  }
  const args = new ArgumentReader(entry);
  const id = args.requiredText("id");
  const text = args.requiredText("text");
  const status = args.oneOf("status", STATUSES);
  if (args.problem) return args.problem;
  if (id.trim() === "") return '"id" must not be empty.';
  if (text.trim() === "") return '"text" must not be empty.';
  if (status === undefined) return `"status" is missing: expected one of ${STATUSES.join(", ")}.`;
  if (id.length > MAX_TODO_ID_CHARS)
    return `"id" has ${id.length} characters; the limit is ${MAX_TODO_ID_CHARS}.`;
  if (text.length > MAX_TODO_TEXT_CHARS) {
    return `"text" has ${text.length} characters; the limit is ${MAX_TODO_TEXT_CHARS}. Shorten it.`;
  }
  return { id, text, status };
}

/** A list with a tally, as the tools show it. */
export function checklistText(items: readonly TodoItem[]): string {
  if (items.length === 0) return "The checklist is empty.";
  const count = (status: TodoStatus): number => items.filter((item) => item.status === status).length;
  const tally = STATUSES.map((status) => `${count(status)} ${status}`).join(", ");
  // One line per item, whatever the text contains: a line break must not fake another item.
  const lines = items.map(({ id, text, status }) => `${BOXES[status]} ${oneLine(id)}: ${oneLine(text)}`);
  return [`${items.length} ${items.length === 1 ? "item" : "items"}: ${tally}`, ...lines].join("\n");
}

function oneLine(text: string): string {
  const lines = text.split(/[\n\r\u2028\u2029]/).map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}
