import { expect, it } from "vitest";
import { createDelegateRunner } from "./delegate-runner.ts";

it("refuses a task for a worktree, which it would otherwise run in the common folder: nothing is posted", async () => {
  const posted: unknown[] = [];
  const runner = createDelegateRunner({
    id: "kitchen",
    board: { post: async (...all: unknown[]) => void posted.push(all) } as never,
    profiles: [],
    delegates: { run: async () => ({ ok: true, report: "", turns: 1, cost: 0 }) },
  });
  await expect(
    runner.run(
      [
        { key: "bake", title: "Bake" },
        { key: "mend", title: "Mend", worktree: true },
      ],
      new AbortController().signal,
    ),
  ).rejects.toThrow(
    'the task "Mend" needs its own worktree, and a DelegateRunner does not create worktrees: use `indus crew run`, or omit worktree',
  );
  expect(posted).toEqual([]);
});
