// What a folder and a server contribute, drawn: settings files, manifests, an addon's schemas, an MCP server's answers. Nothing of it
// ends or blocks the command, and each part that is lost is named. `CONTRIBUTIONS=100000` says how many, all kinds together.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { stringify } from "smol-toml";
import { afterAll, expect, it } from "vitest";
import { isTable, type JsonObject, type JsonValue } from "../../packages/indusagi/src/core/json-value.ts";
import { PARTS } from "../../packages/induscode/src/boot/parts.ts";
import type { FeatureInstallReport } from "../../packages/induscode/src/feature/install-report.ts";
import { loadSettings } from "../../packages/induscode/src/settings/load-settings.ts";
import { serverManifest } from "../support/odd-mcp-server.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { drawChanged, drawSchema, HOW_MANY, SEED } from "./contributions.ts";
import { type Draw, drawFrom, mixSeeds } from "./draw.ts";
import { CALLED, DRAWN_SERVER, drawAnswers } from "./mcp-answers.ts";
import { watchPrototypes } from "./property.ts";

watchPrototypes();

const base = mkdtempSync(join(tmpdir(), "indus-fuzz-files-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const MODEL = ["--model", "anthropic/scripted"];
const GO = ["-p", "go", ...MODEL];

const SETTINGS: JsonObject = {
  model: "anthropic/scripted",
  thinking: "high",
  fallbackModels: ["openai/a"],
  retryMinutes: 1,
  maxTurns: 90,
  maxCost: 5,
  providers: [{ id: "p", kind: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1" }],
  localServers: [],
  console: "plain",
  features: { "builtin:web": false },
  addons: { grant: ["a"], grantIn: { "/a": ["b"] }, required: [], paths: [], requireSandbox: false },
  onGateFailure: "allow",
  sandbox: "off",
  network: "on",
  permissions: { mode: "acceptEdits", allow: ["read(a)"], ask: ["bash(b)"], deny: ["write(/c)"] },
};

const PRICED = { "anthropic/scripted": { price: { input: 1, output: 1 } } };

/** The text of a settings file, which may end in the middle. */
function drawSettings(draw: Draw): string {
  const text = JSON.stringify(drawChanged(draw, SETTINGS));
  return draw.below(20) === 0 ? text.slice(0, draw.below(text.length)) : text;
}

/** What of `given` is neither in `taken` nor named in one of the lines. */
function lostWithoutAWord(
  given: JsonValue | undefined,
  taken: JsonObject,
  lines: readonly string[],
): readonly string[] {
  if (!isTable(given)) return lines.length === 0 ? ["all of it"] : [];
  const unknown = lines.some((line) => line.includes("more names"));
  return Object.entries(given).flatMap(([key, value]) => {
    const own = Object.hasOwn(taken, key) ? taken[key] : undefined;
    const isTaken = isDeepStrictEqual(
      own,
      key === "permissions" && isTable(value) ? { ask: [], deny: [], ...value } : value,
    );
    const isNamed = lines.some((line) => line.includes(`"${key.slice(0, 20)}`));
    return isTaken || isNamed || unknown ? [] : [key];
  });
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

it("no settings file ends or blocks whoever reads it, and what is not taken is named", {
  timeout: 0,
}, async () => {
  const [home, cwd] = [join(base, "home"), join(base, "cwd")];
  mkdirSync(home);
  mkdirSync(join(cwd, ".indus"), { recursive: true });
  const managedPath = join(base, "managed.json");
  for (let at = 0; at < HOW_MANY * 0.4; at++) {
    const draw = drawFrom(mixSeeds(SEED, at));
    const isOwn = at % 2 === 0;
    const text = drawSettings(draw);
    writeFileSync(join(home, "settings.json"), isOwn ? text : "{}");
    writeFileSync(join(cwd, ".indus/settings.json"), isOwn ? "{}" : text);
    const { settings, narrowed, problems } = await loadSettings(home, cwd, PARTS, { managedPath });
    const taken = isOwn ? settings : { ...narrowed, permissions: settings.permissions };
    const lost = lostWithoutAWord(parsed(text), taken as unknown as JsonObject, problems);
    expect([at, text, problems, lost]).toEqual([at, text, problems, []]);
  }
});

it("nor a start of the command", { timeout: 0 }, async () => {
  let ran = 0;
  for (let at = 0; at < HOW_MANY / 500; at++) {
    const draw = drawFrom(mixSeeds(SEED + 1, at));
    const place = await createServedShared([{ text: "Done." }]);
    const [own, project] = [drawSettings(draw), drawSettings(draw)];
    if (at % 2 === 0) writeFileSync(join(place.home, "settings.json"), own);
    writeFileSync(join(place.home, "models.json"), JSON.stringify({ models: PRICED })); // for maxCost
    place.file(".indus/settings.json", project);
    const { code, stdout, stderr } = await place.run(GO);
    // A file of the person's that may have refused something stops the start, in words.
    const isRefused = at % 2 === 0 && code !== 0 && stderr.includes(join(place.home, "settings.json"));
    expect([at, own, project, code, stdout, stderr]).toEqual(
      isRefused ? [at, own, project, code, "", stderr] : [at, own, project, 0, "Done.\n", stderr],
    );
    if (!isRefused) ran++;
  }
  expect(ran).toBeGreaterThan(1);
});

const MANIFEST = (id: string): JsonObject => ({
  id,
  version: "1",
  description: "d",
  "on-failure": "allow",
  command: [
    { name: "c-one", summary: "s", exec: "true" },
    { name: "c-two", summary: "s" },
  ],
  gate: [
    { event: "tool:before", reason: "r", "match-tool": "bash", "match-arg": "command", glob: ["*x*"] },
    { event: "tool:before", reason: "r", "match-tool": "bash", "on-failure": "block" },
  ],
  provider: [
    { id: "p", wire: "chat", "base-url": "https://a.invalid/v1", model: [{ id: "m", images: true }] },
  ],
  capability: [{ kind: "network", purpose: "p", hosts: ["a.invalid"], reason: "r", required: false }],
});

/** TOML has no null and no letter by itself of a pair: such a value is written as JSON has it, which is a mistake in the file. */
function tomlOf(value: JsonValue): string {
  try {
    return stringify(value);
  } catch {
    return `id = ${JSON.stringify(value)}`;
  }
}

/** As {@link tomlOf} writes it. */
function declaredId(manifest: JsonValue): JsonValue | undefined {
  return isTable(manifest) ? (manifest as JsonObject).id : manifest;
}

function hasUnknown(manifest: JsonValue): boolean {
  return isTable(manifest) && Object.keys(manifest).some((key) => !Object.hasOwn(MANIFEST(""), key));
}

const saidOf = ({ faults, skipped }: FeatureInstallReport): readonly string[] => [
  ...faults.map(({ message }) => message),
  ...skipped.map(({ name, reason }) => `${name} ${reason}`),
];

/** Of one folder, in one start. */
const MANIFESTS = 150;

it("nor does a manifest: each addon is there, or named with what is wrong", { timeout: 0 }, async () => {
  let loaded = 0;
  let named = 0;
  for (let start = 0; start < (HOW_MANY * 0.2) / MANIFESTS; start++) {
    const draw = drawFrom(mixSeeds(SEED + 2, start));
    const place = await createServedShared([{ text: "Done." }]);
    const drawn = new Map(
      Array.from({ length: MANIFESTS }, (_, at) => [`m${at}x`, drawChanged(draw, MANIFEST(`m${at}x`))]),
    );
    for (const [id, manifest] of drawn) place.file(`.indus/addons/${id}/manifest.toml`, tomlOf(manifest));
    const grants = [...drawn.keys()].flatMap((id) => ["--grant", id]);
    const { code, stdout, stderr } = await place.run(["addons", "--json", ...grants]);
    expect([start, code, stderr]).toEqual([start, 0, ""]);
    const { features, skipped, problems } = JSON.parse(stdout) as Addons;
    const said = [...skipped, ...problems, ...features.flatMap(saidOf)];
    const present = new Set(features.map(({ feature }) => feature));
    const unsaid = [...drawn].filter(([id, manifest]) => {
      const isSaid = said.some((line) => line.includes(id));
      return !isSaid && (hasUnknown(manifest) || !present.has(`project:${declaredId(manifest)}`));
    });
    expect([start, unsaid]).toEqual([start, []]);
    loaded += present.size;
    named += said.length;
    const run = await place.run([...GO, ...grants]);
    expect([start, run.code, run.stdout, run.stderr]).toEqual([start, 0, "Done.\n", run.stderr]);
  }
  expect(Math.min(loaded, named)).toBeGreaterThan(10);
});

interface Addons {
  readonly features: readonly FeatureInstallReport[];
  readonly skipped: readonly string[];
  readonly problems: readonly string[];
}

it("nor do the schemas of an addon's program", { timeout: 0 }, async () => {
  for (let start = 0; start < HOW_MANY / 5_000; start++) {
    const draw = drawFrom(mixSeeds(SEED + 3, start));
    const schemas = Array.from({ length: 160 }, () => drawSchema(draw)).filter(isTable);
    const place = await createServedShared([{ text: "Done." }]);
    place.file(
      ".indus/addons/drawn.ts",
      `const schemas = JSON.parse(${JSON.stringify(JSON.stringify(schemas))});
export function register(surface) {
  schemas.forEach((parameters, at) => surface.addTool({ name: "n" + at, description: "d", parameters, run: async () => "ok" }));
}
`,
    );
    const { code, stdout, stderr } = await place.run([...GO, "--grant", "drawn"]);
    expect([start, code, stdout, stderr.includes("drawn: skipped")]).toEqual([start, 0, "Done.\n", true]);
    const { stdout: json } = await place.run(["addons", "--json", "--grant", "drawn"]);
    const { features } = JSON.parse(json) as Addons;
    const report = features.find(({ feature }) => feature === "project:drawn");
    expect([start, report && report.tools.length + report.skipped.length]).toEqual([start, schemas.length]);
  }
});

/** Of one server, in one session. */
const MCP = { tools: 150, calls: 400 };
const CALLS_IN_A_TURN = 40;

it("nor does an MCP server, whatever it lists, answers and sends unasked", { timeout: 0 }, async () => {
  for (let start = 0; start < (HOW_MANY * 0.4) / (MCP.tools + 2 * MCP.calls); start++) {
    const draw = drawFrom(mixSeeds(SEED + 4, start));
    const answers = drawAnswers(draw, MCP);
    const turns = MCP.calls / CALLS_IN_A_TURN;
    let hasTools = false;
    const place = await createServedShared(({ rawBody }, at) => {
      if (at === 0) hasTools = rawBody.includes('"mcp__drawn__one"');
      if (!hasTools || at === turns) return { text: "Done." };
      return { text: "On it.", calls: callsOf(CALLS_IN_A_TURN) };
    });
    place.settings({ localServers: [], addons: { toolBytes: 10_000_000 } }); // all are described
    place.file(".indus/addons/drawn/manifest.toml", serverManifest("drawn", ["node", "server.mjs"]));
    place.file(".indus/addons/drawn/server.mjs", DRAWN_SERVER);
    place.file(".indus/addons/drawn/answers.json", JSON.stringify(answers));
    const trusted = ["--grant", "drawn"];
    const { code, stdout, stderr } = await place.run([...GO, "--permission-mode", "bypass", ...trusted]);
    expect([start, code, stdout, stderr]).toEqual([start, 0, "Done.\n", stderr]);
    expect([start, place.problems()]).toEqual([start, []]);
    const outcomes = place.entries().filter((entry) => entry.type === "tool");
    expect([start, outcomes.length]).toEqual([start, hasTools ? MCP.calls : 0]);
    const { stdout: json } = await place.run(["addons", "--json", ...trusted]);
    const { features, problems } = JSON.parse(json) as Addons;
    const report = features.find(({ feature }) => feature === "project:drawn");
    const faults = report?.faults ?? [];
    // Beside those that it lists, the two for its resources.
    const listed = report?.tools.filter((tool) => !/__(?:list_resources|read_resource)$/.test(tool)) ?? [];
    const known = listed.length + (report?.skipped.length ?? 0);
    // A server whose first answer cannot be read has no tools, and that is said.
    // Two may have drawn one name.
    const others = faults.filter(({ kind }) => kind !== "conflict");
    if (hasTools) expect([start, known, others]).toEqual([start, answers.tools.length, []]);
    else expect([start, faults.length + problems.length > 0]).toEqual([start, true]);
  }
});

const callsOf = (length: number): readonly { readonly name: string; readonly input: object }[] =>
  Array.from({ length }, (_, at) => ({ name: `mcp__drawn__${CALLED[at % CALLED.length]}`, input: {} }));
