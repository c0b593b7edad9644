// Naming a session: what happens between the question and the model's answer.

import { expect, it } from "vitest";
import type { ConductorEvent, Entry } from "../conductor/contract.ts";
import { nameSessions, type TitleFacts } from "./title.ts";

function start() {
  let answer: (text: string) => void = () => undefined;
  let hear: (event: ConductorEvent) => void = () => undefined;
  let sessionId = "first";
  const titles: string[] = [];
  const alerts: string[] = [];
  const conductor = {
    subscribe: (listener: typeof hear) => {
      hear = listener;
      return () => undefined;
    },
    announce: (event: ConductorEvent) => void (event.kind === "alert" && alerts.push(event.text)),
    noteTitle: ({ text }: { readonly text: string }) => void titles.push(text),
    status: () => ({ sessionId }),
  } as unknown as TitleFacts["conductor"];
  const asked = new Promise<void>((resolve) => {
    const stream = async (): Promise<unknown> => {
      const text = await new Promise<string>((done) => {
        answer = done;
        resolve();
      });
      const message = { role: "assistant", content: [{ kind: "text", text }] };
      const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
      return { ok: true, reply: { message, stop: "complete", usage } };
    };
    const resolveModel = (async () => ({
      ok: true,
      model: "small",
      provider: { stream },
      card: {},
    })) as unknown as TitleFacts["resolveModel"];
    nameSessions({ conductor, resolveModel, model: "small" });
  });
  const see = (entry: object): void => hear({ kind: "entry", entry: entry as Entry });
  see({ type: "user", content: [{ kind: "text", text: "Mend the parser." }] });
  see({ type: "assistant", message: { role: "assistant", content: [] } });
  see({ type: "end", turns: 1, how: "complete" });
  return {
    ...{ asked, titles, alerts, see, answer: (text: string) => answer(text) },
    begin: (id: string) => {
      sessionId = id;
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("the answer is the name", async () => {
  const { asked, answer, titles, alerts } = start();
  await asked;
  answer('"Parser mended"');
  await settled();
  expect([titles, alerts]).toEqual([["Parser mended"], []]);
});

it("a name that the person gives meanwhile stays", async () => {
  const { asked, answer, titles, alerts, see } = start();
  await asked;
  see({ type: "title", text: "Mine" });
  answer("Parser mended");
  await settled();
  expect([titles, alerts]).toEqual([[], []]);
});

it("another session that began meanwhile is not named after the first, which is said", async () => {
  const { asked, answer, titles, alerts, begin } = start();
  await asked;
  begin("second");
  answer("Parser mended");
  await settled();
  expect(titles).toEqual([]);
  expect(alerts).toEqual([
    "The session keeps its first line as its name: small answered after the session was left.",
  ]);
});
