// Deadlines add up: forty gates that take a second each, and a task that asks for a minute to end. The real command, in every
// kind: the event goes on after the addon's budget, the guard of somebody else is asked, and the exit takes no minute.

import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { isLong, LONG_ONLY } from "../support/long-form.ts";
import { needs } from "../support/needs.ts";
import { rawManifest, rawProgram } from "../support/raw-addon.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { compileReply } from "../support/test-wasm.ts";

const GATES = 40;
const GRACE_MS = 60_000;
const TASK = { id: "deaf", description: "never ends", graceMs: GRACE_MS };
const handlers = Array.from({ length: GATES }, () => ({ event: "tool:before", kind: "gate" }));

const KINDS: Readonly<Record<string, (place: Workplace) => Promise<void> | void>> = {
  TypeScript(place) {
    place.file(
      ".indus/addons/slow.ts",
      `// /// indus-addon
// [[capability]]
// kind = "background_task"
// reason = "x"
// ///
import { type AddonSurface, gate } from "induscode/addons";
export function register(surface: AddonSurface): void {
  for (let count = 0; count < ${GATES}; count++)
    surface.on("tool:before", gate(() => new Promise<undefined>((go) => setTimeout(go, 1_000))));
  surface.addTask({ id: "deaf", description: "never ends", graceMs: ${GRACE_MS}, run: () => new Promise(() => undefined) });
}
`,
    );
  },
  Python(place) {
    needs("python3");
    place.file(
      ".indus/addons/slow.py",
      `# /// indus-addon
# [[capability]]
# kind = "background_task"
# reason = "x"
# ///
import time
from induscode.addons import GateHandler

def register(surface):
    for _ in range(${GATES}):
        surface.on("tool:before", GateHandler(lambda payload: time.sleep(1)))
    surface.add_task("deaf", "never ends", lambda context: time.sleep(3600), grace_ms=${GRACE_MS})
`,
    );
  },
  "a program"(place) {
    needs("python3");
    const registration = { handlers, tasks: [TASK] };
    const asks = '[[capability]]\nkind = "background_task"\nreason = "x"\n';
    place.file(".indus/addons/slow/manifest.toml", `${rawManifest("slow", registration)}${asks}`);
    place.file(
      ".indus/addons/slow/addon.py",
      rawProgram(`
if method == "describe": answer(id, REGISTRATION)
elif method == "task/start": send(json.dumps({"jsonrpc": "2.0", "method": "ack", "params": {"id": id}}) + "\\n")
elif method == "dispose": answer(id, {})
else: time.sleep(1); answer(id, {})
`),
    );
  },
  // It has no clock to wait by, and no task that outlives a call: it spins.
  async WebAssembly(place) {
    const registration = JSON.stringify({ protocol: 1, handlers }).replaceAll('"', '\\"');
    place.file(".indus/addons/slow/manifest.toml", 'id = "slow"\n[run]\nwasm = "slow.wasm"\n');
    const body = `if (message.includes('"method":"describe"')) return result(message, "${registration}"); while (true) {} return 0;`;
    place.bytes(".indus/addons/slow/slow.wasm", await compileReply(body));
  },
};

const GUARD = `id = "zguard"
[[gate]]
event = "tool:before"
match-tool = "bash"
reason = "somebody else guards"
`;

const kinds = Object.entries(KINDS).filter(([name]) => isLong || name === "TypeScript");

describe.concurrent.each(kinds)("an addon in %s whose gates add up", LONG_ONLY, (kind, put) => {
  it("holds up its call for its budget, loses its turn, and keeps nobody else from being asked", async ({
    expect,
  }) => {
    const place = await createServedShared([
      { calls: [{ name: "bash", input: { command: "echo ran" } }] },
      { text: "Done." },
    ]);
    await put(place);
    place.file(".indus/addons/zguard/manifest.toml", GUARD);
    const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass"];
    const grants = ["--grant", "slow", "--grant", "zguard"];
    const { code, stdout, stderr } = await place.run(["-p", "go", ...flags, ...grants]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    const unasked =
      /project:slow failed at tool:before: its handlers may take 10000 ms in total at one event; (\d+) of them were not called/;
    const [, left = "none"] = unasked.exec(stderr) ?? [];
    expect(Number(left), stderr).toBeGreaterThanOrEqual(GATES - 11);
    expect(stderr.match(/were not called/g)).toHaveLength(1); // once, however many they are
    const [call] = place.entries().filter(({ type }) => type === "tool");
    expect(JSON.stringify(call)).toContain("somebody else guards");
    if (kind !== "WebAssembly")
      expect(stderr).toContain("The task deaf of project:slow did not end within 5000 ms");
  });
});

it("a task that asks for more than it gets is told of in its addon's report", async () => {
  const place = await createServedShared([]);
  await KINDS.TypeScript?.(place);
  const { stdout } = await place.run(["addons", "--grant", "slow"]);
  expect(stdout).toContain("the task deaf requests 60000 ms to end; the limit is 5000 ms");
});
