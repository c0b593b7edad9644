// The levels that the sandbox's tests run at: Landlock also as on older kernels.

import type {
  Sandbox,
  SandboxLevel,
  StrongLevel,
} from "../../packages/induscode/src/addons/sandbox/contract.ts";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";

/** Older kernels as well as this machine's own: the oldest supported Landlock, and the last that does not restrict signals. */
export type TestedLevel = SandboxLevel | "landlock ABI 3" | "landlock ABI 5";

/** Landlock on this kernel and as on older ones. */
export const LANDLOCKS = ["landlock", "landlock ABI 5", "landlock ABI 3"] as const;

/** The levels of {@link LANDLOCKS} that represent it: this kernel's own. */
export function isOwnKernels(tested: TestedLevel): boolean {
  return !tested.includes("ABI");
}

/** The level in force there. */
export function levelOf(tested: TestedLevel): SandboxLevel {
  return tested.startsWith("landlock") ? "landlock" : (tested as SandboxLevel);
}

/** A sandbox of exactly that level. */
export function sandboxAt(tested: TestedLevel): Sandbox {
  const [, abi] = /^landlock ABI (\d)$/.exec(tested) ?? [];
  return createSandbox({ prefer: levelOf(tested), ...(abi === undefined ? {} : { maxAbi: Number(abi) }) });
}

/** The same for commands: Landlock with Perl, except at ABI 5. */
export function strongAt(tested: TestedLevel): StrongLevel | undefined {
  const strong = sandboxAt(tested).strong();
  const withoutPerl = strong?.level === "landlock" && tested === "landlock ABI 5";
  return withoutPerl ? { ...strong, withoutPerl } : strong;
}
