import { describe, expect, it } from "vitest";
import { sessionOf } from "../../../../../tests/support/test-session.ts";
import { untilHolds } from "../../../../../tests/support/until.ts";
import { MAX_GRACE_MS } from "../handler-limits.ts";
import type { BackgroundTask, TaskContext } from "../install.ts";
import type { FeatureFault } from "../install-report.ts";
import { installFeatures } from "../registry.ts";
import { NotRunning } from "./fence.ts";
import { LONGEST_PAUSE_MS, restartPauseMs } from "./restart-pause.ts";
import { createTaskSupervisor, type TaskClock } from "./tasks.ts";

function supervise(task: Partial<BackgroundTask> & Pick<BackgroundTask, "run">, clock?: TaskClock) {
  const faults: FeatureFault[] = [];
  const heard: string[] = [];
  const supervisor = createTaskSupervisor({
    tasks: [
      {
        id: "watch",
        description: "watches",
        activation: "session",
        restart: "never",
        graceMs: 30,
        feature: "builtin:x",
        grants: [{ kind: "model_notification" }, { kind: "alert" }],
        ...task,
      },
    ],
    session: sessionOf({
      notifyModel: (feature, text) => void heard.push(`model ${feature} ${text}`),
      alert: (feature, text) => void heard.push(`alert ${feature} ${text}`),
      diagnostic: (feature, severity, text) => void heard.push(`${severity} ${feature} ${text}`),
    }),
    onFault: (fault) => faults.push(fault),
    clock,
  });
  return { supervisor, faults, heard };
}

const untilAborted = ({ signal }: TaskContext): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

describe("a background task", () => {
  it("starts with the session, acts through its sinks, and ends when told", async () => {
    const { supervisor, heard } = supervise({
      run: async (context) => {
        context.notifyModel("a");
        context.alert("b");
        context.diagnostic("warning", "c");
        await untilAborted(context);
      },
    });
    expect(supervisor.report()).toMatchObject([{ state: "waiting", starts: 0 }]);
    supervisor.start();
    expect(supervisor.report()).toMatchObject([{ state: "running", starts: 1 }]);
    await supervisor.dispose();
    expect(supervisor.report()).toMatchObject([{ state: "ended" }]);
    expect(heard).toEqual(["model builtin:x > a", "alert builtin:x b", "warning builtin:x c"]);
  });

  it("on demand starts only when asked, once at a time", async () => {
    const { supervisor } = supervise({ activation: "onDemand", run: untilAborted });
    supervisor.start();
    expect(supervisor.report()).toMatchObject([{ state: "waiting" }]);
    expect(supervisor.run("watch")).toBeUndefined();
    expect(supervisor.run("watch")).toBe('The task "watch" is already running.');
    expect(supervisor.run("other")).toBe('Task not found: "other".');
    await supervisor.dispose();
  });

  it("that fails is a fault with its owner, and is not started again", async () => {
    const { supervisor, faults } = supervise({ run: () => Promise.reject(new Error("boom")) });
    supervisor.start();
    await untilHolds(() =>
      expect(faults).toMatchObject([
        { owner: "builtin:x", message: "The task watch of builtin:x failed: boom" },
      ]),
    );
    expect(supervisor.report()).toMatchObject([{ state: "failed", starts: 1 }]);
  });

  it("that ignores its signal is abandoned after its grace period, by name", async () => {
    const { supervisor, faults } = supervise({ run: () => new Promise(() => undefined) });
    supervisor.start();
    await supervisor.dispose();
    expect(supervisor.report()).toMatchObject([{ state: "abandoned" }]);
    expect(faults[0]?.message).toContain("The task watch of builtin:x did not end within");
  });
});

/** Time passes only through `pass`. */
function testClock(random = () => 0.5) {
  let now = 0;
  const waits: { readonly at: number; readonly ms: number; readonly go: () => void }[] = [];
  const clock: TaskClock = {
    nowMs: () => now,
    random,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        const wait = { at: now + ms, ms, go: resolve };
        waits.push(wait);
        signal.addEventListener("abort", () => {
          waits.splice(waits.indexOf(wait), 1);
          reject(new Error("aborted"));
        });
      }),
  };
  return {
    clock,
    /** The pauses being waited for. */
    pauses: () => waits.map(({ ms }) => ms),
    pass(ms: number) {
      now += ms;
      for (const wait of waits.filter(({ at }) => at <= now)) {
        waits.splice(waits.indexOf(wait), 1);
        wait.go();
      }
    },
  };
}

describe("the end of a session with tasks that ignore it", () => {
  const deaf = { run: () => new Promise<never>(() => undefined), graceMs: 60_000 };
  const tasksOf = (count: number, clock: TaskClock, faults: FeatureFault[]) =>
    createTaskSupervisor({
      tasks: Array.from({ length: count }, (_, index) => ({
        id: `deaf-${index}`,
        description: "",
        activation: "session" as const,
        restart: "never" as const,
        feature: "project:deaf" as const,
        grants: [],
        ...deaf,
      })),
      session: sessionOf(),
      onFault: (fault) => faults.push(fault),
      clock,
    });

  it.each([1, 20])("%i that ask for a minute get five seconds, side by side", async (count) => {
    const faults: FeatureFault[] = [];
    const { clock, pauses, pass } = testClock();
    const tasks = tasksOf(count, clock, faults);
    tasks.start();
    const ended = tasks.dispose();
    expect(pauses()).toEqual(Array.from({ length: count }, () => MAX_GRACE_MS));
    pass(MAX_GRACE_MS);
    await ended;
    expect(faults).toHaveLength(count);
    expect(faults[0]?.message).toBe("The task deaf-0 of project:deaf did not end within 5000 ms");
    expect(MAX_GRACE_MS).toBeLessThan(deaf.graceMs); // the twin: by its own setting the exit takes a minute
  });

  it("is announced in the report of the addon that asks for more than it gets", async () => {
    const { reports } = await installFeatures(
      [
        {
          descriptor: {
            id: "builtin:deaf",
            displayName: "deaf",
            runtime: "builtin",
            requestedCapabilities: [
              { capability: { kind: "background_task" }, required: true, reason: "it is deaf" },
            ],
            declaredTools: [],
            declaredCommands: [],
            declaredHooks: [],
            declaredTasks: ["long", "short"],
          },
          install: ({ tasks }) => {
            for (const [id, graceMs] of [
              ["long", 60_000],
              ["short", 5_000],
            ] as const)
              tasks.register({
                ...deaf,
                id,
                graceMs,
                description: "",
                activation: "session",
                restart: "never",
              });
          },
        },
      ],
      () => [{ kind: "background_task" }],
    );
    expect(reports[0]?.diagnostics).toEqual([
      { severity: "warning", text: "the task long requests 60000 ms to end; the limit is 5000 ms" },
    ]);
  });
});

describe("a task that may be started again", () => {
  const fails = (): Promise<never> => Promise.reject(new Error("boom"));

  it("is, after a pause that doubles from one second to five minutes, and for as long as the session", async () => {
    const { clock, pauses, pass } = testClock();
    const { supervisor, faults } = supervise({ restart: "onFailure", run: fails }, clock);
    supervisor.start();
    const seen: number[] = [];
    for (let start = 1; start <= 12; start++) {
      await untilHolds(() => expect(pauses()).toHaveLength(1));
      expect(supervisor.report()).toMatchObject([
        { state: "failed", starts: start, startsInMs: pauses()[0] },
      ]);
      seen.push(...pauses());
      pass(pauses()[0] ?? 0);
    }
    expect(seen).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => seconds * 1_000));
    expect(faults.map(({ message }) => message)).toEqual([
      "The task watch of builtin:x failed: boom. It restarts in 1 s; if it keeps failing like this, only /tasks reports it",
    ]);
    await supervisor.dispose();
    expect(pauses()).toEqual([]);
  });

  it("begins anew behind a healthy run, and not behind a shorter one", async () => {
    for (const [ranMs, next] of [
      [LONGEST_PAUSE_MS, 1_000],
      [LONGEST_PAUSE_MS - 1, 4_000],
    ] as const) {
      const { clock, pauses, pass } = testClock();
      const third = Promise.withResolvers<void>();
      const runs = [fails, fails, () => third.promise];
      const { supervisor, faults } = supervise(
        { restart: "onFailure", run: () => (runs.shift() ?? fails)() },
        clock,
      );
      supervisor.start();
      for (const pause of [1_000, 2_000]) {
        await untilHolds(() => expect(pauses()).toEqual([pause]));
        pass(pause);
      }
      await untilHolds(() => expect(supervisor.report()).toMatchObject([{ state: "running", starts: 3 }]));
      pass(ranMs);
      third.reject(new Error("boom"));
      await untilHolds(() => expect(pauses()).toEqual([next]));
      expect(faults).toHaveLength(next === 1_000 ? 2 : 1); // reported again when it resets
      await supervisor.dispose();
    }
  });

  it("pauses a quarter longer or shorter, so that many do not come at once, and never longer than five minutes", () => {
    expect([restartPauseMs(1, 0), restartPauseMs(1, 0.999_999)]).toEqual([750, 1_250]);
    expect([restartPauseMs(20, 0), restartPauseMs(20, 0.999_999)]).toEqual([225_000, 300_000]);
    expect(restartPauseMs(5_000, 0.5)).toBe(300_000);
  });

  it("tells another failure, and is started at once by who asks", async () => {
    const { clock, pauses } = testClock();
    const errors = ["one", "one", "two"];
    const { supervisor, faults } = supervise(
      { restart: "onFailure", run: () => Promise.reject(new Error(errors.shift() ?? "more")) },
      clock,
    );
    supervisor.start();
    for (const pause of [1_000, 2_000]) {
      await untilHolds(() => expect(pauses()).toEqual([pause]));
      expect(supervisor.run("watch")).toBeUndefined();
    }
    await untilHolds(() => expect(pauses()).toEqual([4_000]));
    expect(faults.map(({ message }) => /failed: (\w+)/.exec(message)?.[1])).toEqual(["one", "two"]);
    await supervisor.dispose();
  });

  it("is no fault while its feature does not run, and goes on once it does", async () => {
    const { clock, pauses, pass } = testClock();
    let isAway = true;
    const { supervisor, faults } = supervise(
      {
        restart: "onFailure",
        run: async (context) => {
          if (isAway) throw new NotRunning("it is away");
          await untilAborted(context);
        },
      },
      clock,
    );
    supervisor.start();
    await untilHolds(() => expect(pauses()).toEqual([1_000]));
    isAway = false;
    pass(1_000);
    await untilHolds(() => expect(supervisor.report()).toMatchObject([{ state: "running", starts: 2 }]));
    expect(faults).toEqual([]);
    await supervisor.dispose();
  });
});
