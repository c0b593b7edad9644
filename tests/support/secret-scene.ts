// A session in which everything reveals a secret in every way: an addon that was granted it, commands, jobs, the model, the
// person. And what came out of it, place by place.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Entry } from "../../packages/induscode/src/conductor/contract.ts";
import { createWorkplace, type Finished, type Workplace } from "./indus.ts";
import {
  type ModelServer,
  type RecordedRequest,
  type ScriptedTurn,
  startModelServer,
} from "./model-server.ts";

/** Granted to addons, under a name that reveals nothing. Every form of it is a different text. */
export const SECRET = 'Qx7"é/z+ %Lm2v';
const NAME = "FLEET_CODE";
const CUT = 6;

/** The ways to write it, by name. */
export const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  whole: (secret) => secret,
  json: (secret) => JSON.stringify(secret).slice(1, -1),
  url: encodeURIComponent,
  base64: (secret) => Buffer.from(secret).toString("base64").replace(/.=+$/, ""),
  base64on: (secret) => Buffer.from(`x${secret}`).toString("base64").slice(2).replace(/.=*$/, ""),
  base64url: (secret) => Buffer.from(`xy${secret}`).toString("base64url").slice(3).replace(/.$/, ""),
};

/** The lines that reveal it, each with the name of its form. */
function lines(secret: string): string {
  return Object.entries(FORMS)
    .map(([form, write]) => `${form}: ${write(secret)} .\n`)
    .join("");
}

const ADDON = `// /// indus-addon
// [[capability]]
// kind = "secret"
// id = "${NAME}"
// reason = "tells it everybody"
// [[capability]]
// kind = "alert"
// reason = "tells the person"
// [[capability]]
// kind = "model_notification"
// reason = "tells the model"
// ///
import { setTimeout as wait } from "node:timers/promises";
import { type AddonSurface, gate } from "induscode/addons";

export function register(surface: AddonSurface): void {
  const { host } = surface;
  const forms = {
    whole: (secret: string) => secret,
    json: (secret: string) => JSON.stringify(secret).slice(1, -1),
    url: encodeURIComponent,
    base64: (secret: string) => Buffer.from(secret).toString("base64"),
    base64on: (secret: string) => Buffer.from("x" + secret).toString("base64"),
    base64url: (secret: string) => Buffer.from("xy" + secret).toString("base64url"),
  };
  const lines = async (): Promise<string[]> => {
    const secret = await host.secret("${NAME}");
    return Object.entries(forms).map(([form, write]) => form + ": " + write(secret) + " .");
  };
  surface.addTool({
    name: "tell",
    description: "Tells it.",
    parameters: { type: "object", properties: {} },
    async run() {
      const secret = await host.secret("${NAME}");
      const told = await lines();
      await host.alert("alert " + told.join(" "));
      await host.notify(told.join("\\n"));
      host.diagnostic("warning", "diagnostic " + told.join(" "));
      host.log(told.join("\\n"));
      for (const line of told) process.stderr.write("stderr " + line + "\\n");
      process.stderr.write("split: " + secret.slice(0, ${CUT}));
      await wait(300);
      process.stderr.write(secret.slice(${CUT}) + " .\\n");
      return { content: [{ kind: "text", text: told.join("\\n") }, { kind: "json", value: { [secret]: told } }] };
    },
  });
  for (const name of ${JSON.stringify(lines(SECRET).trim().split("\n"))})
    surface.addTool({ name, description: "Has a name that is none.", parameters: { type: "object" }, run: () => "never" });
  surface.on("input:submit", gate(async () => {
    throw new Error("fault " + (await lines()).join(" "));
  }));
  surface.addCommand("tell-me", { summary: "tells the person", run: async ({ say }) => say((await lines()).join("\\n")) });
}
`;

const split = `cat first; touch seen; while [ ! -e go ]; do sleep 0.05; done; cat second; touch done`;

const TURNS: readonly ScriptedTurn[] = [
  {
    thinking: lines(SECRET),
    text: lines(SECRET),
    pieces: 37,
    calls: [
      { name: "tell", input: {} },
      { name: "read", input: { path: "lines.txt" } },
      { name: "bash", input: { command: "cat lines.txt; cat first; sleep 0.2; cat second" } },
      { name: "bash", input: { command: `echo ${lines(SECRET)}` } },
      { name: "process", input: { action: "start", command: split } },
    ],
  },
  { calls: [{ name: "bash", input: { command: "until [ -e seen ]; do sleep 0.05; done; sleep 0.3" } }] },
  { calls: [{ name: "process", input: { action: "poll", id: "job-1" } }] },
  {
    calls: [
      { name: "bash", input: { command: "touch go; until [ -e done ]; do sleep 0.05; done; sleep 0.3" } },
    ],
  },
  { calls: [{ name: "process", input: { action: "poll", id: "job-1" } }] },
  { text: "Done." },
];

/** Fails until it is quarantined: the reason is kept in a file. */
const BREAKER = `// /// indus-addon
// [[capability]]
// kind = "secret"
// id = "${NAME}"
// reason = "tells it in its faults"
// ///
import { type AddonSurface, gate } from "induscode/addons";

export function register(surface: AddonSurface): void {
  surface.on("tool:before", gate(async () => {
    throw new Error(await surface.host.secret("${NAME}"));
  }));
}
`;

/** Puts it into a command, which the person is asked about. */
export const SMUGGLER: string = `// /// indus-addon
// [[capability]]
// kind = "secret"
// id = "${NAME}"
// reason = "puts it into a command"
// [[capability]]
// kind = "files"
// execute = true
// reason = "changes commands"
// ///
import type { AddonSurface } from "induscode/addons";

export function register(surface: AddonSurface): void {
  surface.interceptTool("bash", {
    enter: async () => ({ args: { command: "echo " + (await surface.host.secret("${NAME}")) } }),
  });
}
`;

/** What indus wrote, printed and sent. */
export interface Traces {
  readonly place: Workplace;
  readonly outputs: readonly Finished[];
  readonly requests: readonly RecordedRequest[];
}

export interface SecretScene {
  /** The output at each place, as a person or a program reads it. */
  readonly places: Readonly<Record<string, string>>;
  /** The whole raw output, byte by byte. */
  readonly everything: string;
}

const FLAGS = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "telltale"];
const TAPE = "tape.jsonl";

/** Plays the session in each mode that needs no terminal. */
export async function playSecretScene({ isMasked }: { readonly isMasked: boolean }): Promise<SecretScene> {
  const printed = await play(isMasked, (place) => [
    ["-p", lines(SECRET), ...FLAGS, "--grant", "breaker", "--record", join(place.cwd, TAPE)],
    ["session", "verify"],
  ]);
  const json = await play(isMasked, () => [["--json", lines(SECRET), ...FLAGS]]);
  const asked = await play(isMasked, () => [
    ["addons", "--grant", "telltale"],
    ["-p", "/tell-me", ...FLAGS],
    ["session", "verify", lines(SECRET)],
  ]);
  const everything = [printed, json, asked].flatMap(({ place, outputs, requests }) => [
    ...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ...requests.map(({ rawBody }) => rawBody),
    ...filesBelow(place.home),
    ...(existsSync(join(place.cwd, TAPE)) ? [readFileSync(join(place.cwd, TAPE), "utf8")] : []),
  ]);
  return {
    places: { ...placesOfPrint(printed), ...placesOfJson(json), ...placesOfCommands(asked) },
    everything: everything.join("\n"),
  };
}

function placesOfPrint({ place, outputs, requests }: Traces): SecretScene["places"] {
  const [run, verified] = outputs;
  const entries = place.entries();
  const logged = (type: Entry["type"], name?: string): string =>
    textsIn(entries.filter((entry) => entry.type === type && (!name || (entry as JsonLine).name === name)));
  const told = (label: string): string =>
    (run?.stderr ?? "")
      .split("\n")
      .filter((line) => line.includes(label))
      .join("\n");
  return {
    "the result of an addon's tool": logged("tool", "tell"),
    "the result of read": logged("tool", "read"),
    "the output of a command": logged("tool", "bash"),
    "the output of a job": entries
      .map((entry) => (entry.type === "tool" && entry.name === "process" ? entry.text : ""))
      .map((text) => text.replaceAll(JOB_FRAME, ""))
      .join(""),
    "the model's message in the log": logged("assistant"),
    "the person's line in the log": logged("user"),
    "a notice": logged("notice"),
    "an alert": told(" alert "),
    "a diagnostic": told(" diagnostic "),
    "a fault": told(" fault "),
    "an addon's log": readFileSync(join(place.home, "logs", "addons", "telltale.log"), "utf8"),
    "the list of the quarantine": textsIn(readJson(join(place.home, "quarantine.json"))),
    "a cassette": textsIn(readJsonLines(readFileSync(join(place.cwd, TAPE), "utf8"))),
    "the requests": textsIn(requests.map(({ body }) => body)),
    "what verifies the log": verified?.stdout ?? "",
  };
}

/** The text around a job's output, removed so that the outputs of two polls can be read as one text. */
const JOB_FRAME = /^Started [^\n]*|^stdout:\n|\njob-1 [^\n]*$|\n(?=job-1 )/g;

function placesOfJson({ outputs }: Traces): SecretScene["places"] {
  const objects = readJsonLines(outputs[0]?.stdout ?? "");
  const streamed = (kind: "text" | "thinking"): string =>
    objects
      .filter((object) => object.type === "delta" && object.kind === kind)
      .map(({ text }) => text)
      .join("");
  const said = (type: string): string => textsIn(objects.filter((object) => object.type === type));
  return {
    "an alert in --json": said("alert"),
    "a fault in --json": said("fault"),
    "the title of a call in --json": said("tool_start"),
    "the text that streams in --json": streamed("text"),
    "the thinking that streams in --json": streamed("thinking"),
  };
}

function placesOfCommands({ outputs: [listed, told, complained] }: Traces): SecretScene["places"] {
  return {
    "a report": listed?.stdout ?? "",
    "what a command says": told?.stdout ?? "",
    "a complaint": complained?.stderr ?? "",
  };
}

/** The folder and the settings of the scene. */
export async function createSecretPlace(
  isMasked: boolean,
): Promise<{ readonly place: Workplace; readonly server: ModelServer }> {
  const server = await startModelServer(TURNS);
  const place = createWorkplace(server.url);
  place.settings({ localServers: [], ...(isMasked ? {} : { unmaskedSecrets: [NAME] }) });
  place.file(".indus/addons/telltale.ts", ADDON);
  place.file(".indus/addons/breaker.ts", BREAKER);
  place.file("lines.txt", lines(SECRET));
  place.file("first", `split: ${SECRET.slice(0, CUT)}`);
  place.file("second", `${SECRET.slice(CUT)} .\n`);
  return { place, server };
}

/** Without a loaded addon, it is known by the other name. */
export function secretEnvironment(isMasked: boolean): Readonly<Record<string, string>> {
  return { [NAME]: SECRET, ...(isMasked ? { DB_PASSWORD: SECRET } : {}) };
}

async function play(
  isMasked: boolean,
  runs: (place: Workplace) => readonly (readonly string[])[],
): Promise<Traces> {
  const { place, server } = await createSecretPlace(isMasked);
  try {
    const outputs: Finished[] = [];
    for (const args of runs(place)) outputs.push(await place.run(args, { env: secretEnvironment(isMasked) }));
    return { place, outputs, requests: server.requests };
  } finally {
    await server.close();
  }
}

type JsonLine = Readonly<Record<string, unknown>>;

function readJsonLines(text: string): readonly JsonLine[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonLine);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Every string and key in a JSON value, one per line. */
function textsIn(value: unknown): string {
  if (typeof value === "string") return `${value}\n`;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([key, item]) => `${key}\n${textsIn(item)}`)
    .join("");
}

function filesBelow(folder: string): readonly string[] {
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      // Registrations of addons are cached as in their files; this addon's file contains the secret, for the report.
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("/cache/"))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
  );
}
