import { defineTool, makeLocalContext, textResult } from "indusagi/capabilities";
import { expect, it } from "vitest";
import { createAuthority } from "../../feature/authority.ts";
import { createHooks } from "../../feature/dispatch/hooks.ts";
import { Passage } from "./passage.ts";
import { runTool } from "./run-tool.ts";

it("a tool does not run where no stage has permitted the call (twin: with a permit it does)", async () => {
  let ran = 0;
  const passage = new Passage(
    { id: "c1", name: "put", input: {} },
    {
      contribution: {
        tool: defineTool({
          name: "put",
          description: "",
          parameters: { type: "object" },
          run: async () => textResult(""),
        }),
        accesses: () => [],
      },
      run: async () => {
        ran += 1;
        return textResult("ran");
      },
      signal: new AbortController().signal,
    },
    {
      find: () => undefined,
      isNews: () => true,
      permissions: {
        explain: async () => ({ outcome: "allow", rulings: [] }),
        deny: async () => ({ kind: "allow" }),
        check: async () => ({ kind: "allow" }),
        recall: () => undefined,
        forget: () => undefined,
        lend: () => () => undefined,
        refusesAll: () => undefined,
      },
      hooks: createHooks(
        { subscriptions: [], interceptors: [] },
        { deadlineMs: 1, onGateFailure: "allow", onFault: () => undefined },
      ),
      authority: createAuthority({ reports: () => [], root: "/", realPath: async (path) => path }),
      context: (signal) => makeLocalContext("/", { signal }),
    },
  );
  await expect(runTool(passage)).rejects.toThrow("put was about to run without a decision");
  expect(ran).toBe(0);
  passage.permit = { kind: "allow" };
  expect(await runTool(passage)).toEqual(textResult("ran"));
});
