import { beforeEach, describe, expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import type { JsonValue } from "../../core/schema/json-schema.ts";
import { compileSchema } from "../../core/schema/json-schema.ts";
import { makeLocalContext } from "../backends/local.ts";
import type { DefinedTool, ToolContext } from "../kernel/contract.ts";
import { MAX_TODO_ITEMS, MAX_TODO_TEXT_CHARS, resetTodos, todoReadTool, todoSetTool } from "./todo.ts";
import { createTodoStore, type TodoItem } from "./todo-store.ts";

const context = makeLocalContext("/");

beforeEach(resetTodos);

async function call(tool: DefinedTool, input: JsonValue, where: ToolContext = context): Promise<unknown> {
  const { output, isError } = await tool.invoke({ id: "c", name: tool.name, input }, where);
  return isError ? `refused: ${output}` : output;
}

const set = (items: JsonValue, where?: ToolContext): Promise<unknown> =>
  call(todoSetTool(), { items }, where);
const read = (where?: ToolContext): Promise<unknown> => call(todoReadTool(), {}, where);
const item = (id: string, status: TodoItem["status"] = "pending"): JsonValue => ({
  id,
  text: `do ${id}`,
  status,
});

test("a list is played back as a checklist with a tally, in its order", async () => {
  const shown = "3 items: 1 pending, 1 active, 1 done\n[x] a: do a\n[~] b: do b\n[ ] c: do c";
  expect(await set([item("a", "done"), item("b", "active"), item("c")])).toBe(shown);
  expect(await read()).toBe(shown);
  expect(await read()).toBe(shown); // reading changes nothing
});

test("a new list replaces the whole old one, and [] clears it", async () => {
  await set([item("a"), item("b")]);
  expect(await set([item("c")])).toBe("1 item: 1 pending, 0 active, 0 done\n[ ] c: do c");
  expect(await set([])).toBe("The checklist is empty.");
  expect(await read()).toBe("The checklist is empty.");
});

describe("a bad list is refused at its first bad item, and the old list stays", () => {
  const good = item("good");
  test.each<[string, JsonValue, string]>([
    ["no items", null, '"items" must be an array; [] clears the checklist.'],
    ["items that are no array", { a: 1 }, '"items" must be an array; [] clears the checklist.'],
    ["an item that is no object", [good, "x"], 'Item 2: must be an object with "id", "text" and "status".'],
    [
      "an item of nothing",
      [{}],
      'Item 1: "id" is missing: expected a string. "text" is missing: expected a string.',
    ],
    [
      "an id that is no string",
      [{ id: 1, text: "t", status: "done" }],
      'Item 1: "id" must be a string, got a number.',
    ],
    ["an empty id", [{ id: "", text: "t", status: "done" }], 'Item 1: "id" must not be empty.'],
    ["a blank id", [{ id: " ", text: "t", status: "done" }], 'Item 1: "id" must not be empty.'],
    ["an empty text", [{ id: "a", text: "", status: "done" }], 'Item 1: "text" must not be empty.'],
    ["a blank text", [{ id: "a", text: "\n", status: "done" }], 'Item 1: "text" must not be empty.'],
    [
      "no status",
      [{ id: "a", text: "t" }],
      'Item 1: "status" is missing: expected one of pending, active, done.',
    ],
    [
      "a status of another tool",
      [{ id: "a", text: "t", status: "completed" }],
      'Item 1: "status" must be one of "pending", "active", "done", got "completed".',
    ],
    ["an id used twice", [good, good, "x"], 'Item 2: duplicate id "good". Ids must be unique.'],
    [
      "the first of two bad items",
      [{ id: "" }, "x"],
      'Item 1: "id" must not be empty. "text" is missing: expected a string.',
    ],
    [
      "a text over the limit",
      [{ id: "a", text: "x".repeat(MAX_TODO_TEXT_CHARS + 1), status: "done" }],
      'Item 1: "text" has 2001 characters; the limit is 2000. Shorten it.',
    ],
    [
      "an id over the limit",
      [{ id: "x".repeat(101), text: "t", status: "done" }],
      'Item 1: "id" has 101 characters; the limit is 100.',
    ],
    [
      "more items than the limit",
      Array.from({ length: MAX_TODO_ITEMS + 1 }, (_, index) => item(`${index}`)),
      '"items" has 201 items; the limit is 200. Merge some.',
    ],
  ])("%s", async (_name, items, refusal) => {
    const before = await set([item("old")]);
    expect(await set(items)).toBe(`refused: ${refusal}`);
    expect(await read()).toBe(before);
  });

  test("arguments that are no object", async () => {
    expect(await call(todoSetTool(), "x")).toBe("refused: The arguments must be an object, got a string.");
  });
});

test("the schema accepts what the tool accepts", async () => {
  const check = await compileSchema(todoSetTool().parameters);
  expect(await check({ items: [item("a")] })).toBeUndefined();
  expect(await check({ items: [] })).toBeUndefined();
  expect(await check({ items: [{ id: "a", text: "t", status: "completed" }] })).toBeDefined();
});

test("two conversations do not see each other's list", async () => {
  const other = makeLocalContext("/");
  await set([item("mine")]);
  expect(await read(other)).toBe("The checklist is empty.");
  await set([item("theirs")], other);
  expect(await read()).toBe("1 item: 1 pending, 0 active, 0 done\n[ ] mine: do mine");
  expect(await read({ ...other, signal: new AbortController().signal })).toContain("theirs"); // the next dispatch
});

test("two stores do not see each other, and resetTodos acts on the catalogue's own", async () => {
  const store = createTodoStore();
  await call(todoSetTool(store), { items: [item("kept")] });
  await set([item("wiped")]);
  resetTodos();
  expect(await read()).toBe("The checklist is empty.");
  expect(await call(todoReadTool(store), {})).toContain("kept");
});

test("a store keeps the lists written to last, and no more than a thousand", () => {
  const store = createTodoStore();
  const list: readonly TodoItem[] = [{ id: "a", text: "t", status: "done" }];
  for (let id = 0; id < 1_000; id++) store.set(id, list);
  store.set(0, list); // written again: no longer the oldest
  store.set(1_000, list);
  expect([store.get(0), store.get(1), store.get(1_000)]).toEqual([list, [], list]);
});

test("a line break in a text or id fakes no item", async () => {
  const shown = await set([{ id: "a\n[x] b", text: "one\r\n  [x] c: done\u2028two\n", status: "pending" }]);
  expect(shown).toBe("1 item: 1 pending, 0 active, 0 done\n[ ] a [x] b: one [x] c: done two");
});

test("a long list keeps to the budget", async () => {
  const text = "x".repeat(MAX_TODO_TEXT_CHARS);
  const items = Array.from({ length: MAX_TODO_ITEMS }, (_, id) => ({ id: `${id}`, text, status: "done" }));
  expect(Buffer.byteLength(String(await set(items)))).toBeLessThan(context.budget.maxBytes + 100);
});

test("a todo tool given any value answers with text", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (input) => {
      expect(typeof (await call(todoSetTool(createTodoStore()), input as JsonValue))).toBe("string");
      expect(typeof (await set(input as JsonValue))).toBe("string");
    }),
  );
});
