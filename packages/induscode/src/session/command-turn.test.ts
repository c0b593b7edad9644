import { deferred } from "indusagi/core";
import { expect, it } from "vitest";
import { commandTurn } from "./command-turn.ts";

it("rules that were lent to one command are taken back before another one has its own", async () => {
  const lent: string[] = [];
  const answers = [deferred<boolean>(), deferred<boolean>()];
  let asked = 0;
  const turn = commandTurn({
    conductor: { subscribe: () => () => undefined } as never,
    permits: async () => undefined,
    lend(rules) {
      const names = rules.map(({ source }) => source);
      lent.push(...names);
      return () => void lent.splice(0, lent.length, ...lent.filter((name) => !names.includes(name)));
    },
    cwd: "/",
    home: "/home/indus",
    personHome: "/",
    subjects: () => ({ tools: [], servers: [] }) as never,
    ui: { ask: () => answers[asked++]?.promise } as never,
  });
  const wishes = (rule: string) => ({ allowedTools: [rule], isOfRepository: true });
  // Both ask the person before either has an answer.
  const first = turn.begin("a.md", wishes("bash(git log)"), () => undefined);
  const second = turn.begin("b.md", wishes("bash(git diff)"), () => undefined);
  for (const answer of answers) answer.resolve(true);
  await Promise.all([first, second]);
  expect(lent).toEqual(["bash(git diff)"]);
  turn.leave();
  expect(lent).toEqual([]);
});
