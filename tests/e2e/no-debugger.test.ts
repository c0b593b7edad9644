// Nobody gets into a session by Node's debugger, which Node itself opens at SIGUSR1.

import { type ChildProcess, spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { createServedWorkplace } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const OPEN = "Debugger listening";

it("SIGUSR1 opens none, and the task goes on", async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const place = await createServedWorkplace([{ text: "done", trouble: { kind: "held", until: held } }]);
  let child: ChildProcess | undefined;
  const onStart = (started: ChildProcess): void => {
    child = started;
  };
  const ended = place.run(["-p", "go", "--model", "anthropic/x"], { onStart });
  await until(() => place.server.requests.length > 0);
  for (let times = 0; times < 3; times++) child?.kill("SIGUSR1");
  release();
  const { code, stdout, stderr } = await ended;
  expect([code, stdout]).toEqual([0, "done\n"]);
  expect(stderr).not.toContain(OPEN);
});

it("twin: a program that does not listen gets one", async () => {
  // Any free port, and on the loopback alone.
  const twin = spawn(process.execPath, [
    "--inspect-port=127.0.0.1:0",
    "-e",
    "setInterval(() => {}, 1000); console.log('up')",
  ]);
  onTestFinished(() => void twin.kill("SIGKILL"));
  let said = "";
  for (const output of [twin.stdout, twin.stderr])
    output.on("data", (chunk: Buffer) => {
      said += chunk;
    });
  await until(() => said.includes("up"));
  twin.kill("SIGUSR1");
  await until(() => said.includes(OPEN));
});
