import type { JsonObject } from "indusagi/core";
import { Aborted } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { createTestRemote } from "../../../../../tests/support/test-remote.ts";
import { PATIENCE_MS, untilHolds } from "../../../../../tests/support/until.ts";
import { ProtocolBreach } from "./protocol/contract.ts";
import { Quarantined } from "./remote-addon.ts";

type Remote = ReturnType<typeof createTestRemote>["remote"];

function fire(remote: Remote, payload: JsonObject, signal = AbortSignal.timeout(PATIENCE_MS)) {
  return remote.call(
    "event",
    { handler: 0, event: "tool:before", payload },
    { signal, faultKind: "handler" },
  );
}

describe("a process", () => {
  it("does not exist before the first call, serves every later one, and is told to end", async () => {
    const { remote, times } = createTestRemote();
    expect(remote.state()).toBe("waiting");
    expect(await fire(remote, { do: "stop" })).toEqual({ stop: true, reason: "no" });
    expect(remote.state()).toBe("running");
    expect(await fire(remote, { answer: { payload: { a: 1 } } })).toEqual({ payload: { a: 1 } });
    expect(Object.keys(times.table())).toEqual(["describe", "start", "event"]);
    expect(times.table().start?.count).toBe(1);
    await remote.dispose();
    expect(remote.state()).toBe("waiting");
    await expect(fire(remote, {})).rejects.toThrow("the addon tested was ended with its session");
  });

  it("is not started when the session ended while it was prepared (twin: it is, while the session goes on)", async () => {
    for (const ends of [true, false]) {
      const prepared = Promise.withResolvers<void>();
      const { remote, times } = createTestRemote({ prepared: prepared.promise });
      const call = fire(remote, { do: "stop" });
      const answer = ends
        ? expect(call).rejects.toThrow("the addon tested was ended with its session")
        : expect(call).resolves.toEqual({ stop: true, reason: "no" });
      if (ends) await remote.dispose();
      prepared.resolve();
      await answer;
      expect([remote.state(), times.table().start?.count]).toEqual(
        ends ? ["waiting", undefined] : ["running", 1],
      );
    }
  });

  it("starts once for calls that come together", async () => {
    const { remote, times } = createTestRemote();
    await Promise.all([fire(remote, {}), fire(remote, {}), fire(remote, {})]);
    expect(times.table().start?.count).toBe(1);
    expect(times.table().event?.count).toBe(3);
  });

  it("gets its calls in the order in which they were made, whether it runs already or is starting", async () => {
    const { remote } = createTestRemote();
    const order: string[] = [];
    const call = (name: string): Promise<void> => fire(remote, {}).then(() => void order.push(name));
    const made = [call("1"), call("2"), remote.register().then(() => call("4")), call("3")];
    await Promise.all(made);
    await Promise.all(["5", "6", "7"].map(call));
    expect(order).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
  });

  it("registers what is known, or is not used", async () => {
    const registration = { commands: [{ name: "go", summary: "goes" }] };
    const same = createTestRemote({ registration, known: { protocol: 1, ...registration } });
    expect(await same.remote.register()).toEqual({ protocol: 1, ...registration });
    const other = createTestRemote({ registration, known: { protocol: 1 } });
    await expect(other.remote.register()).rejects.toThrow(
      "the addon tested registered something different from before: its registration must be the same at every start",
    );
  });

  it("may take longer to start than to acknowledge: a busy machine makes no addon unresponsive", async () => {
    const { remote } = createTestRemote({ limits: { acknowledgeMs: 1 } });
    expect(await remote.register()).toEqual({ protocol: 1 });
  });

  it("of another protocol version is not used", async () => {
    const { remote } = createTestRemote({ registration: { protocol: 2 } });
    await expect(remote.register()).rejects.toThrow("the addon tested speaks protocol 2; this host speaks 1");
  });

  it("that breaks down between calls is told of, and the next call starts another", async () => {
    const { remote, told, times } = createTestRemote();
    await fire(remote, { do: "crash-later" });
    await untilHolds(() => expect(told).toEqual(["the addon tested failed: its process exited with code 4"]));
    await fire(remote, {});
    expect(times.table().start?.count).toBe(2);
  });
});

describe("a call rejects, and names what was wrong, when the process", () => {
  it.each([
    ["throw", "it threw"],
    ["exit", "its process exited with code 3"],
    ["garbage", /JSON/],
    ["wrong-id", /987654/],
  ])("does this: %s", async (order, message) => {
    const { remote } = createTestRemote();
    await expect(fire(remote, { do: order })).rejects.toThrow(message);
    // The next call still works.
    expect(await fire(remote, { do: "stop" })).toEqual({ stop: true, reason: "no" });
  });

  it("does not acknowledge: unresponsive", async () => {
    const { remote } = createTestRemote({ limits: { acknowledgeMs: 100 } });
    await expect(fire(remote, { do: "silent" })).rejects.toMatchObject({ kind: "unresponsive" });
    expect(remote.state()).toBe("waiting");
  });

  it("hangs beyond its deadline: cancelled, then killed", async () => {
    const { remote } = createTestRemote({ limits: { cancelGraceMs: 100 } });
    await remote.register();
    const deadline = new AbortController();
    const call = fire(remote, { do: "hang" }, deadline.signal);
    deadline.abort(new Error("no answer within 5 ms"));
    await expect(call).rejects.toThrow("no answer within 5 ms");
    await untilHolds(() => expect(remote.state()).toBe("waiting"));
  });

  it("talks without end: cut off", async () => {
    const { remote } = createTestRemote({ limits: { maxMessagesPerSecond: 500 } });
    await expect(fire(remote, { do: "flood" })).rejects.toMatchObject({ kind: "rate" });
  });
});

describe("quarantine", () => {
  it("follows the third fault of one kind, ends the process, is told, and ends with a restart", async () => {
    const { remote, told, quarantined } = createTestRemote();
    for (let times = 0; times < 3; times++)
      await expect(fire(remote, { do: "throw" })).rejects.toThrow("it threw");
    expect(quarantined).toEqual(["it threw"]);
    expect(told).toEqual([
      "the addon tested is in quarantine after 3 handler faults in five minutes. Now open: the gate of tool:before. To run it again: indus addons restart tested. The last fault: it threw",
    ]);
    expect(remote.state()).toBe("quarantined");
    await expect(fire(remote, {})).rejects.toBeInstanceOf(Quarantined);
    await remote.restart();
    expect(await fire(remote, { do: "stop" })).toEqual({ stop: true, reason: "no" });
  });

  it("does not hold against a server that a call takes long (twin: it does against an addon)", async () => {
    for (const [isServer, expected] of [
      [true, []],
      [false, ["too slow"]],
    ] as const) {
      const { remote, quarantined, log } = createTestRemote({ isServer });
      await remote.register();
      for (let times = 0; times < 3; times++) {
        const deadline = new AbortController();
        const call = fire(remote, { do: "hang" }, deadline.signal);
        deadline.abort(new Error("too slow"));
        await expect(call).rejects.toThrow("too slow");
      }
      expect(quarantined).toEqual(expected);
      expect(log.join("")).toContain("fault: handler: too slow");
    }
  });

  it("does not hold against an addon what was too long to send to it", async () => {
    const { remote, quarantined } = createTestRemote({ limits: { maxFrameBytes: 1_000 } });
    for (let times = 0; times < 4; times++)
      await expect(fire(remote, { long: "x".repeat(2_000) })).rejects.toMatchObject({ code: -32003 });
    expect(quarantined).toEqual([]);
    expect(await fire(remote, { do: "stop" })).toEqual({ stop: true, reason: "no" });
  });

  it("counts an answer with the code of a limit: it is the addon's own, whatever it says (twin: the one above)", async () => {
    const { remote, quarantined } = createTestRemote();
    for (let times = 0; times < 3; times++)
      await expect(fire(remote, { do: "refuse", code: -32003 })).rejects.toThrow("it refused");
    expect(quarantined).toEqual(["it refused"]);
  });

  it("holds in this session also where it cannot be stored (twin: stored, it ends when the store says so)", async () => {
    const unstorable = createTestRemote({
      enterQuarantine: () => Promise.reject(new Error("read-only home")),
    });
    const stored = createTestRemote({ enterQuarantine: async () => undefined });
    for (const { remote } of [unstorable, stored])
      for (let times = 0; times < 3; times++)
        await expect(fire(remote, { do: "throw" })).rejects.toThrow("it threw");
    await expect(fire(unstorable.remote, {})).rejects.toBeInstanceOf(Quarantined);
    expect(unstorable.told.at(-1)).toBe("it could not be stored: read-only home");
    expect(await fire(stored.remote, { do: "stop" })).toEqual({ stop: true, reason: "no" });
    await unstorable.remote.restart();
    expect(await fire(unstorable.remote, { do: "stop" })).toEqual({ stop: true, reason: "no" });
  });

  it("tells and stores few of the addon's words, so that what the person can do is still read", async () => {
    const { remote, told, quarantined } = createTestRemote();
    const long = { do: "refuse", code: -32603, message: "x".repeat(16_000) };
    for (let times = 0; times < 3; times++) await expect(fire(remote, long)).rejects.toThrow("xxx");
    expect(quarantined[0]?.length).toBeLessThanOrEqual(201);
    expect(told[0]?.length).toBeLessThan(500);
    expect(told[0]).toMatch(/Now open: .+ To run it again: indus addons restart tested\. The last fault: x+/);
  });

  it("does not count the failures of its tasks, also where they end its process (twin: those of its handlers)", async () => {
    const { remote, quarantined, log } = createTestRemote();
    const start = (faultKind: "task" | "handler", order: string) =>
      remote.call(
        "event",
        { handler: 0, event: "tool:before", payload: { do: order } },
        { signal: AbortSignal.timeout(PATIENCE_MS), faultKind },
      );
    for (let times = 0; times < 4; times++) {
      await expect(start("task", "throw")).rejects.toThrow("it threw");
      await expect(start("task", "exit")).rejects.toThrow("its process exited with code 3");
    }
    expect(quarantined).toEqual([]);
    expect(log.join("")).toContain("fault: task: it threw");
    for (let times = 0; times < 3; times++)
      await expect(start("handler", "throw")).rejects.toThrow("it threw");
    expect(quarantined).toEqual(["it threw"]);
  });

  it("counts a breakdown that ends a task and a call, for the call", async () => {
    const { remote, quarantined } = createTestRemote();
    for (let times = 0; times < 3; times++) {
      await remote.register();
      const { signal } = new AbortController();
      const hangs = { handler: 0, event: "tool:before", payload: { do: "hang" } } as const;
      const task = remote.call("event", hangs, { signal, faultKind: "task" });
      const call = fire(remote, { do: "exit" });
      await expect(task).rejects.toThrow("its process exited with code 3");
      await expect(call).rejects.toThrow("its process exited with code 3");
    }
    expect(quarantined).toHaveLength(1);
  });

  it("counts one breakdown once, however many calls it ends", async () => {
    const { remote, quarantined } = createTestRemote();
    await remote.register();
    const calls = [fire(remote, { do: "hang" }), fire(remote, { do: "hang" }), fire(remote, { do: "exit" })];
    for (const call of calls) await expect(call).rejects.toThrow("its process exited with code 3");
    expect(quarantined).toEqual([]);
  });

  it("counts kinds apart, and never that the session stopped waiting", async () => {
    const { remote, quarantined } = createTestRemote();
    await remote.register();
    for (let times = 0; times < 4; times++) {
      const session = new AbortController();
      const call = fire(remote, {}, session.signal);
      session.abort(new Aborted());
      await expect(call).rejects.toBeDefined();
    }
    for (let times = 0; times < 2; times++)
      await expect(fire(remote, { do: "throw" })).rejects.toThrow("it threw");
    const command = remote.call(
      "command",
      { name: "none", args: "x", cwd: "/" },
      { signal: AbortSignal.timeout(PATIENCE_MS), faultKind: "command" },
    );
    await command.catch((error: unknown) => expect(error).not.toBeInstanceOf(ProtocolBreach));
    expect(quarantined).toEqual([]);
  });
});
