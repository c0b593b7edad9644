import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { localShell } from "./local-shell.ts";

const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Blocks like a host whose thread is busy: for this long nothing is read and no timer runs. */
it("what a command wrote is not lost when its host is busy from before its end until the wait for its pipes is over", async () => {
  const { signal } = new AbortController();
  const running = localShell().exec("sleep 0.4; echo kept", { cwd: "/", signal });
  // Its output and exit arrive in one poll of the event loop, and the exit of the command above with its exit.
  const other = spawn("/bin/sh", ["-c", "echo x"], { stdio: ["ignore", "pipe", "inherit"] });
  other.stdout.once("data", () => block(800));
  other.once("exit", () => block(1_500));
  await new Promise<void>((done) => void setImmediate(done));
  block(200);
  expect(await running).toMatchObject({ stdout: "kept\n", code: 0 });
});
