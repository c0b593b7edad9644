// What an author expects of a run: `expect.toml` next to the addon. The caller passes in what happened.

import { describeError, readBoundedFile } from "indusagi/core";
import { LoaderError } from "../contract.ts";
import { parseToml } from "../source/parse-toml.ts";
import { type ManifestReport, TableReader } from "../source/table-reader.ts";

const STATES = ["ok", "refused", "failed"] as const;

type Expectation =
  | {
      readonly kind: "tool";
      readonly tool: string;
      readonly state: (typeof STATES)[number];
      /** Part of what the model reads. */
      readonly reason?: string | undefined;
    }
  | {
      readonly kind: "command";
      /** As a person types it: `/hello x`. */
      readonly run: string;
      /** Part of what the person is shown. */
      readonly says: string;
    };

export interface Expectations {
  /** What the person says to the model that the cassette plays. */
  readonly task?: string | undefined;
  readonly expect: readonly Expectation[];
}

const MAX_BYTES = 256 * 1024;

/** Reads the file. Rejects with a {@link LoaderError} that names the place; an unknown key is refused, because it would test nothing. */
export async function readExpectations(path: string): Promise<Expectations> {
  const report: ManifestReport = { path, warnings: [] };
  const document = new TableReader(await parseToml(readText(path), path), "", report);
  const task = document.text("task");
  const expect = document.tables("expect").map(readExpectation);
  document.finish();
  const [unknown] = report.warnings;
  if (unknown !== undefined)
    throw new LoaderError(
      { kind: "invalid", path },
      unknown.replace(`${path}: `, "").replace("; it is ignored", ""),
    );
  return { task, expect };
}

function readExpectation(table: TableReader): Expectation {
  const run = table.text("run");
  if (run !== undefined) {
    if (!run.startsWith("/"))
      table.refuse(`"run" must be a command as a person types it, with its slash; got "${run}"`);
    const says = table.requiredText("says");
    table.finish();
    return { kind: "command", run, says };
  }
  const tool = table.text("tool") ?? table.refuse('specify what is expected: "tool", or "run" for a command');
  table.requiredText("state");
  const state = table.choice("state", STATES) ?? "ok";
  const reason = table.text("reason");
  table.finish();
  return { kind: "tool", tool, state, reason };
}

function readText(path: string): string {
  try {
    return readBoundedFile(path, MAX_BYTES).toString("utf8");
  } catch (cause) {
    throw new LoaderError({ kind: "io", path }, `it cannot be read: ${describeError(cause)}`, { cause });
  }
}

/** One finished tool call of the run. */
export interface SeenCall {
  readonly tool: string;
  readonly state: string;
  readonly text: string;
}

export interface Verdict {
  /** What was expected, in words. */
  readonly expected: string;
  readonly isMet: boolean;
  /** What was found instead. */
  readonly found?: string;
}

/**
 * One verdict for each expectation, in order. A tool expectation takes the tool's first call that no earlier expectation
 * has taken; `runCommand` resolves with what a command said to the person and rejects if the command does.
 */
export async function judge(
  expect: readonly Expectation[],
  calls: readonly SeenCall[],
  runCommand: (line: string) => Promise<string>,
): Promise<readonly Verdict[]> {
  const left = [...calls];
  const verdicts: Verdict[] = [];
  for (const each of expect) {
    if (each.kind === "tool") {
      const at = left.findIndex(({ tool }) => tool === each.tool);
      verdicts.push(judgeCall(each, at < 0 ? undefined : left.splice(at, 1)[0]));
    } else verdicts.push(await judgeCommand(each, runCommand));
  }
  return verdicts;
}

function judgeCall(
  { tool, state, reason }: Extract<Expectation, { kind: "tool" }>,
  call: SeenCall | undefined,
): Verdict {
  const expected = `${tool} is ${state}${reason === undefined ? "" : `: …${reason}…`}`;
  if (!call) return { expected, isMet: false, found: `no further call of ${tool}` };
  if (call.state === state && call.text.includes(reason ?? "")) return { expected, isMet: true };
  return { expected, isMet: false, found: `${tool} is ${call.state}: ${firstOf(call.text)}` };
}

async function judgeCommand(
  { run, says }: Extract<Expectation, { kind: "command" }>,
  runCommand: (line: string) => Promise<string>,
): Promise<Verdict> {
  const expected = `${run} says …${says}…`;
  try {
    const said = await runCommand(run);
    if (said.includes(says)) return { expected, isMet: true };
    return { expected, isMet: false, found: said === "" ? "it says nothing" : `it says: ${firstOf(said)}` };
  } catch (error) {
    return { expected, isMet: false, found: `it fails: ${describeError(error)}` };
  }
}

const MAX_FOUND_CHARS = 400;

function firstOf(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length <= MAX_FOUND_CHARS ? line : `${line.slice(0, MAX_FOUND_CHARS)}…`;
}
