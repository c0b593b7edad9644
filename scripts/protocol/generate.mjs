// Writes what is made from the schemas of the addon protocol, of the events and of `indus serve`, or with --check says which of it
// is stale. Runs on the project's own Node, for protocol.mjs: it reads tables from the TypeScript sources. `--schema=FILE`
// and `--events=FILE` name other schemas.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { DEFAULT_LIMITS } from "../../packages/induscode/src/addons/process/protocol/contract.ts";
import { CAPABILITY_KINDS } from "../../packages/induscode/src/addons/source/capability-kinds.ts";
import {
  DEFAULT_DEADLINE_MS,
  MAX_GROWTH_BYTES,
} from "../../packages/induscode/src/feature/handler-limits.ts";
import { SERVE_LIMITS } from "../../packages/induscode/src/parts/serve/protocol/serve-limits.ts";
import { root, say, toolFile } from "../setup.mjs";
import { EXAMPLE_FILES } from "./event-examples.mjs";
import { writeEventsPage } from "./events-page.mjs";
import { writePage } from "./page.mjs";
import { writeConstants, writeMessageTypes, writeServiceMethods } from "./python.mjs";
import { writeServePage } from "./serve-page.mjs";
import {
  traitsOf,
  writeEventTraits,
  writePayloadShapes,
  writePayloads,
  writeServices,
  writeShapes,
} from "./typescript.mjs";

const folder = "packages/induscode/src/addons/process/protocol";
/** A line that no generated file has. */
const BETWEEN = "// the next file\n";
const { values } = parseArgs({
  options: { check: { type: "boolean" }, schema: { type: "string" }, events: { type: "string" } },
});
const schemaFile = `${folder}/addon-protocol.schema.json`;
const schema = JSON.parse(readFileSync(values.schema ?? join(root, schemaFile), "utf8"));
const eventsFolder = "packages/induscode/src/feature";
const eventsSchema = JSON.parse(
  readFileSync(values.events ?? join(root, eventsFolder, "events.schema.json"), "utf8"),
);
const serveFolder = "packages/induscode/src/parts/serve/protocol";
const serveSchema = JSON.parse(readFileSync(join(root, serveFolder, "serve-protocol.schema.json"), "utf8"));
const traits = traitsOf(eventsSchema);
schema.$defs.Event.enum = Object.keys(traits);
const examples = Object.fromEntries(
  EXAMPLE_FILES.map((file) => [file, readFileSync(join(root, "examples/events", file), "utf8")]),
);
const tables = {
  limits: DEFAULT_LIMITS,
  events: traits,
  capabilities: CAPABILITY_KINDS,
  maxGrowthBytes: MAX_GROWTH_BYTES,
  deadlineMs: DEFAULT_DEADLINE_MS,
};
const texts = {
  [schemaFile]: withEvents(readFileSync(join(root, schemaFile), "utf8")),
  "packages/induscode/python/induscode/addons/_services.py": writeServiceMethods(schema),
  ...formatted({
    [`${folder}/shapes.ts`]: writeShapes(schema, {
      source: "addon-protocol.schema.json",
      contract: "./contract.ts",
    }),
    [`${serveFolder}/serve-shapes.ts`]: writeShapes(serveSchema, {
      source: "serve-protocol.schema.json",
      contract: "../../../addons/process/protocol/contract.ts",
    }),
    "packages/induscode/src/addons/kit/plain-services.ts": writeServices(schema),
    [`${eventsFolder}/event-traits.ts`]: writeEventTraits(eventsSchema),
    [`${eventsFolder}/payloads.ts`]: writePayloads(eventsSchema),
    [`${eventsFolder}/payload-shapes.ts`]: writePayloadShapes(eventsSchema),
  }),
  "packages/induscode/python/induscode/addons/_protocol.py": writeConstants(schema, tables),
  "packages/induscode/python/induscode/addons/_messages.py": writeMessageTypes(schema),
  "docs/reference/addon-protocol.md": writePage(schema, tables),
  "docs/reference/serve-protocol.md": writeServePage(serveSchema, SERVE_LIMITS),
  "docs/reference/events.md": writeEventsPage(eventsSchema, tables, examples),
};

const stale = Object.entries(texts).filter(([path, text]) => readText(join(root, path)) !== text);
if (values.check) {
  for (const [path] of stale) say(`${path} is not what its schema says: run npm run protocol`);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    say(`wrote ${path}`);
  }
}

/** The protocol's schema with the events' names, which it says as well. */
function withEvents(text) {
  const names = Object.keys(traits).map((name) => `        ${JSON.stringify(name)}`);
  return text.replace(
    /("Event": \{[^[]*\[)[^\]]*\]/,
    (_, before) => `${before}\n${names.join(",\n")}\n      ]`,
  );
}

function readText(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** As `npm run check` wants them: one text for the formatter, which takes one at a time, with a line between the files. */
function formatted(files) {
  const paths = Object.keys(files);
  const args = [toolFile("@biomejs/biome/bin/biome"), "format", "--stdin-file-path=generated.ts"];
  const input = Object.values(files)
    .map((text) => `${text.trimEnd()}\n`)
    .join(BETWEEN);
  const done = spawnSync(process.execPath, args, { cwd: root, input, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`biome cannot format what was generated:\n${done.stderr}`);
  const texts = done.stdout.split(BETWEEN);
  if (texts.length !== paths.length) throw new Error("what was formatted is not one text for each file");
  return Object.fromEntries(paths.map((path, at) => [path, texts[at]]));
}
