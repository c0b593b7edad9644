// `induscode/session`: a whole session in a program. A recording plays the model; everything else is real.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cardFor, createCassettePlayer } from "indusagi/llmgateway";
import { openIndus } from "induscode/session";

const [cwd, home] = [mkdtempSync(join(tmpdir(), "work-")), mkdtempSync(join(tmpdir(), "home-"))];
const turns = [
  { kind: "tool_call", id: "c_1", name: "bash", input: { command: "touch new.txt" } },
  { kind: "text", text: "new.txt is there." },
].map((content, at) => ({ turn: at + 1, reply: { message: { role: "assistant", content: [content] } } }));
const text = [{ cassette: 1, about: "a file" }, ...turns].map((line) => JSON.stringify(line)).join("\n");
const provider = createCassettePlayer({ source: { text } });

const session = await openIndus({
  cwd,
  env: { ...process.env, INDUS_HOME: home },
  model: { provider, model: "recording", card: cardFor("cassette", "recording") }, // or "anthropic/…"
  mode: "acceptEdits",
  ask: async ({ tool }) => (tool === "bash" ? { kind: "once" } : { kind: "no", reason: "commands only" }),
});
for (const notice of session.notices) console.error(notice);
session.subscribe((event) => void (event.kind === "tool_start" && console.error(event.title)));
const end = await session.submit("Make new.txt");
for (const problem of await session.close()) console.error(problem);

assert.ok(end.kind === "complete" && end.text === "new.txt is there." && existsSync(join(cwd, "new.txt")));
process.stdout.write("session: ok\n");
