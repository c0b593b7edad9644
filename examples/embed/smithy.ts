// `indusagi/smithy`: an agent comes to be through one gate, which names everything that is wrong at once.

import assert from "node:assert/strict";
import { type AgentSpec, blueprintJson, defineAgent } from "indusagi/smithy";

const spec: AgentSpec = { name: "fixer", profile: "coder", description: "Fixes what the tests found." };
const made = defineAgent(spec);
assert.ok(made.ok);
assert.equal(made.blueprint.toolCollection, "coding");
assert.match(blueprintJson(made.blueprint), /"name": "fixer"/);

const wrong = defineAgent({ name: "Not A Name", profile: "codr" });
assert.ok(!wrong.ok);
assert.equal(wrong.error.issues.length, 2);
process.stdout.write("smithy: ok\n");
