// A background task of an addon that fails, in a real session: it costs the task and not the addon.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createServedWorkplace } from "../support/served-workplace.ts";

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

describe.each([
  ["watch.ts", TYPESCRIPT],
  ["watch.py", PYTHON],
])("a task of %s that fails at first", (file, code) => {
  it("is started again until it works, is told of once, and puts nothing in quarantine", async () => {
    const watches = Promise.withResolvers<void>();
    const place = await createServedWorkplace((_, index) =>
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
    expect(
      stderr.match(/The task watch of project:watch failed: .*not yet.* It is started again in/g),
    ).toHaveLength(1);
    expect(stderr).not.toContain("quarantine");
    expect(existsSync(join(place.home, "quarantine.json"))).toBe(false);
    expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({
      text: expect.stringContaining("its gate still looks"),
    });
  });
});
