// Answers that are not whole, and calls that lead nowhere: the real command says so, and ends with a code of its own.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createServedShared } from "../support/served-workplace.ts";

type Delta = Readonly<Record<string, unknown>>;

/** A workplace whose model on the Chat Completions wire gives these answers in turn, the last one again and again. */
async function withChatModel(...answers: readonly (readonly [delta: Delta, finish: string])[]) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      bodies.push(body);
      const [delta, finish_reason] = answers[Math.min(bodies.length, answers.length) - 1] ?? [{}, "stop"];
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const place = await createServedShared([]);
  const env = {
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
  };
  const task = ["go", "--model", "openai/gpt-4.1", "--permission-mode", "bypass"];
  return {
    ...place,
    bodies,
    ask: (...flags: readonly string[]) => place.run([...flags, "-p", ...task], { env }),
  };
}

it.each([
  ["length", "truncated", "the answer was truncated"],
  ["content_filter", "refused", "the model refused"],
] as const)(
  "an answer that ends with %s is said, is %s in the log, and the code is 4",
  async (finish, how, words) => {
    const { ask } = await withChatModel([{ content: "half an" }, finish]);
    const printed = await ask();
    expect([printed.code, printed.stdout]).toEqual([4, "half an\n"]);
    expect(printed.stderr).toContain(words);
    const json = await ask("--json");
    const lines = json.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; how?: string });
    expect([json.code, lines.find(({ type }) => type === "end")?.how]).toEqual([4, how]);
  },
);

it("a call in the middle of which an answer was cut does nothing, and the model is told why", async () => {
  const half = {
    index: 0,
    id: "w",
    function: { name: "write", arguments: '{"path":"c.txt","content":"half of' },
  };
  const { ask, entries, bodies } = await withChatModel(
    [{ tool_calls: [half] }, "length"],
    [{ content: "done" }, "stop"],
  );
  expect((await ask()).code).toBe(0);
  expect(entries().find(({ type }) => type === "tool")).toMatchObject({
    state: "failed",
    text: expect.stringMatching(/^Your answer was cut at its output limit, in the middle of this call\./),
  });
  expect(bodies[1]).toContain("Your answer was cut at its output limit");
});

it("a model that makes the same failing call again and again is stopped at the tenth, and it is said", async () => {
  const edit = { path: "nope.txt", oldText: "a", newText: "b" };
  const call = { index: 0, id: "e", function: { name: "edit", arguments: JSON.stringify(edit) } };
  const { ask, entries, bodies } = await withChatModel([{ tool_calls: [call] }, "tool_calls"]);
  const { code, stderr } = await ask();
  expect([code, bodies.length]).toEqual([1, 10]);
  expect(stderr).toContain("the model's call of edit failed 10 times with the same result");
  expect(bodies[3]).toContain("This call has failed 3 times with the same result");
  expect(entries().at(-1)).toMatchObject({
    type: "end",
    how: "faulted",
    fault: { kind: "repeated_failure" },
  });
});
