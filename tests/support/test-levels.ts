// The levels that the sandbox's tests run at: Landlock also as older kernels have it.

import type {
  Sandbox,
  SandboxLevel,
  StrongLevel,
} from "../../packages/induscode/src/addons/sandbox/contract.ts";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";

/** Older kernels as well as this machine's own: the oldest whose Landlock is used, and the last that lets signals out. */
export type TestedLevel = SandboxLevel | "landlock ABI 3" | "landlock ABI 5";

/** Landlock as this kernel and as older ones have it. */
export const LANDLOCKS = ["landlock", "landlock ABI 5", "landlock ABI 3"] as const;

/** The level that is in force there. */
export function levelOf(tested: TestedLevel): SandboxLevel {
  return tested.startsWith("landlock") ? "landlock" : (tested as SandboxLevel);
}

/** A sandbox of that level and of no other. */
export function sandboxAt(tested: TestedLevel): Sandbox {
  const [, abi] = /^landlock ABI (\d)$/.exec(tested) ?? [];
  return createSandbox({ prefer: levelOf(tested), ...(abi === undefined ? {} : { maxAbi: Number(abi) }) });
}

/** The same for commands: Landlock with Perl, and in between without it. */
export function strongAt(tested: TestedLevel): StrongLevel | undefined {
  const strong = sandboxAt(tested).strong();
  const withoutPerl = strong?.level === "landlock" && tested === "landlock ABI 5";
  return withoutPerl ? { ...strong, withoutPerl } : strong;
}
