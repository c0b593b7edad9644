import { expect, it } from "vitest";
import { OpenQuestions } from "./open-questions.ts";
import type { Client } from "./watchers.ts";

const client: Client = {
  notify: () => undefined,
  room: async () => undefined,
  isGone: () => false,
  gone: new AbortController().signal,
  leave: () => undefined,
};

it.each([
  [1_000, "Which session?"],
  [1_001, "Which session? (the first 1000 of 1001)"],
])("a list of %i items is sent with the title %j", async (count, title) => {
  const sent: string[] = [];
  const questions = new OpenQuestions({
    onAsked: (id, question) => {
      if (question.kind === "list") sent.push(question.title, String(question.items.length));
      setImmediate(() => questions.answer(id, { kind: "choice", choice: 999 }));
    },
    onOver: () => undefined,
  });
  const items = Array.from({ length: count }, (_, at) => ({ label: `session ${at}`, at }));
  const picked = await questions.listFor(client, () => "")("Which session?", async () => items);
  expect(sent).toEqual([title, "1000"]);
  expect(picked).toEqual({ label: "session 999", at: 999 });
});

it("an answer with a host is one only to a question that offers a host", async () => {
  const never = new AbortController().signal;
  const about = { tool: "bash", folder: "/w", accesses: [], reason: "r", sessionRule: "bash(x)" };
  const answer = { kind: "host", lasts: "session" } as const;
  const asked: number[] = [];
  const questions = new OpenQuestions({ onAsked: (id) => void asked.push(id), onOver: () => undefined });
  const offered = questions.permission({ ...about, host: "a.example" }, never);
  const plain = questions.permission(about, never);
  questions.answer(asked[0] ?? 0, answer);
  expect(await offered).toEqual(answer);
  expect(() => questions.answer(asked[1] ?? 0, answer)).toThrow(
    "must be one of once, session, no, found host",
  );
  questions.answer(asked[1] ?? 0, { kind: "no" });
  expect(await plain).toEqual({ kind: "no" });
});
