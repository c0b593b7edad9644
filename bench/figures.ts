// The figures that README quotes: how each is calculated, and how far from the floor it may be. Data, then one printer.
import type { ProcessSample, RunSample } from "./measure.ts";
import type { ProgramName } from "./programs.ts";
import { loopOperation, type Operation, type ScenarioName } from "./scenarios.ts";

/** The starts that need no model. */
export type StartName = "help" | "nothing" | "version";

/** Everything measured in one go. A scenario that was left out or failed has no samples. */
export interface Measured {
  /** `node -e 0`, `indus --version` and `indus --help`. */
  readonly starts: Readonly<Record<StartName, readonly ProcessSample[]>>;
  readonly runs: Readonly<Record<ProgramName, Readonly<Record<ScenarioName, readonly RunSample[]>>>>;
  readonly resumed: readonly RunSample[];
  /** A run of 500 turns with twenty secrets in its environment, and how much of it was spent hiding them. */
  readonly masked: readonly (ProcessSample & { readonly maskingMs: number })[];
  readonly installedMb: number | undefined;
}

/** `floor` and `indus` are undefined when not measured. */
interface Figure {
  readonly name: string;
  readonly unit: "MB" | "ms";
  readonly floor?: (measured: Measured) => number | undefined;
  readonly indus: (measured: Measured) => number | undefined;
  readonly target?: Target;
}

/** At most `limit` times the floor, at most `limit` above it, or at most `limit` whatever the floor is. */
type Target = { readonly kind: "above" | "atMost" | "times"; readonly limit: number };

const times = (limit: number): Target => ({ kind: "times", limit });
const above = (limit: number): Target => ({ kind: "above", limit });
const atMost = (limit: number): Target => ({ kind: "atMost", limit });

/** The turns used as "early" and "late" of the 500: wide enough for twenty calls of each tool in a round. */
const early = { from: 60, to: 140 };
const late = { from: 420, to: 500 };

const figures: readonly Figure[] = [
  { name: "--version (floor: node -e 0)", unit: "ms", ...start("version"), target: times(1.3) },
  { name: "--help (floor: node -e 0)", unit: "ms", ...start("help"), target: times(2) },
  { name: "hello: first request", unit: "ms", ...run("hello", firstRequest), target: times(1.1) },
  { name: "hello: wall", unit: "ms", ...run("hello", wall) },
  { name: "loop-50: wall", unit: "ms", ...run("loop-50", wall), target: times(1.3) },
  { name: "loop-50: wall, mode auto", unit: "ms", ...run("loop-50", wall, "auto"), target: times(1.8) },
  { name: "git-50: wall", unit: "ms", ...run("git-50", wall), target: times(1.25) },
  { name: "git-50: wall, mode auto", unit: "ms", ...run("git-50", wall, "auto"), target: times(1.8) },
  { name: "loop-500: wall", unit: "ms", ...run("loop-500", wall), target: times(1.6) },
  { name: "loop-500: gap of a read, early", unit: "ms", ...gap("read", early), target: above(3) },
  { name: "loop-500: gap of a read, late", unit: "ms", ...gap("read", late), target: above(3) },
  { name: "loop-500: growth of that gap", unit: "ms", ...growth("read"), target: above(1) },
  { name: "loop-500: gap of a grep, late", unit: "ms", ...gap("grep", late) },
  { name: "loop-500: gap of an edit, late", unit: "ms", ...gap("edit", late) },
  { name: "loop-500: gap of a bash, late", unit: "ms", ...gap("bash", late) },
  { name: "loop-500: peak memory", unit: "MB", ...run("loop-500", peak), target: times(1.5) },
  {
    name: "loop-500: hiding twenty secrets (floor: the run)",
    unit: "ms",
    floor: (m) => median(m.masked.map(wall)),
    indus: (m) => median(m.masked.map(({ maskingMs }) => maskingMs)),
    target: times(0.02),
  },
  { name: "big-output: gap", unit: "ms", ...run("big-output", firstGap), target: times(1.5) },
  { name: "big-output: peak memory", unit: "MB", ...run("big-output", peak) },
  { name: "stream: wall", unit: "ms", ...run("stream", wall), target: times(1.4) },
  { name: "fanout: ten sleeps of 300 ms", unit: "ms", ...run("fanout", firstGap), target: atMost(350) },
  {
    name: "resume of 500 turns: first request (floor: hello)",
    unit: "ms",
    floor: (m) => median(m.runs.indus.hello.map(firstRequest)),
    indus: (m) => median(m.resumed.map(firstRequest)),
    target: above(50),
  },
  { name: "installed", unit: "MB", indus: (m) => m.installedMb, target: atMost(30) },
];

/** The table: figure, floor, indus, ratio, target, verdict. Medians over the rounds. */
export function figureTable(measured: Measured): string {
  const rows = figures.flatMap((figure) => {
    const floor = figure.floor?.(measured);
    const indus = figure.indus(measured);
    if (indus === undefined) return [];
    const ratio = floor === undefined || floor <= 0 ? "" : `${(indus / floor).toFixed(2)} ×`;
    return [
      [
        figure.name,
        amount(floor, figure.unit),
        amount(indus, figure.unit),
        ratio,
        ...verdict(figure.target, indus, floor),
      ],
    ];
  });
  return alignedTable([["figure", "floor", "indus", "ratio", "target", ""], ...rows]);
}

/** The median, the lower of two; undefined for no values. */
export function median(values: readonly (number | undefined)[]): number | undefined {
  const sorted = values.filter((value) => value !== undefined).sort((left, right) => left - right);
  return sorted[Math.ceil(sorted.length / 2) - 1];
}

function verdict(target: Target | undefined, indus: number, floor: number | undefined): [string, string] {
  if (target === undefined) return ["", ""];
  const { kind, limit } = target;
  const text = { times: `≤ ${limit} ×`, above: `≤ floor + ${limit}`, atMost: `≤ ${limit}` }[kind];
  if (kind !== "atMost" && floor === undefined) return [text, "no floor"];
  const allowed = { times: (floor ?? 0) * limit, above: (floor ?? 0) + limit, atMost: limit }[kind];
  return [text, indus <= allowed ? "ok" : "MISSED"];
}

type Row = Pick<Figure, "floor" | "indus"> & { readonly floor: (measured: Measured) => number | undefined };

function start(name: StartName): Row {
  return { floor: (m) => median(m.starts.nothing.map(wall)), indus: (m) => median(m.starts[name].map(wall)) };
}

function run(
  scenario: ScenarioName,
  value: (sample: RunSample) => number | undefined,
  program: ProgramName = "indus",
): Row {
  return {
    floor: (m) => median(m.runs.floor[scenario].map(value)),
    indus: (m) => median(m.runs[program][scenario].map(value)),
  };
}

interface Turns {
  readonly from: number;
  readonly to: number;
}

function gap(operation: Operation, turns: Turns): Row {
  return {
    floor: (m) => medianGap(m.runs.floor["loop-500"], operation, turns),
    indus: (m) => medianGap(m.runs.indus["loop-500"], operation, turns),
  };
}

function growth(operation: Operation): Row {
  const [atStart, atEnd] = [gap(operation, early), gap(operation, late)];
  return {
    floor: (m) => difference(atEnd.floor(m), atStart.floor(m)),
    indus: (m) => difference(atEnd.indus(m), atStart.indus(m)),
  };
}

function medianGap(
  samples: readonly RunSample[],
  operation: Operation,
  { from, to }: Turns,
): number | undefined {
  const ofOperation = (_: number, index: number): boolean =>
    index >= from && index < to && loopOperation(index) === operation;
  return median(samples.flatMap((sample) => sample.gapsMs.filter(ofOperation)));
}

function difference(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? undefined : left - right;
}

function wall(sample: ProcessSample): number {
  return sample.wallMs;
}

function peak(sample: ProcessSample): number | undefined {
  return sample.peakRssMb;
}

function firstRequest(sample: RunSample): number {
  return sample.firstRequestMs;
}

function firstGap(sample: RunSample): number | undefined {
  return sample.gapsMs[0];
}

function amount(value: number | undefined, unit: string): string {
  if (value === undefined) return "";
  return `${Math.abs(value) < 20 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
