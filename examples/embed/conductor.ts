// `induscode/conductor`: a whole session, with its log on disk, from the exports alone. A recording plays the model.

import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localFs, makeLocalContext } from "indusagi/capabilities";
import { cardFor, createCassettePlayer } from "indusagi/llmgateway";
import { composeBriefing } from "induscode/briefing";
import {
  createConductor,
  createLog,
  createSessionId,
  type Entry,
  readEntries,
  type SessionLog,
  sessionPath,
  verifyEntries,
} from "induscode/conductor";
import { createDeck, createPermissions, filesFeature } from "induscode/deck";
import { createAuthority, createHooks, grantDeclared, installFeatures } from "induscode/feature";

const root = realpathSync(mkdtempSync(join(tmpdir(), "indus-example-")));
writeFileSync(join(root, "a.txt"), "hello\n");
const turns = [
  [{ kind: "tool_call", id: "c_1", name: "read", input: { path: "a.txt" } }],
  [{ kind: "text", text: "It says hello." }],
].map((content, at) => ({ turn: at + 1, reply: { message: { role: "assistant", content } } }));
const tape = [{ cassette: 1, about: "one read" }, ...turns]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");
const provider = createCassettePlayer({ source: { text: tape } });

const features = await installFeatures([filesFeature()], grantDeclared);
const hooks = createHooks(features, { deadlineMs: 5_000, onGateFailure: "allow", onFault: console.error });
const deck = createDeck({
  tools: features.tools,
  permissions: createPermissions({
    policy: { mode: "read-only", allow: [], ask: [], deny: [] },
    root,
    realPath: localFs().realPath,
  }),
  hooks,
  authority: createAuthority({ reports: () => features.reports, root, realPath: localFs().realPath }),
  context: (signal) => makeLocalContext(root, { signal }),
});
const newLog = (): SessionLog => {
  const id = createSessionId();
  return createLog({ id, path: sessionPath(join(root, "sessions"), id), cwd: root, version: "example" });
};
const log = newLog();
const conductor = createConductor({
  log,
  entries: [],
  nextLog: newLog,
  resolveModel: async () => ({
    ok: true,
    provider,
    model: "recording",
    card: cardFor("cassette", "recording"),
  }),
  modelName: "cassette/recording",
  deck,
  hooks: hooks.dispatch,
  compose: (nowMs) => composeBriefing({ tools: deck.descriptors, workspace: root, nowMs }),
  params: {},
});

const heard: Entry["type"][] = [];
conductor.subscribe((event) => {
  if (event.kind === "entry") heard.push(event.entry.type);
});
await conductor.start();
const end = await conductor.submit({ content: [{ kind: "text", text: "What does a.txt say?" }] });
await conductor.close();
assert.ok(end.kind === "complete");
assert.equal(end.text, "It says hello.");
assert.ok(heard.includes("tool"));
const { entries } = readEntries(log.path);
assert.deepEqual(verifyEntries(entries), { requests: 2, mismatches: [] });
process.stdout.write("conductor: ok\n");
