// `induscode/feature`: the one door for whatever contributes to a session, and the engines that run what came through it.

import assert from "node:assert/strict";
import { defineTool, textResult } from "indusagi/capabilities";
import {
  createHooks,
  type FeatureFault,
  type FeatureModule,
  grantDeclared,
  HOOK_EVENTS,
  installFeatures,
} from "induscode/feature";

const clock: FeatureModule = {
  descriptor: {
    id: "builtin:clock",
    displayName: "Clock",
    runtime: "builtin",
    requestedCapabilities: [
      { capability: { kind: "contribute_tool", name: "now" }, required: true, reason: "tells the time" },
      {
        capability: { kind: "contribute_hook", point: "input:submit" },
        required: true,
        reason: "trims lines",
      },
    ],
    declaredTools: ["now"],
    declaredCommands: [],
    declaredHooks: ["input:submit"],
    declaredTasks: [],
  },
  install({ tools, hooks }) {
    const tool = defineTool({
      name: "now",
      description: "The time.",
      parameters: { type: "object" },
      run: async () => textResult("noon"),
    });
    tools.register({ tool, accesses: () => [] });
    hooks.on("input:submit", { kind: "transform", run: ({ text }) => ({ text: text.trim() }) });
  },
};

const features = await installFeatures([clock], grantDeclared);
assert.deepEqual(
  features.tools.map(({ tool }) => tool.name),
  ["now"],
);
assert.deepEqual(features.reports[0]?.faults, []);

const faults: FeatureFault[] = [];
const hooks = createHooks(features, {
  deadlineMs: 5_000,
  onGateFailure: "allow",
  onFault: (fault) => void faults.push(fault),
});
const { payload, changedBy } = await hooks.dispatcher.dispatch("input:submit", { text: "  hello " });
assert.deepEqual([payload.text, changedBy], ["hello", [{ feature: "builtin:clock" }]]);
assert.ok(HOOK_EVENTS.includes("tool:before"));
assert.deepEqual(faults, []);
process.stdout.write("feature: ok\n");
