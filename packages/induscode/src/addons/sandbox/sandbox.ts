// The sandbox of this machine: the strongest level that really works, determined on the first question and then kept.

import { bubblewrapCommand, findBubblewrap } from "./bubblewrap.ts";
import { filterArchitecture } from "./calls/seccomp-filter.ts";
import type { LevelReport, Sandbox, SandboxLevel, StrongLevel } from "./contract.ts";
import { landlockCommand } from "./landlock.ts";
import { launchShell } from "./launch-shell.ts";
import { readLevelRecord, writeLevelRecord } from "./level-record.ts";
import { nodePermissions } from "./node-permissions.ts";
import { probeBubblewrap, probeLandlock } from "./probe-level.ts";
import { programLimits } from "./process-limits.ts";
import type { ProgramSearch } from "./program-on-path.ts";
import { unconfinedAt } from "./unconfined.ts";

interface SandboxOptions {
  /** This level or none: one that does not work is not replaced by a weaker one, and {@link Sandbox.unconfined} says why. */
  readonly prefer?: SandboxLevel;
  /** A file in the person's home that records what worked; without it, each run of indus tries once. */
  readonly recordPath?: string;
  /** Where else bubblewrap may be; default: only where distributions install it. */
  readonly search?: ProgramSearch | undefined;
  /** For tests: use no Landlock features newer than this ABI, as on an older kernel. Nothing from outside sets it. */
  readonly maxAbi?: number;
}

/** Does no work until its first question. A launch that fails later fails: no program ever runs with less than its level. */
export function createSandbox({ prefer, recordPath, search, maxAbi }: SandboxOptions = {}): Sandbox {
  const found = once(() => {
    const bwrap = findBubblewrap(search);
    return findLevels({ prefer, maxAbi, bwrap }, prefer === undefined ? recordPath : undefined);
  });
  const levelFor: Sandbox["levelFor"] = ({ isNode }) => {
    const { strong } = found();
    if (strong !== undefined) return strong.level;
    const mayUseNode = prefer === undefined || prefer === "node-permissions";
    return isNode && mayUseNode ? "node-permissions" : "none";
  };
  return {
    levelFor,
    unconfined: (program) => {
      const level = levelFor(program);
      const { strong } = found();
      const open = unconfinedAt(level, strong);
      if (prefer === undefined || prefer === level) return open;
      return [
        `The level ${prefer} was requested but is not in force: ${whyNot(prefer, found().tried)}.`,
        ...open,
      ];
    },
    confine: (argv, spec) => {
      const level = levelFor(spec);
      const { strong } = found();
      if (strong?.level === "bubblewrap") return { argv: bubblewrapCommand(argv, spec, strong), level };
      if (strong?.level === "landlock") return { argv: landlockCommand(argv, spec, strong), level };
      const program = level === "node-permissions" ? nodePermissions(argv, spec) : argv;
      // Limits are set wherever a shell can set them.
      if (process.platform === "win32") return { argv: program, level };
      return { argv: launchShell(program, { limits: programLimits(spec) }), level };
    },
    strong: () => found().strong,
    levels: () => found().tried,
  };
}

interface Found {
  readonly strong?: StrongLevel;
  readonly tried: readonly LevelReport[];
}

function findLevels(
  {
    prefer,
    maxAbi,
    bwrap,
  }: {
    readonly prefer: SandboxLevel | undefined;
    readonly maxAbi: number | undefined;
    readonly bwrap: string | undefined;
  },
  recordPath: string | undefined,
): Found {
  const recorded = recordPath === undefined ? undefined : recordedLevel(recordPath, bwrap);
  if (recorded !== undefined) return { strong: recorded, tried: [{ level: recorded.level, works: true }] };
  const tried: LevelReport[] = [];
  for (const level of ["bubblewrap", "landlock"] as const) {
    if (prefer !== undefined && prefer !== level) continue;
    const isCapped = level === "landlock" && maxAbi !== undefined;
    const probe = isCapped ? probeLandlock({ maxAbi }) : PROBES[level](bwrap);
    if ("reason" in probe) {
      tried.push({ level, works: false, reason: probe.reason });
      continue;
    }
    if (recordPath !== undefined) {
      writeLevelRecord(
        recordPath,
        probe.level === "landlock"
          ? { level: "landlock", abi: probe.abi }
          : { level: "bubblewrap", handsPlaces: probe.handsPlaces },
        bwrap,
      );
    }
    return { strong: probe, tried: [...tried, { level, works: true }] };
  }
  const last = prefer === undefined || prefer === "node-permissions" ? "node-permissions" : "none";
  return { tried: [...tried, { level: last, works: true }] };
}

/** What this process has determined. The kernel and the installed programs do not change while it runs. */
const PROBES = { bubblewrap: onceEach(probeBubblewrap), landlock: once(probeLandlock) } as const;

function onceEach<Asked, Answer>(find: (asked: Asked) => Answer): (asked: Asked) => Answer {
  const found = new Map<Asked, () => Answer>();
  return (asked) => {
    const known = found.get(asked) ?? once(() => find(asked));
    found.set(asked, known);
    return known();
  };
}

function once<Answer>(find: () => Answer): () => Answer {
  let found: { readonly answer: Answer } | undefined;
  return () => {
    found ??= { answer: find() };
    return found.answer;
  };
}

function recordedLevel(path: string, bwrap: string | undefined): StrongLevel | undefined {
  const record = readLevelRecord(path, bwrap);
  const architecture = filterArchitecture(process.arch);
  if (record === undefined || architecture === undefined) return undefined;
  if (record.level === "landlock") return { level: "landlock", architecture, abi: record.abi };
  if (bwrap === undefined) return undefined;
  return { level: "bubblewrap", architecture, bwrap, handsPlaces: record.handsPlaces };
}

function whyNot(level: SandboxLevel, tried: readonly LevelReport[]): string {
  return tried.find((report) => report.level === level)?.reason ?? "it confines Node programs only";
}
