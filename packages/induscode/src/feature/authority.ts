// The authority for deeds in one session: who holds which grants, how far they reach, and which deeds a call changed by
// features amounts to.

import type { FsScope } from "indusagi/capabilities";
import { isContribution } from "./capabilities.ts";
import { type Deed, deedInWords, lackFor, type Reach } from "./deeds.ts";
import type { HostCapability } from "./descriptor.ts";
import type { FeatureInstallReport } from "./install-report.ts";
import type { Access } from "./tool.ts";

/** A call as it would run. */
export interface CallToJudge {
  readonly tool: string;
  readonly accesses: readonly Access[];
}

export interface DeedRefusal {
  readonly feature: string;
  /** Completes "to …": `write /ws/.npmrc`. */
  readonly deed: string;
  /** A clause about the feature: `it lacks the grant files with write`. */
  readonly lack: string;
}

export interface Authority {
  /** The deeds a call amounts to. Paths are resolved now. */
  readonly deedsOf: (call: CallToJudge) => Promise<readonly Deed[]>;
  /** The first of `features` that may not do all of `deeds` by itself, and why. */
  readonly refusal: (features: readonly string[], deeds: readonly Deed[]) => DeedRefusal | undefined;
  /**
   * The files that all of `features` may touch, checked when they are touched. A tool reads a file to keep its encoding when
   * it writes, so files that `deeds` write may also be read.
   */
  readonly scopeOf: (features: readonly string[], deeds: readonly Deed[]) => FsScope;
}

export interface AuthorityDeps extends Reach {
  /** Reports of every feature of the session; a feature not among them holds nothing. */
  readonly reports: () => readonly Pick<FeatureInstallReport, "feature" | "granted" | "tools">[];
  /** Where a path leads after following links. */
  readonly realPath: (path: string) => Promise<string>;
}

/** The authority of one session. Uses the reports and the mode as they are when it is asked. */
export function createAuthority(deps: AuthorityDeps): Authority {
  const { reports, realPath } = deps;
  const grantsOf = (feature: string): readonly HostCapability[] =>
    reports().find((report) => report.feature === feature)?.granted ?? [];
  const lackOf = (feature: string, deed: Deed): string | undefined =>
    lackFor(deed, { feature, grants: grantsOf(feature) }, deps);
  return {
    deedsOf: ({ tool, accesses }) => {
      const owner = reports().find(({ tools }) => tools.includes(tool));
      // The arguments of such a tool do not show what it touches: it may do whatever its feature holds.
      const isOpaque = owner && (accesses.length === 0 || !owner.feature.startsWith("builtin:"));
      return isOpaque
        ? Promise.resolve([{ kind: "call" as const, tool, holds: owner.granted.filter(isPower) }])
        : Promise.all(accesses.map(deedOf));
    },
    refusal(features, deeds) {
      for (const feature of features)
        for (const deed of deeds) {
          const lack = lackOf(feature, deed);
          if (lack !== undefined) return { feature, deed: deedInWords(deed), lack };
        }
      return undefined;
    },
    scopeOf: (features, deeds) => {
      const isTarget = (path: string): boolean =>
        deeds.some((deed) => deed.kind === "write" && deed.realPath === path);
      const permits =
        (kind: "read" | "write") =>
        (path: string): boolean =>
          features.every((feature) => lackOf(feature, { kind, path, realPath: path }) === undefined);
      return {
        mayRead: (path) => isTarget(path) || permits("read")(path),
        mayWrite: permits("write"),
        allows: `what ${features.join(" and ")} may access`,
      };
    },
  };

  async function deedOf(access: Access): Promise<Deed> {
    if (access.kind === "execute") return { kind: "execute" };
    if (access.kind !== "read" && access.kind !== "write") return access;
    const { kind, path } = access;
    return { kind, path, realPath: await realPath(path).catch(() => undefined) };
  }
}

/** Grants beyond contributing something or sending text. */
function isPower(held: HostCapability): boolean {
  if (held.kind === "ui") return held.ask; // the person's answer may be the target
  return !isContribution(held) && held.kind !== "alert" && held.kind !== "model_notification";
}
