// `induscode/session`, a front of its own: it answers questions, steers, interrupts, runs what people type, and comes back later.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cardFor, type ModelProvider, type ModelRequest, type ToolCallBlock } from "indusagi/llmgateway";
import type { ConductorEvent } from "induscode/conductor";
import { openIndus, type ProgramOptions } from "induscode/session";

const [cwd, home] = [mkdtempSync(join(tmpdir(), "work-")), mkdtempSync(join(tmpdir(), "home-"))];
const at = (name: string): string => join(cwd, name);
const callOf = (name: string, input: ToolCallBlock["input"]): ToolCallBlock => ({
  ...{ kind: "tool_call", id: name, name, input },
});

/** A model of this program's own. It makes these calls one after the other; without one it repeats the last line, or never answers "wait". */
const calls: ToolCallBlock[] = [];
const provider: ModelProvider = {
  id: "mine",
  async stream(request, { signal }) {
    const line = lastLine(request);
    if (line === "wait") await new Promise((resolve) => signal.addEventListener("abort", resolve));
    const call = calls.shift();
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const content = [call ?? { kind: "text" as const, text: line }];
    const stop = call ? "tool_calls" : "complete";
    return { ok: true, reply: { message: { role: "assistant", content }, stop, usage } };
  },
};

function lastLine({ messages }: ModelRequest): string {
  const said = messages.flatMap((message) => (message.role === "user" ? message.content : []));
  const texts = said.flatMap((block) => (block.kind === "text" ? [block.text] : []));
  return texts.at(-1) ?? "";
}

const asked: string[] = [];
const options: ProgramOptions = {
  cwd,
  env: { ...process.env, INDUS_HOME: home },
  model: { provider, model: "one", card: cardFor("mine", "one") },
  mode: "acceptEdits",
  async ask({ tool }) {
    asked.push(tool);
    session.steer("Thank you"); // while the model's call waits
    return { kind: "once" };
  },
  ui: {
    render: () => undefined,
    async ask(_feature, question) {
      asked.push(question.question);
      return 1;
    },
  },
};
const session = await openIndus(options);
const { sessionId } = session.status();
const outcomes: string[] = [];
const hear = (event: ConductorEvent): void => {
  if (event.kind === "entry" && event.entry.type === "tool") outcomes.push(event.entry.text);
  if (event.kind === "entry" && event.entry.type === "request" && isWaiting) session.interrupt();
};
let isWaiting = false;
session.subscribe(hear);

// A permission is asked for and answered, a line is added meanwhile, and the model's own question is answered.
const choices = ["red", "blue"];
calls.push(
  ...[callOf("bash", { command: "mkfifo made.pipe" }), callOf("ask_user", { question: "Which?", choices })],
  callOf("write", { path: "note.txt", content: "A note." }),
);
assert.deepEqual(await session.submit("Make it"), { kind: "complete", text: "Thank you", stop: "complete" });
assert.deepEqual([asked, outcomes[1]], [["bash", "Which?"], "The person chose: blue"]);
assert.ok(existsSync(at("made.pipe")) && existsSync(at("note.txt")));

// A task is interrupted.
isWaiting = true;
assert.deepEqual(await session.submit("wait"), { kind: "aborted" });
isWaiting = false;

// What people type: checkpoints are there, as in a console.
assert.ok(session.commands().some(({ name }) => name === "rewind"));
const back = await session.run("/rewind apply 1");
assert.ok(back.kind === "done" && !back.leaves && !existsSync(at("note.txt")), JSON.stringify(back));
assert.equal((await session.run("/rewnd")).kind, "unknown");
assert.deepEqual(await session.run("/quit"), { kind: "done", said: "", task: undefined, leaves: true });

// Another model, more thinking, a fork, the first session again.
assert.equal(await session.setModel("mine/two"), undefined);
session.setThinking("high");
assert.equal(session.status().params.thinking, "high");
assert.notEqual(session.status().sessionId, sessionId); // to rewind is to go on in a fork
const gone = session.resume(sessionId);
assert.ok("entries" in gone && session.status().sessionId === sessionId);
assert.deepEqual(await session.close(), []);

// Later, by id.
const later = await openIndus({ ...options, resume: sessionId });
assert.equal(later.resumed.filter(({ type }) => type === "user").length, 3);
assert.ok(!("fault" in later.fork(1)));
assert.deepEqual(await later.close(), []);
process.stdout.write("front: ok\n");
