// Contributions of every kind, drawn, through the one door: no start ends or waits because of one, each loss is named, and what is
// taken can be used. `CONTRIBUTIONS=100000` says how many; one start takes a thousand.

import { expect, it } from "vitest";
import { defineTool, textResult } from "../../packages/indusagi/src/capabilities/index.ts";
import { compileSchema, type JsonObject } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { readSchema } from "../../packages/indusagi/src/core/schema/read-schema.ts";
import type { HostCapability } from "../../packages/induscode/src/feature/descriptor.ts";
import type { FeatureModule } from "../../packages/induscode/src/feature/install.ts";
import type { FeatureInstallReport } from "../../packages/induscode/src/feature/install-report.ts";
import {
  createRegistry,
  grantDeclared,
  installFeatures,
} from "../../packages/induscode/src/feature/registry.ts";
import { drawSchema, drawUnfit, FEW, HOW_MANY, SEED } from "./contributions.ts";
import { type Draw, drawFrom, drawJson, mixSeeds } from "./draw.ts";
import { watchPrototypes } from "./property.ts";

watchPrototypes();

const OF_A_KIND = 160;
const NAMES = Array.from({ length: OF_A_KIND }, (_, at) => `n${at}`);
const GRANTS: readonly HostCapability[] = [
  ...NAMES.map((name): HostCapability => ({ kind: "contribute_tool", name })),
  { kind: "contribute_hook", point: "tool:after" },
  { kind: "contribute_hook", point: "intercept:*" },
  { kind: "background_task" },
  { kind: "network", purpose: "p", hosts: ["a.b"] },
];
const DESCRIPTOR = {
  id: "plugin:drawn",
  displayName: "drawn",
  runtime: "module",
  requestedCapabilities: GRANTS.map((capability) => ({ capability, required: false, reason: "r" })),
  declaredTools: NAMES,
  declaredCommands: NAMES,
  declaredHooks: ["tool:after", "intercept:*"],
  declaredTasks: NAMES,
} as const;

const run = async (): Promise<void> => undefined;
const KINDS = ["tool", "command", "hook", "task", "provider"] as const;

function good(kind: string, name: string, draw: Draw): object {
  if (kind === "command") return { name, summary: "s", run };
  if (kind === "task")
    return { id: name, description: "d", activation: "session", restart: "never", graceMs: 1, run };
  if (kind === "provider") return { config: { id: name, baseUrl: "https://a.b/v1" }, models: {} };
  if (kind === "handler") return { kind: "observe", run };
  if (kind === "stage") return { enter: run };
  const parameters = drawSchema(draw) as JsonObject;
  return {
    tool: { ...defineTool({ name, description: "d", parameters, run: async () => textResult("ok") }) },
    accesses: () => [],
  };
}

/** A feature of {@link OF_A_KIND} drawn contributions of each kind. */
function drawnFeature(draw: Draw, id: string): FeatureModule {
  return {
    descriptor: { ...DESCRIPTOR, id: `plugin:${id}` },
    install({ tools, commands, hooks, tasks, providers, diagnostic }) {
      for (const name of NAMES) {
        const drawn = (kind: string): never => drawUnfit(draw, good(kind, name, draw)) as never;
        tools.register(drawn("tool"));
        commands.register(drawn("command"));
        hooks.on("tool:after", drawn("handler"));
        hooks.interceptTool("*", drawn("stage"));
        tasks.register(drawn("task"));
        providers.register(drawn("provider"));
        diagnostic("info", drawn("command"));
      }
    },
  };
}

function lossesOf(report: FeatureInstallReport): readonly number[] {
  const { tools, commands, hooks, tasks, providers = [], skipped } = report;
  const taken = [tools, commands, hooks, tasks, providers].map((each) => each.length);
  return KINDS.map((kind, at) => (taken[at] ?? 0) + skipped.filter((each) => each.kind === kind).length);
}

const GOOD_NEXT: FeatureModule = {
  descriptor: { ...DESCRIPTOR, id: "plugin:next", requestedCapabilities: [], declaredCommands: ["next"] },
  install: ({ commands }) => commands.register({ name: "next", summary: "s", run }),
};

it("no contribution ends or blocks a start, and each that is not taken is named", {
  timeout: 0,
}, async () => {
  const starts = Math.ceil(HOW_MANY / (6 * OF_A_KIND));
  let taken = 0;
  let skipped = 0;
  for (let start = 0; start < starts; start++) {
    const draw = drawFrom(mixSeeds(SEED, start));
    const registry = await installFeatures([drawnFeature(draw, "drawn"), GOOD_NEXT], grantDeclared);
    const [report, next] = registry.reports;
    const place = `FUZZ_SEED=${SEED}, start ${start}`;
    // Two may have drawn one name.
    expect([place, report?.faults.filter(({ kind }) => kind !== "conflict")]).toEqual([place, []]);
    expect([place, report && lossesOf(report)]).toEqual([
      place,
      [1, 1, 2, 1, 1].map((times) => times * OF_A_KIND),
    ]);
    expect([place, next?.commands]).toEqual([place, ["next"]]);
    const texts = [
      ...(report?.skipped ?? []).map(({ name, reason }) => `${name}${reason}`),
      JSON.stringify(registry.tools.map(({ tool }) => tool.descriptor())),
    ];
    expect([place, texts.slice(0, -1).filter((text) => text.length > 1_200 || text.includes("\n"))]).toEqual([
      place,
      [],
    ]);
    for (const { tool } of registry.tools) await compileSchema(tool.parameters);
    taken += registry.tools.length;
    skipped += report?.skipped.length ?? 0;
  }
  if (HOW_MANY > FEW)
    console.log(`${starts * 6 * OF_A_KIND} contributions: ${skipped} skipped, ${taken} tools taken`);
  expect(Math.min(taken, skipped)).toBeGreaterThan(HOW_MANY / 30);
});

it("no descriptor does", { timeout: 0 }, async () => {
  const registry = createRegistry();
  const count = Math.ceil(HOW_MANY / 20);
  for (let at = 0; at < count; at++) {
    const draw = drawFrom(mixSeeds(SEED, at));
    const module = { descriptor: { ...DESCRIPTOR, id: `plugin:d${at}` }, install: run };
    const report = await registry.add({ module: drawUnfit(draw, module) as FeatureModule });
    if (report.faults.length > 0) expect(report.faults[0]?.message.length).toBeLessThan(1_300);
  }
  expect(registry.reports.length).toBeGreaterThan(count / 2);
});

it("whatever a schema is, it is read or refused, and what is read can be checked", {
  timeout: 0,
}, async () => {
  let read = 0;
  for (let at = 0; at < HOW_MANY; at++) {
    const draw = drawFrom(mixSeeds(SEED, at));
    const schema =
      draw.below(10) === 0 ? drawUnfit(draw, { parameters: drawSchema(draw, 6) }) : drawSchema(draw, 6);
    const reading = readSchema(schema);
    if (!reading.ok) expect([at, reading.problem.length < 5_000]).toEqual([at, true]);
    else {
      read++;
      const { isCostly } = reading;
      expect([at, readSchema(reading.schema)]).toMatchObject([
        at,
        { ok: true, schema: reading.schema, unchecked: [] },
      ]);
      // A check on a thread takes a hundred times as long: some of them.
      if (isCostly && at % 50 !== 0) continue;
      const problem = await (await compileSchema(reading.schema))(drawJson(draw, 3));
      expect([at, problem?.includes("Unresolved") ?? false]).toEqual([at, false]);
    }
  }
  expect(read).toBeGreaterThan(HOW_MANY / 5);
});
