import { expect, test } from "vitest";
import { createWorkspace } from "../../../../tests/support/test-workspace.ts";
import { compileSchema } from "../core/schema/json-schema.ts";
import { CapabilityError } from "./kernel/tool-registry.ts";
import {
  BUILTIN_TOOLS,
  builtinRegistry,
  MUTATING_NAMES,
  READ_ONLY_NAMES,
  toolBox,
  tryToolBox,
} from "./registry.ts";

test("the standard collections hold every tool once", () => {
  const registry = builtinRegistry();
  expect(registry.names()).toEqual(BUILTIN_TOOLS.map(({ name }) => name));
  expect(READ_ONLY_NAMES).toEqual(
    expect.arrayContaining(["read", "ls", "grep", "find", "websearch", "webfetch"]),
  );
  expect(MUTATING_NAMES).toEqual(
    expect.arrayContaining(["write", "edit", "bash", "todo_set", "todo_read", "process"]),
  );
  expect(
    Object.fromEntries(registry.collectionNames().map((name) => [name, registry.membersOf(name)])),
  ).toEqual({
    "read-only": READ_ONLY_NAMES,
    coding: [...READ_ONLY_NAMES, ...MUTATING_NAMES],
    all: registry.names(),
  });
});

test("a box runs its tools in the folder it is given", async () => {
  const ws = createWorkspace();
  ws.put("a.txt", "hello\n");
  const box = toolBox("read-only", ws.root);
  const { signal } = new AbortController();
  expect(await box.runner.run({ id: "1", name: "read", input: '{"path":"a.txt"}' }, signal)).toEqual({
    id: "1",
    output: "Showing lines 1–1 of 1.\n     1\thello",
    isError: false,
  });
  expect((await box.runner.run({ id: "2", name: "bash", input: { command: "true" } }, signal)).output).toBe(
    'This session exposes no tool called "bash".',
  );
});

test("a box's outcome has what the tool reports besides its result", async () => {
  const ws = createWorkspace();
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452ff", "hex");
  ws.put("a.png", png);
  const box = toolBox("coding", ws.root);
  const { signal } = new AbortController();
  expect(await box.runner.run({ id: "1", name: "read", input: { path: "a.png" } }, signal)).toEqual({
    id: "1",
    output: `A picture (image/png, ${png.length} bytes), shown with this result.`,
    isError: false,
    images: [{ kind: "image", mediaType: "image/png", data: png.toString("base64") }],
  });
  const failed = await box.runner.run({ id: "2", name: "bash", input: { command: "exit 3" } }, signal);
  expect(failed).toMatchObject({ isError: true, status: "exit code 3" });
});

test("an unknown collection is an error value", () => {
  expect(tryToolBox("everything")).toEqual(
    new CapabilityError("unknown_collection", "everything", ["read-only", "coding", "all"]),
  );
});

test("every tool's parameters are a schema that compiles and refuses what it does not know", async () => {
  for (const { name, parameters } of toolBox("all").descriptors()) {
    const check = await compileSchema(parameters);
    expect([name, await check({ nonsense: 1 })]).toEqual([
      name,
      expect.stringContaining('unknown argument "nonsense"'),
    ]);
  }
});
