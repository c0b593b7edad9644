import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { processFacts } from "../../core/process-facts.ts";
import { type CommandOwner, createCommandMark, isOwnerGone, ownerOf } from "./command-mark.ts";

function own(): CommandOwner {
  const owner = ownerOf(createCommandMark());
  if (owner === undefined) throw new Error("a mark names its owner");
  return owner;
}

test("a mark names this process, and no two are the same", () => {
  expect(own().pid).toBe(process.pid);
  expect(createCommandMark()).not.toBe(createCommandMark());
  expect(createCommandMark()).toMatch(/^[\w-]+$/);
});

test.each(["", "x", "1-2-3", "1-2-3-zzzzzzzz", "../1-2-3-00000000", "1-2-3-00000000/..", " 1-2-3-00000000"])(
  "%j is not taken for a process mark",
  (text) => expect(ownerOf(text)).toBeUndefined(),
);

test("a living owner is not gone, an ended one is", async () => {
  expect(isOwnerGone(own())).toBe(false);
  const child = spawn("sleep", ["60"]);
  const pid = child.pid ?? 0;
  const owner = { ...own(), pid, startedAt: processFacts(pid)?.startedAt ?? "0" };
  expect(isOwnerGone(owner)).toBe(false);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isOwnerGone(owner)).toBe(true);
});

test("a stranger with the owner's number is not the owner, where asking for the number alone says so", () => {
  const here = { namespace: "7", pid: 1, startedAt: "10" };
  const ended = { namespace: "7", pid: 500, startedAt: "20" };
  const stranger = { startedAt: "99", parent: 1, group: 1, state: "S" };
  const factsOf = (pid: number) => (pid === 500 ? stranger : undefined);
  expect(isOwnerGone(ended, factsOf, here)).toBe(true);
  const isNumberTaken = factsOf(ended.pid) !== undefined; // the twin: kill(pid, 0)
  expect(isNumberTaken).toBe(true);
  expect(isOwnerGone({ ...ended, startedAt: "99" }, factsOf, here)).toBe(false);
});

test("a start that the system does not tell is no proof of an end", () => {
  const owner = { namespace: "7", pid: 500, startedAt: "20" };
  const factsOf = () => ({ startedAt: undefined, parent: 0, group: 0, state: "" });
  expect(isOwnerGone(owner, factsOf, { ...owner, pid: 1 })).toBe(false);
});

test("an owner in another container cannot be seen, and counts as alive", () => {
  const here = { namespace: "7", pid: 1, startedAt: "10" };
  expect(isOwnerGone({ namespace: "8", pid: 500, startedAt: "20" }, () => undefined, here)).toBe(false);
});

test.runIf(process.platform === "linux")(
  "a name with brackets and blanks does not shift the facts",
  async () => {
    const child = spawn(process.execPath, [
      "-e",
      "process.title = ') Z 1 ('; console.log(); setInterval(() => {}, 60_000)",
    ]);
    const pid = child.pid ?? 0;
    await once(child.stdout, "data"); // now it has its name
    expect(processFacts(pid)?.parent).toBe(process.pid);
    child.kill("SIGKILL");
    await once(child, "exit");
  },
);
