// `induscode/addons`: an addon, and how its author looks at what it registers without a session.

import assert from "node:assert/strict";
import {
  type AddonSurface,
  createSurface,
  gate,
  HOOK_EVENTS,
  type JsonObject,
  observe,
  RESERVED_EVENTS,
  stop,
  transform,
} from "induscode/addons";

export const id = "polite";
export const version = "1.0.0";

export function register(surface: AddonSurface): void {
  surface.on(
    "turn:start",
    observe(({ sessionId }) => surface.host.log(`a turn of ${sessionId}`)),
  );
  surface.on(
    "input:submit",
    transform((line) => ({ ...line, text: line.text.trim() })),
  );
  surface.on(
    "tool:before",
    gate(({ name }) => (name === "bash" ? stop("ask first") : undefined)),
  );
  surface.interceptTool("*", { exit: ({ result }) => (result.isError ? undefined : result) });
  surface.addCommand("hello", {
    summary: "say hello",
    run: ({ args, say }) => say(`Hello, ${args || "you"}!`),
  });
  surface.addTool<JsonObject & { readonly n: number }>({
    name: "double",
    description: "Doubles a number.",
    parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    run: ({ n }) => n * 2,
  });
}

const surface = createSurface(id);
register(surface);
const { subscriptions, interceptors, commands, tools } = surface.manifest();
assert.deepEqual(
  subscriptions.map(({ event, handler }) => [event, handler.kind]),
  [
    ["turn:start", "observe"],
    ["input:submit", "transform"],
    ["tool:before", "gate"],
  ],
);
assert.deepEqual([interceptors.length, commands[0]?.name, tools[0]?.name], [1, "hello", "double"]);
assert.ok(RESERVED_EVENTS.has("tool:before") && HOOK_EVENTS.length === 13);
process.stdout.write("addons: ok\n");
