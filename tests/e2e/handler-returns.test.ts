// What handlers return, through the real command, in every kind of addon: what does not fit is that addon's fault and changes
// nothing, what is the same is not a change, and both documented forms have their effect on both wires.

import { describe, expect, it } from "vitest";
import {
  ANSWERING_KINDS,
  type AnsweringKind,
  type Answers,
  putAnsweringAddon,
} from "../support/answering-addon.ts";
import { isLong, LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const RUN: Script = [
  { text: "Looking.", calls: [{ name: "bash", input: { command: "echo seen" } }] },
  { text: "Done." },
];

async function run(kind: AnsweringKind, answers: Answers, args: readonly string[] = []) {
  const place = await createServedShared(RUN);
  await putAnsweringAddon(place, kind, answers);
  const flags = ["-p", "go", "--model", "anthropic/scripted", "--grant", "answers"];
  const ran = await place.run([...flags, "--permission-mode", "bypass", ...args]);
  // What is left next to the line of the call.
  const complaints = ran.stderr.split("\n").filter((line) => line !== "" && !line.startsWith("✓"));
  return { ...ran, complaints, place, entries: place.entries() };
}

/** In the short form each case meets one kind of addon, in turn. */
const casesFor = <Case>(kind: AnsweringKind, cases: readonly Case[]): readonly Case[] =>
  cases.filter((_, at) => isLong || ANSWERING_KINDS[at % ANSWERING_KINDS.length] === kind);

describe.each(rows(ANSWERING_KINDS, theFirst))("an addon (%s)", (kind) => {
  it.each(
    casesFor<readonly [string, object, string]>(kind, [
      [
        "chat:message",
        { message: { content: 5 } },
        "its payload.message.content must be array, found integer",
      ],
      [
        "chat:message",
        { message: { content: [{ kind: "tool_call", id: "x", name: "bash", input: { command: "id" } }] } },
        'its payload.message has the call "x" of "bash", which the model did not make',
      ],
      ["context:build", { messages: [] }, "its payload.messages must have at least 1 items, found 0"],
      [
        "context:build",
        { messages: [{ role: "user", content: "x".repeat(270_000) }] },
        "its result adds", // the twin of the size: beyond the budget, nothing goes out
      ],
      ["chat:params", { params: "hot" }, "its payload.params must be object, found string"],
      [
        "chat:params",
        { topK: 1 },
        'its payload has the unknown field "topK"; the fields of chat:params are provider,',
      ],
      ["tool:after", { text: { not: "a text" } }, "its payload.text must be string, found object"],
    ]),
  )("that answers %s wrongly (%#) is at fault, and nothing else happens", async (event, answer, why) => {
    const { code, stdout, stderr, place, entries } = await run(kind, {
      events: { [event]: answer },
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr).toContain(`project:answers failed at ${event}: `);
    expect(stderr).toContain(why);
    expect(place.server.requests).toHaveLength(2);
    expect(place.server.requests.map(({ rawBody }) => rawBody.length < 200_000)).toEqual([true, true]);
    expect(entries.some((entry) => "changes" in entry)).toBe(false);
    expect(place.problems()).toEqual([]);
  });

  it(
    "that answers what it was handed, written anew, changed nothing (twin: one that changes is named)",
    LONG_ONLY,
    async () => {
      const events = [
        "chat:params",
        "chat:message",
        "context:build",
        "tool:before",
        "tool:after",
        "input:submit",
      ];
      const same = await run(kind, { events: Object.fromEntries(events.map((event) => [event, "echo"])) });
      expect([same.code, same.complaints]).toEqual([0, []]);
      expect(same.entries.some((entry) => "changes" in entry)).toBe(false);
      const other = await run(kind, { events: { "input:submit": { text: "go on" } } });
      expect(other.entries.find(({ type }) => type === "user")).toMatchObject({
        changes: [{ at: "input:submit", feature: "project:answers" }],
      });
    },
  );

  it("that answers null everywhere changed nothing", LONG_ONLY, async () => {
    const { code, stdout, complaints, entries } = await run(kind, {
      events: { "chat:message": null, "tool:before": { args: null }, "tool:after": { text: null } },
      enter: null,
      exit: null,
    });
    expect({ code, stdout, complaints }).toEqual({ code: 0, stdout: "Done.\n", complaints: [] });
    expect(entries.find(({ type }) => type === "tool")).toMatchObject({
      text: expect.stringContaining("seen"),
    });
    expect(entries.some((entry) => "changes" in entry)).toBe(false);
  });

  it.each(
    casesFor<readonly [string, unknown]>(kind, [
      ["a text for content", { content: "rewritten" }],
      ["type for kind", { content: [{ type: "text", text: "rewritten" }] }],
      ["a text for content, once more", { content: "rewritten", isError: false }],
      ["type for kind, once more", { content: [{ type: "text", text: "rewritten" }], isError: false }],
    ]),
  )("may answer a result with %s", async (_what, exit) => {
    const { complaints, entries } = await run(kind, { exit });
    expect(complaints).toEqual([]);
    expect(entries.find(({ type }) => type === "tool")).toMatchObject({
      text: "rewritten",
      changes: [{ at: "intercept:exit", feature: "project:answers" }],
    });
  });

  it.each(
    casesFor<readonly [string, string, object, object]>(kind, [
      ["one wire, beside the rest", "anthropic", { temperature: 0 }, { temperature: 0 }],
      ["one wire, by themselves", "anthropic", { params: { temperature: 0 } }, { temperature: 0 }],
      ["both wires", "openai", { temperature: 0, maxOutputTokens: 99 }, { temperature: 0, max_tokens: 99 }],
      ["both wires, by themselves", "openai", { params: { temperature: 0 } }, { temperature: 0 }],
    ]),
  )("sets the parameters of a request: %s", async (_what, provider, answer, sent) => {
    const { code, complaints, place, entries } = await run(kind, { events: { "chat:params": answer } }, [
      "--model",
      `${provider}/scripted`,
    ]);
    expect([code, complaints]).toEqual([0, []]);
    for (const { body } of place.server.requests) expect(body).toMatchObject(sent);
    expect(entries.find(({ type }) => type === "prompt")).toMatchObject({
      params: { temperature: 0 },
      changes: [{ at: "chat:params", feature: "project:answers" }],
    });
  });
});

it("the twin of the parameters: without an addon none is sent", async () => {
  const place = await createServedShared(RUN);
  await place.run(["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"]);
  expect(place.server.requests[0]?.body).not.toHaveProperty("temperature");
});
