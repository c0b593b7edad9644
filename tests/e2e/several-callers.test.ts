// A program that several sessions call at once: what it asks of the host is for the call that it names, and is refused where
// it names none. Two delegates read side by side, and the program speaks to the model of each.

import { expect, it } from "vitest";
import { rawManifest, rawProgram } from "../support/raw-addon.ts";
import { createServedShared } from "../support/served-workplace.ts";

/** Holds the reading of two until both are there, then tells the model of each which file it is. */
const PROGRAM = (during: string): string =>
  rawProgram(
    `if method == "describe": answer(id, REGISTRATION)
elif method == "event" and params["payload"]["name"] == "read":
    held[id] = params["payload"]["args"]["path"]
    if len(held) == 2:
        for call, path in held.items():
            request = {"jsonrpc": "2.0", "id": "n%d" % call, "method": "notify", "params": {"text": "this is " + path}}
            send(json.dumps({**request, ${during}}) + "\\n")
elif method is None:
    told = message["error"]["message"] if "error" in message else ""
    answer(int(id[1:]), {"stop": True, "reason": told} if told else {})
else: answer(id, {})`,
    "held = {}",
  );

async function readSideBySide(during: string) {
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const place = await createServedShared(({ rawBody }) => {
    const isDelegate = rawBody.includes("You are the delegate");
    if (rawBody.includes("tool_result")) return { text: "done" };
    const task = (objective: string) => ({ name: "task", input: { agent: "researcher", objective } });
    if (!isDelegate) return { calls: [task("look at a.txt"), task("look at b.txt")] };
    if (++waiting === 2) both.resolve();
    const path = rawBody.includes("look at a.txt") ? "a.txt" : "b.txt";
    return { calls: [{ name: "read", input: { path } }], trouble: { kind: "held", until: both.promise } };
  });
  for (const name of ["a.txt", "b.txt"]) place.file(name, "words\n");
  const asks = '[[capability]]\nkind = "model_notification"\nreason = "tells of files"\n';
  const registers = { handlers: [{ event: "tool:before", kind: "gate" }] };
  place.file(".indus/addons/tells/manifest.toml", rawManifest("tells", registers, asks));
  place.file(".indus/addons/tells/addon.py", PROGRAM(during));
  const { code, stderr } = await place.run(["-p", "go", "--grant", "tells", "--model", "anthropic/x"]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("fault")]);
  const logs = place.logs().map((log) => JSON.stringify(place.entriesOf(log)));
  const ofDelegate = (path: string): string =>
    logs.find((log, at) => place.logs()[at]?.includes("/delegates/") && log.includes(`look at ${path}`)) ??
    "";
  const main = logs.find((_, at) => !place.logs()[at]?.includes("/delegates/")) ?? "";
  return { a: ofDelegate("a.txt"), b: ofDelegate("b.txt"), main };
}

it("that names its calls speaks to the model of each", async () => {
  const { a, b, main } = await readSideBySide('"during": call');
  expect([a, b]).toEqual([
    expect.stringContaining("> this is a.txt"),
    expect.stringContaining("> this is b.txt"),
  ]);
  expect(a).not.toContain("> this is b.txt");
  expect(b).not.toContain("> this is a.txt");
  expect(main).not.toContain("> this is");
});

it("that names none is refused with the reason, and speaks to nobody's model", async () => {
  const { a, b, main } = await readSideBySide("");
  for (const log of [a, b]) expect(log).toContain("several sessions are calling this addon");
  for (const log of [a, b, main]) expect(log).not.toContain("> this is");
});
