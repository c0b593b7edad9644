// One cell of the matrix: a command with an addon whose process dies at some moment, and a good one next to it. The real command
// runs in a process of its own, where nothing else is alive that could keep it waiting.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dyingAddon, KINDS, type Kind, type Moment, momentsOf } from "./dying-addon.ts";
import { createWorkplace, type Finished, type Workplace } from "./indus.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { covering, valuesOf } from "./pairs.ts";
import { openTerminal } from "./terminal.ts";

export const COMMANDS = ["addons", "check", "test", "print", "json", "console", "rehearsal"] as const;
export type CommandName = (typeof COMMANDS)[number];

export interface Cell {
  readonly kind: Kind;
  readonly moment: Moment;
  readonly command: CommandName;
}

/** Every possible cell: a command that only loads an addon never calls it, so the later moments do not occur. */
export function allCells(): readonly Cell[] {
  return COMMANDS.flatMap((command) =>
    KINDS.flatMap((kind) =>
      momentsOf(kind)
        .filter((moment) => !(isLook(command) && (moment === "first call" || moment === "between calls")))
        .map((moment) => ({ kind, moment, command })),
    ),
  );
}

/** As few cells as hold every kind, moment and command; always the same ones. */
export function representativeCells(): readonly Cell[] {
  return covering(allCells(), ({ kind, moment, command }) => valuesOf({ kind, moment, command }));
}

export function nameOf({ kind, moment, command }: Cell): string {
  return `${command} x ${kind} x ${moment}`;
}

/**
 * The problem of each cell that failed; `lanes` run in parallel, and next to them those that only wait for a deadline, which
 * take ten seconds each and almost no processor time.
 */
export async function runCells(cells: readonly Cell[], lanes: number): Promise<readonly string[]> {
  const wrong: string[] = [];
  const inLanes = async (own: readonly Cell[], count: number): Promise<void> => {
    const rest = [...own];
    const work = async (): Promise<void> => {
      for (let cell = rest.shift(); cell; cell = rest.shift()) {
        const problem = await runCell(cell).catch((error: unknown) => String(error));
        if (problem !== undefined) wrong.push(`${nameOf(cell)}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: count }, work));
  };
  const isWaiting = ({ moment }: Cell): boolean => moment === "closed output";
  await Promise.all([
    inLanes(
      cells.filter((cell) => !isWaiting(cell)),
      lanes,
    ),
    inLanes(cells.filter(isWaiting), WAITING_LANES),
  ]);
  return wrong;
}

const WAITING_LANES = 16;

/** Undefined if everything was as expected. */
async function runCell(cell: Cell): Promise<string | undefined> {
  let mayAnswer = (): void => undefined;
  const named = new Promise<void>((resolve) => {
    mayAnswer = resolve;
  });
  const isHeld = isUnheard(cell) && !isOffline(cell.command);
  const server = await startModelServer((_, index) => ({
    ...(index === 0
      ? { calls: [{ name: "webfetch", input: { url: "https://example.com" } }] }
      : { text: DONE }),
    // A death between calls is reported as soon as it is noticed; the session lasts until then.
    ...(isHeld && index === 1 ? { trouble: { kind: "held", until: named } as const } : {}),
  }));
  try {
    const place = createWorkplace(server.url);
    await lay(place, cell);
    const onOutput = (text: string): void => {
      if (DIED.test(text)) mayAnswer();
    };
    const finished = await runCommand(cell.command, { place, server, onOutput });
    return problemIn(cell, finished, place);
  } finally {
    await server.close();
  }
}

const DONE = "The work is done.";
/** Reported for an addon that broke while idle, or that failed in a call. */
const DIED = /the addon wrong failed|user:wrong failed|addons\/wrong(?:\/[\w.]+)?: /;
const LOOKED = "the good addon looked";

/** It dies while nothing waits for it. */
function isUnheard({ moment }: Cell): boolean {
  return moment === "after describe" || moment === "between calls";
}

function isOffline(command: CommandName): boolean {
  return command === "test" || command === "rehearsal" || isLook(command);
}

/** It starts no session. */
function isLook(command: CommandName): boolean {
  return command === "addons" || command === "check";
}

async function lay(place: Workplace, { kind, moment, command }: Cell): Promise<void> {
  const addons = join(place.home, "addons");
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(addons, path)), { recursive: true });
    writeFileSync(join(addons, path), content);
  };
  for (const [name, content] of Object.entries(await dyingAddon(kind, moment)))
    write(`wrong/${name}`, content);
  const gate = `[[gate]]\nevent = "tool:before"\nmatch-tool = "webfetch"\nreason = "${LOOKED}"\n`;
  write("xgood/manifest.toml", `id = "xgood"\n${gate}[[command]]\nname = "xgood"\nsummary = "is there"\n`);
  if (command === "test") write("wrong/cassette.jsonl", CASSETTE);
  place.settings({ localServers: [], addons: { grant: ["wrong", "xgood"] } });
}

const reply = (...content: readonly unknown[]): unknown => ({ message: { role: "assistant", content } });
const CASSETTE: string = [
  { cassette: 1, about: "a call, and an answer" },
  { turn: 1, reply: reply({ kind: "tool_call", id: "c1", name: "ls", input: { path: "." } }) },
  { turn: 2, reply: reply({ kind: "text", text: DONE }) },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");

interface Scene {
  readonly place: Workplace;
  readonly server: ModelServer;
  readonly onOutput: (text: string) => void;
}

const MODEL = ["--model", "anthropic/scripted", "--permission-mode", "bypass"];

async function runCommand(command: CommandName, { place, server, onOutput }: Scene): Promise<Finished> {
  const addon = join(place.home, "addons/wrong");
  const args: Readonly<Record<Exclude<CommandName, "console">, readonly string[]>> = {
    addons: ["addons"],
    check: ["addon", "check", addon],
    test: ["addon", "test", addon],
    print: ["-p", "go", ...MODEL],
    json: ["--json", "go", ...MODEL],
    rehearsal: ["--rehearse"],
  };
  if (command !== "console")
    return place.run(args[command], {
      onStart({ stdout, stderr }) {
        let text = "";
        const hear = (chunk: Buffer): void => {
          text += chunk.toString(); // all of it: what is looked for may stand before a long line in one chunk
          onOutput(text);
        };
        for (const pipe of [stdout, stderr]) pipe?.on("data", hear);
      },
    });
  const terminal = openTerminal({ console: "plain", place, url: server.url, args: MODEL, columns: 300 });
  await terminal.waitFor(/\n› ?$/);
  terminal.type("go\r");
  const watch = setInterval(() => onOutput(terminal.screen().split("› go").at(-1) ?? ""), 50);
  try {
    await terminal.waitFor(DONE);
    terminal.type("/addons\r");
    await terminal.waitFor("user:xgood");
    terminal.type("/quit\r");
    const code = await terminal.left;
    return { code, stdout: terminal.screen(), stderr: "" };
  } finally {
    clearInterval(watch);
  }
}

function problemIn(cell: Cell, { code, stdout, stderr }: Finished, place: Workplace): string | undefined {
  const said = stdout + stderr;
  const codes = codesOf(cell);
  const told = toldIn(cell, { stdout, stderr });
  const wrong = [
    ...(code !== null && codes.includes(code) ? [] : [`exit code ${code}, not ${codes.join(" or ")}`]),
    ...(said.trim() === "" ? ["a silent end"] : []),
    ...lacking(cell, said, place),
    ...(mustBeNamed(cell) && !NAMED.test(told) ? ["the addon is not named with what happened"] : []),
    ...(cell.moment === "never" && FAULT.test(told) ? ["a fault is told of an addon that did nothing"] : []),
    ...(said.includes("defect of indus") ? ["the host broke"] : []),
  ];
  return wrong.length === 0 ? undefined : `${wrong.join("; ")}\n${said.slice(-3_000)}`;
}

// With bubblewrap in between, which holds the output open, the start misses its deadline instead.
const NAMED =
  /\bwrong\b.*(?:exit code|exited with code|killed by|closed its output|did not register|unreachable|JSON|failed)/i;
const FAULT = /fault|addon wrong failed|exit code|exited with code|problem:/i;

/** The output that reports faults: not what the model was sent, nor the failing tests of the rehearsal. */
function toldIn({ command, moment }: Cell, { stdout, stderr }: Pick<Finished, "stdout" | "stderr">): string {
  if (command === "rehearsal" && moment === "never") return stderr;
  if (command !== "json") return stdout + stderr;
  const events = stdout.split("\n").filter((line) => line.startsWith('{"type":"fault"'));
  return [stderr, ...events].join("\n");
}

/** What is missing from the output of the good addon and of the work. */
function lacking({ command }: Cell, said: string, place: Workplace): readonly string[] {
  const lacks = (what: string, isThere: boolean): readonly string[] => (isThere ? [] : [what]);
  switch (command) {
    case "addons":
      return lacks("the good addon is not listed", /^user:xgood {2}enabled/m.test(said));
    case "check":
      return lacks("no verdict", /^(?:\d+ problems?|good\b.*)$/m.test(said));
    case "test":
      return lacks("no verdict", /of 2 turns of the cassette played|was not loaded/.test(said));
    case "rehearsal":
      return lacks(
        "the rehearsal did not end",
        said.includes("it really happened") || said.includes("really happened"),
      );
    case "print":
    case "json":
    case "console":
      return [
        ...lacks("no answer", said.includes(DONE) || /"text":"[^"]*done\."/.test(said)),
        ...lacks("the good addon's gate stood open", JSON.stringify(place.entries()).includes(LOOKED)),
      ];
  }
}

function isLoadFailure({ moment }: Cell): boolean {
  return ["before the first byte", "half a frame", "closed output", "during describe"].includes(moment);
}

function codesOf(cell: Cell): readonly number[] {
  const { command, moment } = cell;
  if (command !== "check" && command !== "test") return [0];
  if (isLoadFailure(cell)) return [1];
  if (command === "check" || moment === "never") return [0];
  return isUnheard(cell) ? [0, 1] : [1]; // whether the short test notices it depends on timing
}

function mustBeNamed(cell: Cell): boolean {
  if (cell.moment === "never") return false;
  if (isLoadFailure(cell)) return true;
  if (isLook(cell.command)) return false; // nothing of it is lost
  return !(isUnheard(cell) && isOffline(cell.command));
}
