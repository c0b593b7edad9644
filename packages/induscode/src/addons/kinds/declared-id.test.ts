import { expect, it } from "vitest";
import { declaredIdIn } from "./declared-id.ts";

it.each([
  ["a.ts", 'import x from "y";\nexport const id = "notes";\n', "notes"],
  ["a.ts", "export const id: string = 'notes'", "notes"],
  ["a.js", "export let id = `notes`;", "notes"],
  ["a.ts", 'const id = "notes";', undefined],
  ["a.ts", '  export const id = "notes";', undefined],
  ["a.ts", 'export const identity = "notes";', undefined],
  ["a.ts", "export const id = makeId();", undefined],
  ["a.ts", 'export const id = "user:notes";', undefined],
  ["a.py", 'id = "notes"\n', "notes"],
  ["a.py", "version = '1'\nid: str = 'notes'", "notes"],
  ["a.py", '    id = "notes"', undefined],
  ["a.py", 'export const id = "notes"', undefined],
])("%s with %j calls itself %s", (path, text, id) => {
  expect(declaredIdIn(text, path)).toBe(id);
});
