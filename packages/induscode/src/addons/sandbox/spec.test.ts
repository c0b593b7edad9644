import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import type { AddonProgram } from "../process/contract.ts";
import { programLimits } from "./process-limits.ts";
import { permitsPath } from "./sandbox-policy.ts";
import { addonEnvironment, policyOf, sandboxSpec } from "./spec.ts";

function files(read: boolean, write: boolean, execute = false): HostCapability {
  return { kind: "files", read, write, execute };
}

function programIn(cwd: string): AddonProgram {
  return {
    runtime: "process",
    argv: [join(cwd, "run")],
    cwd,
    readable: [cwd],
    isNode: false,
    maxMemoryBytes: 1024,
  };
}

describe("sandboxSpec", () => {
  it("gives the program's own files and nothing else without a grant of files", () => {
    const [workspace, addon] = [createFolder(), createFolder()];
    const grants: HostCapability[] = [{ kind: "alert" }, { kind: "network", purpose: "x", hosts: ["*"] }];
    expect(sandboxSpec(programIn(addon), grants, workspace)).toEqual({
      readable: [addon],
      writable: [],
      protected: [],
      mayStartProcesses: false,
      hasBrowser: false,
      isNode: false,
      maxMemoryBytes: 1024,
    });
  });

  it("lets a program with the grant browser start programs, with room for them", () => {
    const spec = sandboxSpec(programIn(createFolder()), [{ kind: "browser" }], createFolder());
    expect(spec).toMatchObject({ mayStartProcesses: true, hasBrowser: true, readable: [expect.any(String)] });
    expect(programLimits(spec, "linux")).toMatchObject({ dataBytes: 6 * 1024 ** 3, openFiles: 4096 });
    expect(programLimits({ ...spec, hasBrowser: false }, "linux")).toMatchObject({
      dataBytes: 1024,
      openFiles: 1_024,
    });
  });

  it("opens the workspace for reading, for writing, and for starting processes, each by its own grant", () => {
    const [workspace, addon] = [createFolder(), createFolder()];
    const spec = (...grants: HostCapability[]) => sandboxSpec(programIn(addon), grants, workspace);
    expect(spec(files(true, false))).toMatchObject({ readable: [addon, workspace], writable: [] });
    expect(spec(files(false, true))).toMatchObject({ readable: [addon], writable: [workspace] });
    expect(spec(files(false, false, true))).toMatchObject({ readable: [addon], mayStartProcesses: true });
    expect(spec(files(true, false), files(false, true))).toMatchObject({
      readable: [addon, workspace],
      writable: [workspace],
      mayStartProcesses: false,
    });
  });

  it("takes the workspace for the place that it was, not for what a link there leads to now", () => {
    const [workspace, links] = [createFolder(), createFolder()];
    symlinkSync(workspace, join(links, "ws"));
    const spec = sandboxSpec(programIn(links), [files(true, true)], join(links, "ws"));
    expect(spec.writable).toEqual([join(links, "ws")]);
    expect(spec.readable).not.toContain(workspace);
  });

  it("protects what acts later, what it really is, the linked git folder, and the addon itself", () => {
    const workspace = createFolder({ ".git": "gitdir: ./store/worktrees/a\n", "docs/rules.md": "" });
    mkdirSync(join(workspace, "store/worktrees/a"), { recursive: true });
    symlinkSync("docs/rules.md", join(workspace, "AGENTS.md"));
    const addon = join(workspace, "tools/addon");
    const spec = sandboxSpec(programIn(addon), [files(true, true)], workspace);
    const inside = spec.protected.map((path) => path.slice(workspace.length + 1));
    expect(inside).toEqual(
      expect.arrayContaining([
        ...[".git", ".indus", ".indusagi", ".agents", ".claude", ".mcp.json", ".vscode", ".envrc"],
        ...["AGENTS.md", "CLAUDE.md", "docs/rules.md", "store/worktrees/a", "tools/addon"],
      ]),
    );
  });
});

describe("policyOf", () => {
  it("permits the workspace with a grant of files, else no path", () => {
    expect(permitsPath(policyOf([files(true, false)], "/ws"), "/ws/a")).toBe(true);
    expect(permitsPath(policyOf([files(false, true)], "/ws"), "/ws/../etc/passwd")).toBe(false);
    expect(permitsPath(policyOf([files(false, false, true)], "/ws"), "/ws/a")).toBe(false);
    expect(permitsPath(policyOf([{ kind: "alert" }], "/ws"), "/ws/a")).toBe(false);
  });
});

describe("addonEnvironment", () => {
  it("passes language and time zone, fixes PATH and HOME, and drops everything else", () => {
    const env = {
      LANG: "de_DE.UTF-8",
      TZ: "Europe/Berlin",
      PATH: "/tmp/evil",
      HOME: "/home/me",
      API_KEY: "canary",
      NODE_OPTIONS: "--require /tmp/evil.js",
      LD_PRELOAD: "/tmp/evil.so",
      PYTHONPATH: "/tmp/evil",
    };
    expect(addonEnvironment(policyOf([], "/ws"), env)).toEqual({
      LANG: "de_DE.UTF-8",
      TZ: "Europe/Berlin",
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: "/nonexistent",
    });
  });

  it("passes what the policy names, and never its own PATH", () => {
    const policy = { ...policyOf([], "/ws"), envAllowlist: ["API_KEY", "UNSET"] };
    expect(addonEnvironment(policy, { API_KEY: "given" })).toEqual({
      API_KEY: "given",
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: "/nonexistent",
    });
  });
});
