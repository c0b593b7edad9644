// The benchmark: runs the floor and indus in turn, in fresh homes, against a scripted model on loopback, and prints one
// table. A missed target is printed plainly and is not an error. Arguments: scenario names; default: all.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSandbox } from "../packages/induscode/src/addons/sandbox/sandbox.ts";
import { figureTable, type Measured, type StartName } from "./figures.ts";
import { measureInstalledMb } from "./installed-size.ts";
import { measureMasking, secretEnvironment } from "./masking.ts";
import { type Launch, measureProcess, measureRun, type ProcessSample, type RunSample } from "./measure.ts";
import { launcher, type ProgramName, programs, type RunPlace, resumeIndus } from "./programs.ts";
import { countEdits, makeWorkFolder, type Scenario, type ScenarioName, scenarios } from "./scenarios.ts";

const startRounds = 15;
const inDefaultMode: readonly ScenarioName[] = ["loop-50", "git-50"];
const hasBubblewrap = createSandbox({ prefer: "bubblewrap" }).strong() !== undefined;
const scenarioNames = Object.keys(scenarios) as ScenarioName[];
const parts: readonly string[] = ["start", ...scenarioNames, "resume", "masking", "installed"];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !parts.includes(name));
if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(", ")}: there are ${parts.join(", ")}`);
const wanted = (name: string): boolean => asked.length === 0 || asked.includes(name);

const folder = mkdtempSync(join(tmpdir(), "indus-bench-"));
let placeNumber = 0;

try {
  const measured = await measureAll();
  const results = fileURLToPath(new URL("results/", import.meta.url));
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, "latest.json"), JSON.stringify(measured));
  console.log(
    `\n${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${platform()} ${arch()}, Node ${process.versions.node}, medians\n`,
  );
  console.log(figureTable(measured));
  if (!hasBubblewrap) console.log("\nThe default mode was not measured: bubblewrap does not work here.");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureAll(): Promise<Measured> {
  const starts: Record<StartName, ProcessSample[]> = { help: [], nothing: [], version: [] };
  if (wanted("start")) await part("start", () => measureStarts(starts));

  const runs = { floor: noRuns(), indus: noRuns(), auto: noRuns() };
  for (const name of scenarioNames.filter(wanted)) {
    await part(name, async () => {
      await measureOnce("indus", name); // unmeasured: it loads the files from the disk
      for (let round = 0; round < scenarios[name].rounds; round += 1) {
        for (const program of programsOf(name)) runs[program][name].push(await measureOnce(program, name));
      }
    });
  }

  const resumed: RunSample[] = [];
  if (wanted("resume")) await part("resume", () => measureResume(resumed));
  const masked: Measured["masked"][number][] = [];
  if (wanted("masking")) await part("masking", async () => void masked.push(await measureMasked()));
  let installedMb: number | undefined;
  if (wanted("installed")) {
    await part("installed", async () => {
      const target = join(folder, "installed");
      mkdirSync(target);
      installedMb = measureInstalledMb(target);
    });
  }
  return { starts, runs, resumed, masked, installedMb };
}

/** A part that fails is reported and left out of the table; the others continue, and the exit code is 1. */
async function part(name: string, measure: () => Promise<void>): Promise<void> {
  process.stderr.write(`bench: ${name} ...\n`);
  try {
    await measure();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(
      `bench: ${name} FAILED: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  }
}

/** The default mode is measured where commands run often. */
function programsOf(name: ScenarioName): readonly ProgramName[] {
  return ["floor", "indus", ...(hasBubblewrap && inDefaultMode.includes(name) ? (["auto"] as const) : [])];
}

function noRuns(): Record<ScenarioName, RunSample[]> {
  return { hello: [], "loop-50": [], "git-50": [], "loop-500": [], "big-output": [], stream: [], fanout: [] };
}

async function measureStarts(samples: Record<StartName, ProcessSample[]>): Promise<void> {
  const env = { PATH: process.env.PATH ?? "", INDUS_NODE: process.execPath };
  const start = (command: string, ...args: string[]): Promise<ProcessSample> =>
    measureProcess({ command, args, cwd: folder, env });
  await start(launcher, "--help");
  for (let round = 0; round < startRounds; round += 1) {
    samples.nothing.push(await start(process.execPath, "-e", "0"));
    samples.version.push(await start(launcher, "--version"));
    samples.help.push(await start(launcher, "--help"));
  }
}

async function measureResume(samples: RunSample[]): Promise<void> {
  const place = newPlace();
  await measureIn(place, "loop-500", programs.indus);
  for (let round = 0; round < scenarios.hello.rounds; round += 1) {
    samples.push(await measureIn(place, "hello", resumeIndus));
  }
}

async function measureMasked(): Promise<Measured["masked"][number]> {
  const place = newPlace();
  const sample = await measureIn(place, "loop-500", (given) => {
    const launch = programs.indus(given);
    return { ...launch, env: { ...launch.env, ...secretEnvironment } };
  });
  const { maskingMs, megabytes } = measureMasking(place.home);
  process.stderr.write(`bench: masking read ${megabytes.toFixed(1)} MB of log\n`);
  return { ...sample, maskingMs };
}

async function measureOnce(program: ProgramName, name: ScenarioName): Promise<RunSample> {
  const scenario: Scenario = scenarios[name];
  const place = newPlace(scenario.isRepository);
  const sample = await measureIn(place, name, programs[program]);
  rmSync(place.home, { recursive: true, force: true });
  rmSync(place.workFolder, { recursive: true, force: true });
  return sample;
}

/** Also checks the work folder: a program that is fast because it did nothing gets no figure. */
async function measureIn(
  place: Omit<RunPlace, "baseUrl">,
  name: ScenarioName,
  launch: (place: RunPlace) => Launch,
): Promise<RunSample> {
  const scenario: Scenario = scenarios[name];
  const sample = await measureRun(name, (baseUrl) => launch({ ...place, baseUrl }));
  const edits = countEdits(place.workFolder);
  if (scenario.edits !== undefined && edits !== scenario.edits) {
    throw new Error(`${name}: the files show ${edits} edits, expected ${scenario.edits}`);
  }
  return sample;
}

function newPlace(isRepository = false): Omit<RunPlace, "baseUrl"> {
  const number = placeNumber++;
  const workFolder = join(folder, `work-${number}`);
  makeWorkFolder(workFolder, isRepository);
  return { workFolder, home: join(folder, `home-${number}`) };
}
