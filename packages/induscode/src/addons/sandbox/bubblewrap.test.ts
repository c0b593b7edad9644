import { dirname } from "node:path";
import { describe, expect, it, test } from "vitest";
import { lacks } from "../../../../../tests/support/needs.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { run } from "../../../../../tests/support/test-run.ts";
import { bubblewrapCommand } from "./bubblewrap.ts";
import type { SandboxSpec } from "./contract.ts";
import { createSandbox } from "./sandbox.ts";

const nothing: SandboxSpec = {
  ...{ readable: [], writable: [], protected: [], mayStartProcesses: false, isNode: false },
  maxMemoryBytes: 256 * 1024 ** 2,
};

const BWRAP = { bwrap: "/bwrap", architecture: "x64", handsPlaces: false } as const;

function mountsOf(spec: SandboxSpec): readonly (readonly [string, string])[] {
  const command = bubblewrapCommand(["/bin/true"], spec, BWRAP);
  return command.flatMap((word, index) =>
    word === "--bind-try" || word === "--ro-bind-try" ? [[word, command[index + 1] ?? ""] as const] : [],
  );
}

describe("bubblewrapCommand", () => {
  it("mounts outer folders first, and each only as open as it may be", () => {
    const root = createFolder({ "ws/src/a": "", "ws/.git/config": "", "ws/tools/addon/main": "" });
    const spec = {
      ...nothing,
      readable: [`${root}/ws/tools/addon`, `${root}/ws`],
      writable: [`${root}/ws`],
      protected: [`${root}/ws/.git`, `${root}/ws/tools/addon`],
    };
    const own = mountsOf(spec).filter(([, path]) => path.startsWith(root));
    expect(own).toEqual([
      ["--ro-bind-try", `${root}/ws`],
      ["--bind-try", `${root}/ws/src`],
      ["--ro-bind-try", `${root}/ws/tools/addon`],
    ]);
  });

  it("keeps to 192 writable mounts, folders first", () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [n < 10 ? `z${n}/x` : `a${n}`, ""]),
    );
    const root = createFolder(files);
    const spec = { ...nothing, writable: [root], protected: [`${root}/.git`] };
    const writable = mountsOf(spec).filter(([how]) => how === "--bind-try");
    expect(writable).toHaveLength(192);
    expect(writable.filter(([, path]) => path.startsWith(`${root}/z`))).toHaveLength(10);
  });

  test.skipIf(
    lacks("bubblewrap", createSandbox({ prefer: "bubblewrap" }).levelFor({ isNode: false }) === "bubblewrap"),
  )("keeps its filters from a program that may write where they lie", async () => {
    const folder = createFolder();
    const filter = bubblewrapCommand([], nothing, BWRAP).find((word) => word.endsWith(".bpf"));
    const filters = dirname(filter ?? "");
    const script = `echo x 2>/dev/null >>${filter} && echo changed; echo end`;
    const spec = { ...nothing, writable: [filters] };
    const { argv } = createSandbox({ prefer: "bubblewrap" }).confine(["/bin/sh", "-c", script], spec);
    expect((await run(argv, { cwd: folder })).stdout).toBe("end\n");
    expect((await run(["/bin/sh", "-c", `[ -w ${filter} ] && echo writable`], { cwd: folder })).stdout).toBe(
      "writable\n",
    );
  });
});
