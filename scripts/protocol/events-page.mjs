// The events' reference page: what an author needs of each event, from the schema, the event table and the examples.

import { EXAMPLE_FILES, examplesOf } from "./event-examples.mjs";
import { referenceOf } from "./typescript.mjs";

/** The text of docs/reference/events.md. `sources` are the texts of the example files, by their names. */
export function writeEventsPage(schema, { events, maxGrowthBytes, deadlineMs }, sources) {
  const examples = examplesOf(sources);
  const names = Object.keys(schema.events);
  return `# Events

Generated from [events.schema.json](../../packages/induscode/src/feature/events.schema.json) and
[examples/events](../../examples/events) by \`npm run protocol\`: do not edit. The examples are run by the tests.

An addon takes part in a session by handlers of these events. Each is handed the event's payload, one after the other, in
the order in which the addons were loaded and the handlers registered. The payload is JSON with the same keys in every
language: an object in TypeScript (frozen), a dictionary in Python, \`params.payload\` of a request [on the wire](addon-protocol.md).

| event | when | a stop is acted on | may be changed |
|---|---|---|---|
${names.map((name) => overviewRow(name, schema, events)).join("\n")}

## What a handler may return

| kind | returns | what becomes of it |
|---|---|---|
| observe | nothing | It only looks. Nobody waits for it but the end of the session. |
| transform | the fields that it changes, or the whole payload | They replace what was there, for the handlers behind it and for the session. What it leaves out stays. |
| gate | \`stop("why")\`, \`GateDecision(stop=True, reason="why")\`, \`{"stop": true, "reason": "why"}\` | The first stop ends the walk through the handlers. Where the table above says yes, the thing does not happen and the reason is told, at most 4,000 characters of it. Elsewhere it stops nothing. |

Nothing and \`null\`, returned from any handler or in place of any field, is no change. So is a value that equals what was
there: a change is told by value. A gate that declares \`stop: false\` lets the thing pass.

**What is refused.** What a transform returns is held to the tables below before anything looks at it: a field that the event
does not have, one that is not to be changed, a value of another type or beyond its bounds, a thing that is not JSON, more
than 200 levels or 1,000,000 values. Then nothing of it counts, and it is a fault of that addon. Two forms stand for another:
a message's \`content\` may be a text in place of one text part, and \`kind\` may be written \`type\`.

**How much.** What the handlers and interceptors of one addon add to what the model reads is at most ${number(maxGrowthBytes / 1024)} KiB of JSON
in one turn, together; what \`context:build\` adds for one request must fit beside what was added before. One more byte is a
fault, and nothing of that return counts.

**Faults.** A handler that throws, takes longer than ${number(deadlineMs / 1000)} seconds (an observer: that for each of its addon's observers at work) or
returns what is refused is a fault of the kind \`handler\`: it is told with the addon's name (a line on the screen and
with \`-p\`, an object with \`--json\`), it stands in the addon's log file, and it changes nothing. The next handler gets what
the failing one got. A failing gate lets the thing pass, unless it declares \`onFailure: "block"\`
([when a guard fails](../guide/addons.md#when-a-guard-fails)). Three within five minutes put the addon into quarantine. Faults are not part of the
session's log.

**What the log says.** The session's log names each addon that changed or stopped something, with its version, in the entry
that the change is part of (\`changes\`). What an observer did, and a transform that changed nothing, is not in it.

## How an addon registers them

The blocks below stand in one of these. Whole files to copy: ${EXAMPLE_FILES.map((file) => `[${file}](../../examples/events/${file})`).join(", ")}.

\`\`\`ts
import { type AddonSurface, gate, observe, stop, transform } from "induscode/addons";

export function register(surface: AddonSurface): void {
  // here
}
\`\`\`

\`\`\`python
import json
import re

from induscode.addons import GateDecision, GateHandler, ObserveHandler, TransformHandler


def register(surface):
    ...  # here
\`\`\`

The JSON below is a request of the host and the answer of a [program](addon-protocol.md), each one line on the wire; \`handler\` is the
handler's place among those that it registered. The TypeScript and the Python above it answer that very payload so. TOML is a gate
of a [manifest](../../examples/addons/README.md), which needs no code.

${names.map((name) => eventSection(name, schema, events, examples)).join("\n\n")}

## Types

${typesBehind(schema)
  .map((name) => typeSection(name, schema))
  .join("\n\n")}
`;
}

function overviewRow(name, schema, events) {
  const { description } = schema.events[name];
  const changes = changeable(name, schema)
    .map(([field]) => `\`${field}\``)
    .join(", ");
  const [when] = description.split(/(?<=\.) /);
  return `| [\`${name}\`](#${anchor(name)}) | ${cell(when)} | ${events[name].guards ? "yes" : "no"} | ${changes || "nothing"} |`;
}

function eventSection(name, schema, events, { typescript, python, json, toml }) {
  const { description, stopped, logged } = schema.events[name];
  const { guards } = events[name];
  const changes = changeable(name, schema).map(([field]) => `\`${field}\``);
  const rules = [
    `- **A stop**: ${guards ? stopped : "stops nothing here"}.`,
    `- **A change**: ${changes.length === 0 ? "none is taken" : `of ${changes.join(" and ")}`}.`,
    `- **In the log**: ${logged ?? "nothing"}.`,
  ];
  const blocks = [
    ...(typescript[name] === undefined ? [] : [fenced("ts", typescript[name].join("\n\n"))]),
    ...(python[name] === undefined ? [] : [fenced("python", python[name].join("\n\n"))]),
    ...(json[name] === undefined ? [] : [fenced("json", json[name].map(wire).join("\n"))]),
    ...(toml[name] === undefined ? [] : [fenced("toml", toml[name])]),
  ];
  return [
    `## ${name}`,
    "",
    description,
    "",
    fieldTable(definitionOf(name, schema), schema, true),
    "",
    ...rules,
    "",
    blocks.join("\n\n"),
  ].join("\n");
}

/** The fields of an event that a transform may change. */
function changeable(name, schema) {
  return Object.entries(definitionOf(name, schema).properties).filter(([, field]) => field.readOnly !== true);
}

function definitionOf(name, schema) {
  return schema.$defs[referenceOf({ $ref: schema.events[name].$ref })];
}

function fieldTable({ properties, required = [] }, schema, isPayload) {
  const rows = Object.entries(properties).map(([field, of]) => {
    const cells = [
      `\`${field}\``,
      typeWords(of, schema),
      required.includes(field) ? "" : "yes",
      ...(isPayload ? [of.readOnly ? "" : "yes"] : []),
      cell(of.description ?? schema.$defs[referenceOf({ $ref: of.$ref })].description),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const head = ["field", "type", "optional", ...(isPayload ? ["may be changed"] : []), "meaning"];
  return [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...rows].join("\n");
}

function typeSection(name, schema) {
  const def = schema.$defs[name];
  const table =
    def.properties === undefined ? `${capitalised(typeWords(def, schema))}.` : fieldTable(def, schema, false);
  return [`### ${name}`, "", def.description, "", table].join("\n");
}

/** The named types that payloads lead to, in the schema's order; what is one simple value is told where it stands. */
function typesBehind(schema) {
  const payloads = new Set(Object.values(schema.events).map(({ $ref }) => referenceOf({ $ref })));
  return Object.keys(schema.$defs).filter((name) => !payloads.has(name) && !isSimple(schema.$defs[name]));
}

function isSimple({ type, oneOf }) {
  return oneOf === undefined && type !== "object";
}

function typeWords(def, schema) {
  if (def.$ref !== undefined) {
    const name = referenceOf({ $ref: def.$ref });
    const named = schema.$defs[name];
    return isSimple(named) ? typeWords(named, schema) : `[${name}](#${name.toLowerCase()})`;
  }
  if (def.enum !== undefined) return def.enum.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  if (def.oneOf !== undefined) return def.oneOf.map((one) => typeWords(one, schema)).join(" or ");
  if (def.type === "array") {
    const least = def.minItems === undefined ? "" : `, at least ${number(def.minItems)}`;
    const most = def.maxItems === undefined ? "" : `, at most ${number(def.maxItems)}`;
    return `list of ${typeWords(def.items, schema)}${least}${most}`;
  }
  if (def.type === "object" && typeof def.additionalProperties === "object")
    return `object of ${nameWords(def.propertyNames)} to ${typeWords(def.additionalProperties, schema)}`;
  if (def.type === undefined) return "any JSON value";
  const bounds = [
    def.maxLength === undefined ? "" : `at most ${number(def.maxLength)} characters`,
    def.minimum === undefined ? "" : `from ${number(def.minimum)} to ${number(def.maximum)}${unitWords(def)}`,
    def.pattern === undefined ? "" : `matching ${code(def.pattern)}`,
  ];
  return [def.type, ...bounds.filter((bound) => bound !== "")].join(", ");
}

function nameWords({ pattern, maxLength }) {
  return `names matching ${code(pattern)}, at most ${number(maxLength)} characters,`;
}

/** A number without a unit says so in the schema. */
function unitWords({ unit }) {
  return unit === "none" ? "" : ` ${unit}`;
}

/** As GitHub makes it from a heading. */
function anchor(name) {
  return name.replace(":", "");
}

function wire({ handler, event, payload, result }) {
  const request = { jsonrpc: "2.0", id: 2 + handler, method: "event", params: { handler, event, payload } };
  return `${JSON.stringify(request)}\n${JSON.stringify({ jsonrpc: "2.0", id: request.id, result })}`;
}

function fenced(language, text) {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function code(text) {
  return `\`${text.replaceAll("|", "\\|")}\``;
}

function number(value) {
  return value.toLocaleString("en-US");
}

/** Text that may stand in a table. */
function cell(text) {
  return text.replaceAll("|", "\\|");
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
