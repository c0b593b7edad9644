// Whether a program speaks the addon protocol: the checks of `checks.ts`, one after the other, each with its own run of it.

import { describeError, monotonicMs } from "indusagi/core";
import { DEFAULT_LIMITS } from "../../packages/induscode/src/addons/process/protocol/contract.ts";
import type { Registration } from "../../packages/induscode/src/addons/process/protocol/messages.ts";
import { CHECKS, describeParams, HOST_RANGE } from "./checks.ts";
import type {
  Check,
  CheckContext,
  CheckResult,
  ConformanceOptions,
  ConformanceReport,
  Observations,
  OpenOptions,
  ProgramUnderTest,
  Session,
  Verdict,
} from "./contract.ts";
import { startSession } from "./session.ts";

const DEFAULT_OPTIONS: ConformanceOptions = {
  acknowledgeMs: DEFAULT_LIMITS.acknowledgeMs,
  answerMs: 10_000,
  cancelGraceMs: DEFAULT_LIMITS.cancelGraceMs,
  endMs: 1_000,
  times: 1,
  bigLineBytes: 1024 * 1024,
};

/**
 * Runs every check, with each limit `times` as long. Never rejects for what the program does; no process that it started is
 * left.
 */
export async function runConformance(
  program: ProgramUnderTest,
  options: Partial<ConformanceOptions> = {},
): Promise<ConformanceReport> {
  const limits = { ...DEFAULT_OPTIONS, ...options };
  const { times } = limits;
  const all: ConformanceOptions = {
    ...limits,
    acknowledgeMs: limits.acknowledgeMs * times,
    answerMs: limits.answerMs * times,
    cancelGraceMs: limits.cancelGraceMs * times,
    endMs: limits.endMs * times,
  };
  const observations: Observations = { stray: [], wrong: [], slow: [], brokenCalls: new Set() };
  const results: CheckResult[] = [];
  let registration: Registration | undefined;
  let missing: string | undefined;

  for (const check of CHECKS) {
    const startedAtMs = monotonicMs();
    const isRun = missing === undefined || check.kind === "summary";
    const verdict = isRun ? await runCheck(check) : { skipped: missing ?? "" };
    if (check.kind === "vital" && verdict !== undefined && "failed" in verdict)
      missing = `the check ${check.name} failed`;
    const result = resultOf(check, verdict, monotonicMs() - startedAtMs);
    results.push(result);
    all.onResult?.(result);
  }
  const count = (outcome: CheckResult["outcome"]): number =>
    results.filter((result) => result.outcome === outcome).length;
  return { results, passed: count("passed"), failed: count("failed"), skipped: count("skipped") };

  async function runCheck(check: Check): Promise<Verdict> {
    const sessions: Session[] = [];
    try {
      const verdict = await check.run(contextFor(sessions));
      // What a failed check found wrong is reported by that check.
      const isTold = verdict !== undefined && "failed" in verdict;
      for (const { wrong, slow } of isTold ? [] : sessions) {
        observations.wrong.push(...wrong);
        observations.slow.push(...slow);
      }
      return verdict;
    } catch (error) {
      return { failed: describeError(error) };
    } finally {
      await Promise.all(sessions.map((session) => session.stop()));
    }
  }

  function contextFor(sessions: Session[]): CheckContext {
    return {
      options: all,
      observations,
      open: async ({ describes = true, host = "grants" }: OpenOptions = {}) => {
        const session = startSession(program, { options: all, observations, host });
        sessions.push(session);
        if (!describes) return session;
        const answer = await session.ask("describe", describeParams(HOST_RANGE));
        if (answer.kind === "result") return session;
        const why = answer.kind === "none" ? answer.why : answer.message;
        throw new Error(`expected describe to be answered as it was at first, found ${why}`);
      },
      registration: () => {
        if (registration === undefined) throw new Error("the handshake comes first");
        return registration;
      },
      register: (found) => {
        registration = found;
      },
    };
  }
}

function resultOf({ name, title }: Check, verdict: Verdict, ms: number): CheckResult {
  if (verdict === undefined) return { name, title, outcome: "passed", ms };
  return "failed" in verdict
    ? { name, title, outcome: "failed", detail: verdict.failed, ms }
    : { name, title, outcome: "skipped", detail: verdict.skipped, ms };
}
