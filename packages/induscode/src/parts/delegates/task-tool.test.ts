import { makeLocalContext } from "indusagi/capabilities";
import { createSessionScope, type JsonValue, readSchema } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { until } from "../../../../../tests/support/until.ts";
import type { DelegateRole } from "../../deck/builtins/delegate-roles.ts";
import { grantDeclared, installFeatures } from "../../feature/registry.ts";
import {
  type BackgroundDelegate,
  DELEGATES,
  type DelegateDesk,
  type DelegateReport,
  type DelegateWork,
} from "./delegate-desk.ts";
import { delegatesFeature } from "./feature.ts";

const ROLES: readonly DelegateRole[] = [
  { name: "scout", toolCollection: "read-only" },
  { name: "looker", tools: ["read", "todo_set"] },
  { name: "coder", toolCollection: "coding" },
];

const IN_BACKGROUND: BackgroundDelegate = {
  ...{ id: "delegate-1", agent: "scout", sessionId: "s", objective: "Find\nit.", state: "working" },
  ...{ turns: 2, tokens: 300, cost: 0, ageMs: 5, said: "Halfway." },
};

interface Desk {
  readonly answer?: (work: DelegateWork) => Promise<DelegateReport>;
  readonly oneByOne?: boolean;
}

async function taskTool({ answer = async () => FOUND, oneByOne = false }: Desk = {}) {
  const asked: DelegateWork[] = [];
  const session = createSessionScope();
  const desk: Partial<DelegateDesk> = {
    check: async () => undefined,
    run(work) {
      asked.push(work);
      return answer(work);
    },
    async start(work) {
      asked.push(...work);
      return work.map(({ agent }, at) => ({ ...IN_BACKGROUND, agent, id: `delegate-${at + 1}` }));
    },
    list: () => [IN_BACKGROUND],
    get: () => IN_BACKGROUND,
    send: () => IN_BACKGROUND,
    stop: async () => ({ ...IN_BACKGROUND, state: "done" }),
    wait: async () => ({ ...IN_BACKGROUND, state: "done", said: "Found." }),
  };
  session.put(DELEGATES, desk as DelegateDesk);
  const { tools } = await installFeatures([delegatesFeature({ roles: ROLES, oneByOne })], grantDeclared);
  const [contribution] = tools;
  if (!contribution) throw new Error("no tool was installed");
  const call = (input: JsonValue) =>
    contribution.tool.invoke(
      { id: "1", name: "task", input },
      makeLocalContext("/", { framework: { session } }),
    );
  return { asked, call, contribution };
}

const FOUND: DelegateReport = { ok: true, report: "found", turns: 1, cost: 0 };
const ONE = { agent: "scout", objective: "x" } as const;

describe("the tool task", () => {
  it("hands on the words, and answers with the report", async () => {
    const { asked, call } = await taskTool();
    const request = {
      ...{ agent: "scout", objective: "Find it.", context: "It is blue." },
      limits: { turns: 3, dollars: 0.5 },
    };
    expect(await call(request)).toMatchObject({ output: "found", isError: false });
    expect(asked).toEqual([request]);
  });

  it("a delegate that did not finish is an error outcome", async () => {
    const { call } = await taskTool({
      answer: async () => ({ ok: false, report: "it broke", turns: 1, cost: 0 }),
    });
    expect(await call(ONE)).toMatchObject({ output: "it broke", isError: true });
  });

  it("several objectives: those that only read side by side, the others in turn; one that fails fails alone", async () => {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const { call } = await taskTool({
      answer: async ({ objective }) => {
        begun.push(objective);
        await new Promise<void>((resolve) => void ends.push(resolve));
        return { ok: objective !== "c1", report: `report ${objective}`, turns: 1, cost: 0 };
      },
    });
    const of = (agent: string, objective: string) => ({ agent, objective });
    const answer = call({
      tasks: [of("scout", "s1"), of("coder", "c1"), of("looker", "l1"), of("coder", "c2")],
    });
    await until(() => begun.length === 3);
    expect([...begun].sort()).toEqual(["c1", "l1", "s1"]);
    for (const end of ends.splice(0)) end();
    await until(() => begun.length === 4);
    for (const end of ends) end();
    expect(await answer).toMatchObject({
      output:
        "# 1. scout\n\nreport s1\n\n# 2. coder, failed\n\nreport c1\n\n# 3. looker\n\nreport l1\n\n# 4. coder\n\nreport c2",
      isError: false,
    });
  });

  it("in the background: begun, listed, read, written to, stopped, waited for", async () => {
    const { asked, call } = await taskTool();
    const output = async (input: JsonValue) => (await call(input)).output;
    expect(await output({ action: "start", tasks: [ONE, { ...ONE, agent: "looker" }] })).toBe(
      "Started delegate-1 (scout). You will be notified when it ends.\nStarted delegate-2 (looker). You will be notified when it ends.",
    );
    expect(asked).toHaveLength(2);
    const line = "delegate-1 (scout): working, 2 model calls, 300 tokens: Find it.";
    expect(await output({ action: "list" })).toBe(line);
    const id = "delegate-1";
    expect(await output({ action: "read", id })).toBe(`${line}\n\nHalfway.`);
    expect(await output({ action: "send", id, message: "Look up." })).toBe(
      "delegate-1 reads the message at its next model call.",
    );
    expect(await output({ action: "stop", id })).toBe("delegate-1 had already ended: done.");
    expect(await output({ action: "wait", id })).toMatch(/^delegate-1 \(scout\): done, .*\n\nFound\.$/);
  });

  const WORDS = "x".repeat(70_000);
  it.each<readonly [JsonValue, string]>([
    [{ agent: "nobody", objective: "x" }, "expected agent to be one of scout, looker, coder, found nobody"],
    [{ objective: "x" }, "expected agent to be one of scout, looker, coder, found nothing"],
    [{ agent: "scout" }, "expected an objective, found nothing"],
    [
      { agent: "scout", objective: WORDS },
      "expected at most 65536 bytes: write the rest to a file and give its path",
    ],
    [
      { action: "send", id: "delegate-1", message: WORDS },
      "expected at most 65536 bytes: write the rest to a file and give its path",
    ],
    [{ tasks: [] }, "expected 1 to 8 tasks"],
    [{ tasks: Array.from({ length: 9 }, () => ONE) }, "expected 1 to 8 tasks"],
    [{ ...ONE, tasks: [ONE] }, "expected either tasks, or an agent and an objective, found both"],
    [{ tasks: [ONE, { agent: "scout" }] }, "tasks[1]: expected an objective, found nothing"],
    [{ ...ONE, limits: { tokens: 0 } }, "limits: expected tokens to be a whole number above 0, found 0"],
    [{ ...ONE, limits: { dollars: "1" } }, 'limits: expected dollars to be a number above 0, found "1"'],
    [
      { action: "start", agent: "coder", objective: "x" },
      "coder may change files while you work on them: use the action run, or a delegate that only reads",
    ],
    [{ action: "stop" }, '"id" is missing: expected a string.'],
  ])("refuses %.60j in words and runs nothing", async (input, told) => {
    const { asked, call } = await taskTool();
    expect(await call(input)).toMatchObject({ output: told, isError: true });
    expect(asked).toEqual([]);
  });

  it("nothing works in the background of a recording", async () => {
    const { call } = await taskTool({ oneByOne: true });
    expect(await call({ ...ONE, action: "start" })).toMatchObject({
      output:
        "background delegates are not available while a session is recorded or played from a cassette: use the action run",
      isError: true,
    });
  });

  it("runs alone where a delegate may change something, and never takes the place of calls that work here", async () => {
    const { contribution } = await taskTool();
    const alone = (input: JsonValue) => contribution.alone?.(input);
    expect(ROLES.map(({ name }) => alone({ agent: name, objective: "x" }))).toEqual([false, false, true]);
    expect([alone({}), alone({ action: "stop", agent: "coder" })]).toEqual([false, false]);
    expect([alone({ tasks: [ONE] }), alone({ tasks: [ONE, { agent: "coder" }] })]).toEqual([false, true]);
    expect(contribution.waits).toBe(true);
  });

  it("has a valid schema", async () => {
    const { contribution } = await taskTool();
    expect(readSchema(contribution.tool.parameters)).toMatchObject({
      ok: true,
      unchecked: [],
      isCostly: false,
    });
  });

  it("touches each delegate that it hands work to, by whatever argument", async () => {
    const { contribution } = await taskTool();
    const agents = (input: JsonValue) =>
      contribution.accesses?.(input, "/").map((access) => access.kind === "delegate" && access.agent);
    expect(agents(ONE)).toEqual(["scout"]);
    expect(agents({ tasks: [ONE, ONE, { agent: "coder" }, 7] })).toEqual(["scout", "coder", "unknown"]);
    expect(agents({ action: "start", tasks: [{ agent: "coder" }] })).toEqual(["coder"]);
    expect([agents({ action: "list" }), agents({})]).toEqual([[], ["unknown"]]);
  });
});
