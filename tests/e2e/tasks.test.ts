// A background task of an addon that fails, in a real session: it costs the task and not the addon.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const ASKS = ["alert", "background_task"];
const block = (comment: string): string =>
  [
    "/// indus-addon",
    ...ASKS.flatMap((kind) => ["[[capability]]", `kind = "${kind}"`, 'reason = "x"']),
    "///",
  ]
    .map((line) => `${comment} ${line}`)
    .join("\n");

/** Fails until two seconds after its first start: no retry at once can succeed. Its gate stops every command. */
const TYPESCRIPT = `${block("//")}
import { type AddonSurface, gate, stop } from "induscode/addons";
let firstAt = 0;
export function register(surface: AddonSurface): void {
  surface.on("tool:before", gate(() => stop("its gate still looks")));
  surface.addTask({
    id: "watch",
    description: "watches",
    restart: "onFailure",
    async run({ signal }) {
      firstAt ||= Date.now();
      if (Date.now() - firstAt < 2_000) throw new Error("not yet");
      await surface.host.alert("it watches now");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  });
}
`;

const PYTHON = `${block("#")}
import time
from induscode.addons import GateDecision, GateHandler

first = []

def register(surface):
    surface.on("tool:before", GateHandler(lambda _: GateDecision(stop=True, reason="its gate still looks")))

    def run(context):
        first.append(time.time())
        if time.time() - first[0] < 2:
            raise RuntimeError("not yet")
        surface.host.alert("it watches now")
        while not context.wait(60):
            pass

    surface.add_task("watch", "watches", run, restart="onFailure")
`;

describe.each(
  rows(
    [
      ["watch.ts", TYPESCRIPT],
      ["watch.py", PYTHON],
    ],
    theFirst,
  ),
)("a task of %s that fails at first", (file, code) => {
  it("is started again until it works, is told of once, and puts nothing in quarantine", async () => {
    const watches = Promise.withResolvers<void>();
    const place = await createServedShared((_, index) =>
      index === 0
        ? {
            calls: [{ name: "bash", input: { command: "true" } }],
            trouble: { kind: "held", until: watches.promise },
          }
        : { text: "Done." },
    );
    place.file(`.indus/addons/${file}`, code);
    let heard = "";
    const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "watch"];
    const { code: exit, stderr } = await place.run(["-p", "go", ...flags], {
      onStart: ({ stderr: pipe }) =>
        void pipe?.on("data", (chunk: Buffer) => {
          heard += chunk.toString();
          if (heard.includes("it watches now")) watches.resolve();
        }),
    });
    expect(exit).toBe(0);
    expect(stderr.match(/The task watch of project:watch failed: .*not yet.* It restarts in/g)).toHaveLength(
      1,
    );
    expect(stderr).not.toContain("quarantine");
    expect(existsSync(join(place.home, "quarantine.json"))).toBe(false);
    expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({
      text: expect.stringContaining("its gate still looks"),
    });
  });
});

describe("a task that ends the addon's process while its gate looks at a call", () => {
  /** The gate waits for the task, which waits for the gate: it always happens in the middle of a call. */
  const ends = (policy: string): string => `${block("//")}
import { type AddonSurface, gate } from "induscode/addons";
export const onFailure = "${policy}";
const looks = Promise.withResolvers<void>();
export function register(surface: AddonSurface): void {
  surface.on("tool:before", gate(() => (looks.resolve(), new Promise(() => undefined))));
  surface.addTask({
    id: "watch",
    description: "ends it",
    restart: "onFailure",
    run: () => looks.promise.then(() => process.exit(2)),
  });
}
`;
  const ENDS_PYTHON = `${block("#")}
import os, threading
from induscode.addons import GateHandler

looks = threading.Event()

def register(surface):
    def look(payload):
        looks.set()
        threading.Event().wait()

    surface.on("tool:before", GateHandler(look))
    surface.add_task("watch", "ends it", lambda context: (looks.wait(), os._exit(2)), restart="onFailure")
`;
  const CALL = { calls: [{ name: "bash", input: { command: "true" } }] };
  const run = async (file: string, text: string, calls: number) => {
    const place = await createServedShared([...Array.from({ length: calls }, () => CALL), { text: "Done." }]);
    place.file(`.indus/addons/${file}`, text);
    const flags = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "ends"];
    const { code, stderr } = await place.run(["-p", "go", ...flags]);
    const states = place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.state] : []));
    return { code, stderr, states };
  };

  it.each(
    rows(
      [
        ["allow", "ok"],
        ["block", "refused"],
      ],
      theFirst,
    ),
  )("is the one that is named, and the gate does as it says: %s", async (policy, state) => {
    const { code, stderr, states } = await run("ends.ts", ends(policy), 1);
    expect([code, states]).toEqual([0, [state]]);
    expect(stderr).toMatch(/the addon ends did not answer, because its task watch ended its process/);
    expect(stderr).toMatch(/task watch .*it ended the addon's process \(exit code 2\)/);
  });

  it("puts nothing in quarantine, however often", LONG_ONLY, async () => {
    const { code, stderr } = await run("ends.ts", ends("allow"), 3);
    expect(code).toBe(0);
    expect(stderr).toContain("because its task watch ended its process");
    expect(stderr).not.toContain("is in quarantine");
  });

  it("twin: where nothing in the process can say who ended it, both are named", LONG_ONLY, async () => {
    const { code, stderr, states } = await run("ends.py", ENDS_PYTHON, 1);
    expect([code, states]).toEqual([0, ["ok"]]);
    expect(stderr).toMatch(/its process exited with code 2, while its task watch ran in it/);
  });
});
