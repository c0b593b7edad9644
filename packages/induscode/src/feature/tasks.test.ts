import { memoryFs } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import { untilHolds } from "../../../../tests/support/until.ts";
import type { BackgroundTask, FeatureFault, TaskContext } from "./contract.ts";
import { createTaskSupervisor } from "./tasks.ts";

function supervise(task: Partial<BackgroundTask> & Pick<BackgroundTask, "run">) {
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
    host: {
      notifyModel: (feature, text) => void heard.push(`model ${feature} ${text}`),
      alert: (feature, text) => void heard.push(`alert ${feature} ${text}`),
      diagnostic: (feature, severity, text) => void heard.push(`${severity} ${feature} ${text}`),
      fs: memoryFs(),
      root: "/",
      env: {},
    },
    onFault: (fault) => faults.push(fault),
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
    expect(heard).toEqual(["model builtin:x a", "alert builtin:x b", "warning builtin:x c"]);
  });

  it("on demand starts only when asked, once at a time", async () => {
    const { supervisor } = supervise({ activation: "onDemand", run: untilAborted });
    supervisor.start();
    expect(supervisor.report()).toMatchObject([{ state: "waiting" }]);
    expect(supervisor.run("watch")).toBeUndefined();
    expect(supervisor.run("watch")).toBe('The task "watch" is running.');
    expect(supervisor.run("other")).toBe('There is no task "other".');
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

  it("that may restart does so three times and no more", async () => {
    const { supervisor, faults } = supervise({
      restart: "onFailure",
      run: () => Promise.reject(new Error("boom")),
    });
    supervisor.start();
    await untilHolds(() => expect(supervisor.report()).toMatchObject([{ state: "failed", starts: 4 }]));
    expect(faults).toHaveLength(4);
  });

  it("that ignores its signal is abandoned after its grace period, by name", async () => {
    const { supervisor, faults } = supervise({ run: () => new Promise(() => undefined) });
    supervisor.start();
    await supervisor.dispose();
    expect(supervisor.report()).toMatchObject([{ state: "abandoned" }]);
    expect(faults[0]?.message).toContain("The task watch of builtin:x did not end within");
  });
});
