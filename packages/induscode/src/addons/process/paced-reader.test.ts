import { spawn } from "node:child_process";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { untilHolds } from "../../../../../tests/support/until.ts";
import { readPaced } from "./paced-reader.ts";

it("hands on what comes, at once while it is little", async () => {
  const stream = new PassThrough();
  let text = "";
  readPaced(stream, {
    bytesPerSecond: 100,
    onChunk: (chunk) => {
      text += chunk.toString();
    },
  });
  stream.write("one ");
  stream.write("two");
  await untilHolds(() => expect(text).toBe("one two"));
});

it("pauses for the rest of a second that had too much, and goes on in the next", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "hrtime"] });
  onTestFinished(() => void vi.useRealTimers());
  const stream = new PassThrough();
  let bytes = 0;
  readPaced(stream, {
    bytesPerSecond: 10,
    onChunk: (chunk) => {
      bytes += chunk.length;
    },
  });
  stream.write("0123456789");
  await vi.advanceTimersByTimeAsync(1);
  expect(bytes).toBe(10);
  stream.write("more");
  await vi.advanceTimersByTimeAsync(998);
  expect(bytes).toBe(10);
  await vi.advanceTimersByTimeAsync(1);
  expect(bytes).toBe(14);
});

it("holds back a program that writes without end (the twin: without the pace, all of it is read)", async () => {
  const flood = (): ReturnType<typeof spawn> => {
    const child = spawn("yes", { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const [paced, free] = [flood().stdout, flood().stdout];
  if (!paced || !free) throw new Error("the programs have no pipes");
  let pacedBytes = 0;
  let freeBytes = 0;
  readPaced(paced, {
    bytesPerSecond: 1_000,
    onChunk: (chunk) => {
      pacedBytes += chunk.length;
    },
  });
  free.on("data", (chunk: Buffer) => {
    freeBytes += chunk.length;
  });
  await untilHolds(() => expect(freeBytes).toBeGreaterThan(64_000_000));
  expect(pacedBytes).toBeGreaterThan(0);
  expect(pacedBytes * 20).toBeLessThan(freeBytes);
});
