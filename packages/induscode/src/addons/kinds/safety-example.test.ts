import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder, NOTHING_ADMITTED, sourceAt } from "../../../../../tests/support/test-folder.ts";
import { EventDispatcher } from "../../feature/dispatch/dispatcher.ts";
import { grantDeclared, installFeatures } from "../../feature/registry.ts";
import { createDeclarativeLoader } from "./declarative-loader.ts";

const EXAMPLE = join(import.meta.dirname, "../../../../../examples/addons/safety");

async function installExample() {
  const folder = createFolder();
  cpSync(EXAMPLE, folder, { recursive: true });
  const { module, warnings } = await createDeclarativeLoader().load(sourceAt(folder), NOTHING_ADMITTED);
  expect(warnings).toEqual([]);
  return installFeatures([module], grantDeclared);
}

describe("examples/addons/safety", () => {
  it.each([
    ["rm -rf build", true],
    ["cd .. && sudo rm  -fr /", true],
    ["git push origin main --force", true],
    ["git reset --hard HEAD~1", true],
    ["rm build/out.txt", false],
    ["git push origin main", false],
    ["npm test", false],
  ])("bash %j: stopped %s", async (line, stopped) => {
    const { subscriptions } = await installExample();
    const dispatcher = new EventDispatcher(subscriptions, {
      deadlineMs: 1_000,
      onGateFailure: "allow",
      onFault: (fault) => expect.unreachable(fault.message),
    });
    const { gate } = await dispatcher.dispatch(
      "tool:before",
      { name: "bash", callId: "1", args: { command: line } },
      { signal: new AbortController().signal },
    );
    expect(gate?.stop ?? false).toBe(stopped);
  });

  it("adds the command /deploy, which runs its line", async () => {
    const { commands } = await installExample();
    const ran: unknown[] = [];
    await commands[0]?.run({
      args: "staging",
      cwd: "/ws",
      say: () => undefined,
      handles: {
        exec: async (...call) => {
          ran.push(call);
          return { stdout: "", stderr: "", code: 0 };
        },
      },
    });
    expect([commands.map(({ name }) => name), ran]).toEqual([
      ["deploy"],
      [["./scripts/deploy.sh", ["staging"], { by: "project:safety" }]],
    ]);
  });
});
