// Root owns the machine's devices, even inside a sandbox: what is mounted there must not be the machine's own.

import { chmodSync, lstatSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { isRoot, lacks, lacksLevel } from "../../../../../tests/support/needs.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { run } from "../../../../../tests/support/test-run.ts";
import { findBubblewrap } from "./bubblewrap.ts";
import { confinedByBubblewrap } from "./command-bubblewrap.ts";
import { DEVICE_NAMES, deviceFor } from "./own-devices.ts";
import { createSandbox } from "./sandbox.ts";

// Sandboxes of other tests use the devices in the shared folder, and these damage them.
const own = mkdtempSync(join(tmpdir(), "indus-devices-"));
beforeEach(() => void vi.stubEnv("TMPDIR", own));
afterAll(() => rmSync(own, { recursive: true, force: true }));

const sandbox = createSandbox({ prefer: "bubblewrap" });
const strong = sandbox.strong();
const lacksBubblewrap = lacksLevel("bubblewrap", strong?.level === "bubblewrap");
const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** Closes the device to everyone, checks whether that worked, and prints what it can still do. */
const CLOSE = "chmod 0 /dev/null; stat -c %a /dev/null; head -c 3 /dev/urandom | wc -c";

describe.skipIf(lacks("root", isRoot) || lacksBubblewrap)("root's sandbox", () => {
  it("of an addon changes no device of the machine, and has devices again the next time", async () => {
    const folder = createFolder();
    const spec = {
      ...{ readable: [folder], writable: [], protected: [], mayStartProcesses: true, isNode: false },
      maxMemoryBytes: 512 * 1024 ** 2,
    };
    const { argv } = sandbox.confine(["/bin/sh", "-c", CLOSE], spec);
    const { stdout } = await run(argv, { cwd: folder });
    expect(stdout.trim().split("\n")).toEqual(["0", "3"]);
    expect(modeOf("/dev/null")).toBe(0o666);
    const next = sandbox.confine(["/bin/sh", "-c", "stat -c %a /dev/null"], spec);
    expect((await run(next.argv, { cwd: folder })).stdout).toBe("666\n");
  });

  it("of a command changes none either", async () => {
    if (strong?.level !== "bubblewrap") throw new Error("expected bubblewrap");
    const root = createFolder();
    const spec = {
      ...{
        root,
        cwd: root,
        isWritable: true,
        protected: [],
        pinned: [],
        readable: [],
        granted: [],
        hidden: [],
      },
      ...{
        temporary: createFolder(),
        home: createFolder(),
        personHome: "/nonexistent",
        network: "none" as const,
      },
    };
    const inner = { PATH: "/usr/bin:/bin" };
    const variables = { outer: inner, inner };
    const { argv, handles } = confinedByBubblewrap(["/bin/sh", "-c", CLOSE], spec, variables, strong);
    const { stdout } = await run(argv, { cwd: root, handles });
    expect(stdout.trim().split("\n")).toEqual(["0", "3"]);
    expect(modeOf("/dev/null")).toBe(0o666);
  });

  it("twin: through a plain mount of a device its mode is changed outside", async () => {
    const device = deviceFor("full");
    expect(device).not.toBe("/dev/full");
    const plain = [
      "--ro-bind",
      "/",
      "/",
      "--dev-bind",
      device,
      "/dev/full",
      "--unshare-all",
      "--cap-drop",
      "ALL",
    ];
    await run([findBubblewrap() ?? "", ...plain, "chmod", "0", "/dev/full"], { cwd: "/" });
    expect(modeOf(device)).toBe(0);
  });
});

it("each device is one of this name, whoever asks; one that is damaged is made anew", () => {
  for (const name of DEVICE_NAMES) {
    const path = deviceFor(name);
    expect(lstatSync(path).rdev).toBe(lstatSync(`/dev/${name}`).rdev);
    expect(modeOf(path)).toBe(0o666);
    if (!path.startsWith("/dev/")) chmodSync(path, 0o600);
    expect(modeOf(deviceFor(name))).toBe(0o666);
  }
});
