// `induscode/deck`: tools behind the boundary, with the permission check of the product, from the exports alone.

import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localFs, makeLocalContext } from "indusagi/capabilities";
import {
  createDeck,
  createPermissions,
  filesFeature,
  type PermissionRule,
  parseRule,
  shellFeature,
} from "induscode/deck";
import { createAuthority, createHooks, grantDeclared, installFeatures } from "induscode/feature";

const root = realpathSync(mkdtempSync(join(tmpdir(), "indus-example-")));
writeFileSync(join(root, "a.txt"), "hello\n");
writeFileSync(join(root, ".env"), "SECRET=1\n");

function rule(text: string): PermissionRule {
  const parsed = parseRule(text);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed;
}

const features = await installFeatures([filesFeature(), shellFeature()], grantDeclared);
const deck = createDeck({
  tools: features.tools,
  permissions: createPermissions({
    policy: { mode: "read-only", allow: [], ask: [], deny: [rule("read(**/.env)")] },
    root,
    realPath: localFs().realPath,
  }),
  hooks: createHooks(features, { deadlineMs: 5_000, onGateFailure: "block", onFault: console.error }),
  authority: createAuthority({ reports: () => features.reports, root, realPath: localFs().realPath }),
  context: (signal) => makeLocalContext(root, { signal }),
});
const signal = AbortSignal.timeout(60_000);
const run = (name: string, input: object) => deck.run({ id: name, name, input: { ...input } }, signal);

assert.match((await run("read", { path: "a.txt" })).text, /hello/);
assert.equal((await run("read", { path: ".env" })).state, "refused");
assert.equal((await run("bash", { command: "rm a.txt" })).state, "refused"); // read-only, and nobody to ask
// The model is not shown what would be refused whatever it writes.
assert.deepEqual(
  deck.descriptors.map(({ name }) => name),
  ["read", "ls", "bash"],
);
process.stdout.write("deck: ok\n");
