// What the report and the trust question say about the sandbox, and whether the person accepts an addon without one.

import { leavesSandbox } from "../../feature/capabilities.ts";
import type { CodeAddon } from "../process/contract.ts";
import type { Sandbox, SandboxLevel } from "../sandbox/contract.ts";

type Runtime = Pick<CodeAddon, "runtime"> & Partial<Pick<CodeAddon, "capabilities">>;

export interface Confinement {
  /** The level in force and what it leaves open, one line each. */
  readonly lines: (code: Runtime) => readonly string[];
  /** Why `addons.requireSandbox` refuses it; undefined if it does not. */
  readonly refusal: (code: Runtime) => string | undefined;
}

/** The answers are the same for all Node programs, and the same for all others: each is determined once. */
export function createConfinement(sandbox: Sandbox, requireSandbox: boolean): Confinement {
  const known = new Map<boolean, readonly string[]>();
  const isRefused = (isNode: boolean): boolean => requireSandbox && !isOfSystem(sandbox.levelFor({ isNode }));
  return {
    lines(code) {
      if (asksToLeave(code)) return [OUTSIDE, ...(requireSandbox ? [REFUSED] : [])];
      const isNode = runsOnNode(code);
      const level = sandbox.levelFor({ isNode });
      const found = known.get(isNode) ?? [
        `sandbox: ${level}`,
        ...(isOfSystem(level) ? [] : missing(sandbox)),
        ...sandbox.unconfined({ isNode }).map((sentence) => `not confined: ${sentence}`),
        ...(isRefused(isNode) ? [REFUSED] : []),
      ];
      known.set(isNode, found);
      return found;
    },
    refusal(code) {
      if (asksToLeave(code) && requireSandbox)
        return "addons.requireSandbox is set, and it runs outside of the sandbox";
      const isNode = runsOnNode(code);
      if (!isRefused(isNode)) return undefined;
      return `addons.requireSandbox is set, and this machine has no sandbox for it: ${sandbox.unconfined({ isNode }).join(" ")}`;
    },
  };
}

const OUTSIDE =
  "outside of the sandbox: it can read, change and send whatever you can, as any program that you start";
const REFUSED = "addons.requireSandbox is set: it would be refused";

function asksToLeave({ capabilities = [] }: Runtime): boolean {
  return leavesSandbox(capabilities.map(({ capability }) => capability));
}

function runsOnNode({ runtime }: Runtime): boolean {
  return runtime === "module" || runtime === "wasm";
}

/** What a person could fix to have the system confine it. */
function missing(sandbox: Sandbox): readonly string[] {
  return sandbox
    .levels()
    .filter(({ works }) => !works)
    .map(({ level, reason }) => `${level} does not work on this machine: ${reason}`);
}

/** Node's own permission flags are a fence within the process, which the operating system does not enforce. */
function isOfSystem(level: SandboxLevel): boolean {
  return level === "bubblewrap" || level === "landlock";
}
