// Observers of real addons: what they observe goes on without them, and a session ends when they have.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const READ = ["[[capability]]", 'kind = "files"', "read = true", 'reason = "looks whether it is done"'];
const block = (comment: string): string =>
  ["/// indus-addon", ...READ, "///"].map((line) => `${comment} ${line}`).join("\n");

// Each waits for what the observed call does, so a call that waited for it would never end by itself.
const KINDS = {
  ts: {
    file: ".indus/addons/watch.ts",
    code: `${block("//")}
import { observe } from "induscode/addons";
export function register(surface) {
  const { host } = surface;
  surface.on("tool:before", observe(async () => {
    for (;;) {
      try {
        host.log("done: " + (await host.readFile("done.txt")).trim());
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }));
  surface.on("turn:end", observe(async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    host.log("the turn has ended");
  }));
}
`,
  },
  python: {
    file: ".indus/addons/watch.py",
    code: `${block("#")}
import asyncio
from induscode.addons import HostRefused, ObserveHandler

def register(surface):
    async def watch(payload):
        while True:
            try:
                surface.host.log("done: " + (await surface.host.read_file("done.txt")).strip())
                return
            except HostRefused:
                await asyncio.sleep(0.02)

    async def end(payload):
        await asyncio.sleep(0.2)
        surface.host.log("the turn has ended")

    surface.on("tool:before", ObserveHandler(watch))
    surface.on("turn:end", ObserveHandler(end))
`,
  },
} as const;

it.each(rows(Object.entries(KINDS), theFirst))(
  "nobody waits for one that waits for the call it observes (%s)",
  async (_kind, addon) => {
    const place = await createServedShared([
      { text: "Working.", calls: [{ name: "bash", input: { command: "echo yes > done.txt" } }] },
      { text: "Done." },
    ]);
    place.file(addon.file, addon.code);
    const flags = [
      "-p",
      "go",
      "--model",
      "anthropic/scripted",
      "--permission-mode",
      "bypass",
      "--grant",
      "watch",
    ];
    const { code, stdout, stderr } = await place.run(flags);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr).not.toContain("failed");
    const log = readFileSync(join(place.home, "logs/addons/watch.log"), "utf8");
    expect(log).toContain("done: yes");
    expect(log).toContain("the turn has ended"); // the session's end waited for it
  },
);
