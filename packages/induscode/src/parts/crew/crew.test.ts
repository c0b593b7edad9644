import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileBoard } from "indusagi/swarm";
import { expect, onTestFinished, test } from "vitest";
import { createCostBudget } from "../../conductor/cost.ts";
import { withLock } from "../../store/lock.ts";
import { runCrew, toMemberDraft } from "./crew.ts";

test("what tickets cost before, and cost elsewhere meanwhile, is within the budget of a run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "indus-crew-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const board = createFileBoard({ folder, withLock });
  await board.post(
    "plan",
    ["before", "one", "elsewhere", "two"].map((title) => ({ title })),
  );
  const doElsewhere = async (): Promise<void> => {
    const claim = await board.claim("other", { leaseMs: 60_000 });
    const key = { id: claim?.ticket.id ?? "", token: claim?.token ?? 0 };
    await board.finish(key, "done", "", { turns: 1, tokens: 1, dollars: 2, durationMs: 1 });
  };
  await doElsewhere();
  const budget = createCostBudget(100, "models.json");
  const spent: number[] = [];
  const coder = {
    name: "coder",
    purpose: "Codes.",
    prompt: "Code.",
    source: "test",
    tools: undefined,
  } as never;
  const end = await runCrew({
    ...{ id: "c", board, budget, oneByOne: false, signal: new AbortController().signal },
    crew: { profiles: [coder], members: [toMemberDraft(coder)] },
    deskOf: async () => ({
      async run({ took }) {
        spent.push(budget.spent());
        budget.add(1);
        if (spent.length === 1) await doElsewhere();
        took?.({ turns: 1, tokens: 10, cost: 1 });
        return { ok: true, report: "Done.", turns: 1, cost: 1 };
      },
    }),
    onTicket: () => undefined,
    onTrouble: () => undefined,
  });
  expect(end).toMatchObject({ completed: 2, cost: 2 });
  expect(spent).toEqual([2, 5]);
  expect((await board.list()).map(({ used }) => used?.dollars)).toEqual([2, 1, 2, 1]);
});
