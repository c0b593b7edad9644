// The protocol's schema as TypeScript: its types and tables for programs, its shapes for the checker.

const HEADER = (what) =>
  `// Generated from addon-protocol.schema.json by \`npm run protocol\`: do not edit. ${what}\n\n`;

/**
 * The methods that are a service of `surface.host` by themselves (`service` in the schema): called with the values of their
 * parameters in the schema's order, they answer the field that `gives` names, or nothing.
 */
export function servicesOf({ methods, $defs }) {
  return Object.entries(methods.addonToHost).flatMap(([name, { description, params, result, service }]) => {
    if (service === undefined) return [];
    const { properties = {}, required = [] } = $defs[referenceOf(params)];
    const takes = Object.entries(properties).map(([field, def]) => ({
      ...{ field, def, isOptional: !required.includes(field) },
    }));
    const { gives } = service;
    const given = gives === undefined ? undefined : $defs[referenceOf(result)].properties[gives];
    return [{ name, description, takes, gives, given }];
  });
}

/** The text of the kit's plain-services.ts, before it is formatted. */
export function writeServices(schema) {
  const services = servicesOf(schema);
  const rows = services.map(({ name, takes, gives }) => [
    name,
    { takes: takes.map(({ field }) => field), ...(gives === undefined ? {} : { gives }) },
  ]);
  return [
    HEADER("The services of the host that are one request each."),
    "/** What the host does at one request, by its grant. */\nexport interface PlainServices {\n",
    ...services.map(({ name, description, takes, given }) => {
      const list = takes.map(
        ({ field, def, isOptional }) => `${field}${isOptional ? "?" : ""}: ${typeOf(def)}`,
      );
      const answer = given === undefined ? "void" : typeOf(given);
      return `${doc(description)}readonly ${name}: (${list.join(", ")}) => Promise<${answer}>;\n`;
    }),
    "}\n\n",
    "/** The fields that each sends, in the order of its arguments, and the field of the answer that it gives. */\n",
    "export const PLAIN_SERVICES: {\n",
    "readonly [Name in keyof PlainServices]: { readonly takes: readonly string[]; readonly gives?: string };\n} = ",
    `${JSON.stringify(Object.fromEntries(rows))};\n\n`,
    ...definitionsBehind(
      services.flatMap(({ takes, given }) => [...takes.map(({ def }) => def), given]),
      schema,
    ).map((name) => declaration(name, schema.$defs[name])),
  ].join("");
}

/** The names of the definitions that these lead to, each once. */
function definitionsBehind(nodes, { $defs }) {
  const names = new Set();
  const look = (node) => {
    if (typeof node !== "object" || node === null) return;
    const name = node.$ref === undefined ? undefined : referenceOf(node);
    if (name !== undefined && !names.has(name)) {
      names.add(name);
      look($defs[name]);
    }
    Object.values(node).forEach(look);
  };
  nodes.forEach(look);
  return [...names];
}

/** The text of a file of shapes, before it is formatted: made of the file `source`, for a folder from which `contract` has the type of its tables. */
export function writeShapes(schema, { source, contract }) {
  const { methods, errors, $defs } = schema;
  const sides = Object.entries(methods).map(([side, table]) => {
    const rows = Object.entries(table).map(([name, { params, result }]) => [
      name,
      { params: referenceOf(params), ...(result === undefined ? {} : { result: referenceOf(result) }) },
    ]);
    return [side, Object.fromEntries(rows)];
  });
  return [
    `// Generated from ${source} by \`npm run protocol\`: do not edit. The schema as a program reads it.\n\n`,
    ...[
      `import type { MethodShapes } from ${JSON.stringify(contract)};\n`,
      'import type { Shape } from "../../../feature/shape.ts";\n',
    ].sort((one, other) => (one.split(" from ")[1] < other.split(" from ")[1] ? -1 : 1)),
    "\n",
    `/** The version of the protocol that this program speaks. */\nexport const PROTOCOL_VERSION = ${protocolVersion(schema)};\n\n`,
    "/** The codes of error answers. */\nexport const ERROR_CODES = {\n",
    ...Object.entries(errors).map(
      ([name, { code, description }]) => `${doc(description)}${name}: ${code},\n`,
    ),
    "} as const;\n\n",
    `const methods = ${JSON.stringify(Object.fromEntries(sides))} as const;\n\n`,
    `const definitions = ${JSON.stringify(mapValues($defs, withoutWords))} as const;\n\n`,
    "/** Each method with the names of its shapes; one without result is a notification. */\n",
    "export const METHODS: Readonly<Record<keyof Methods, MethodShapes>> = methods;\n",
    "/** The definitions, without their descriptions. */\n",
    "export const SHAPES: Readonly<Record<string, Shape>> = definitions;\n\n",
    "export type Methods = typeof methods;\nexport type Definitions = typeof definitions;\n",
  ].join("");
}

/** The text of the events' payloads.ts, before it is formatted: the types of what they carry. */
export function writePayloads({ events, $defs }) {
  return [
    EVENTS_HEADER("What the events carry, as types."),
    'import type { JsonValue } from "indusagi/core";\n\n',
    "/** The payload of each event. */\nexport interface EventPayloads {\n",
    ...Object.entries(events).map(
      ([event, payload]) => `readonly ${JSON.stringify(event)}: ${referenceOf(payload)};\n`,
    ),
    "}\n\n",
    ...Object.entries($defs).map(([name, def]) => declaration(name, def)),
  ].join("");
}

/** What the program knows of each event: a stop is acted on where the schema says what becomes of it. */
export function traitsOf({ events }) {
  return mapValues(events, ({ group, stopped }) => ({ group, guards: stopped !== undefined }));
}

/** The text of the events' event-traits.ts, before it is formatted. */
export function writeEventTraits(schema) {
  const traits = traitsOf(schema);
  const groups = [...new Set(Object.values(traits).map(({ group }) => JSON.stringify(group)))];
  return [
    EVENTS_HEADER("One row an event."),
    'import type { EventPayloads } from "./payloads.ts";\n\n',
    `/** Events that carry the same kind of thing. */\nexport type PayloadGroup = ${groups.join(" | ")};\n\n`,
    "export interface EventTrait {\nreadonly group: PayloadGroup;\n",
    "/** A gate's stop is acted on; elsewhere it ends the walk through the event's handlers and stops nothing. */\n",
    "readonly guards: boolean;\n}\n\n",
    `export const EVENT_TRAITS = ${JSON.stringify(traits)} as const satisfies Readonly<Record<keyof EventPayloads, EventTrait>>;\n`,
  ].join("");
}

/** The text of the events' payload-shapes.ts, before it is formatted. */
export function writePayloadShapes({ events, $defs }) {
  return [
    EVENTS_HEADER("What the events carry, as what is returned is held to it."),
    'import type { EventPayloads } from "./payloads.ts";\nimport type { Shape } from "./shape.ts";\n\n',
    "/** The name of each event's shape. */\n",
    "export const SHAPE_OF_EVENT: Readonly<Record<keyof EventPayloads, string>> = ",
    `${JSON.stringify(mapValues(events, referenceOf))};\n\n`,
    "/** The definitions, without their descriptions. */\n",
    "export const PAYLOAD_SHAPES: Readonly<Record<string, Shape>> = ",
    `${JSON.stringify(mapValues($defs, withoutWords))};\n`,
  ].join("");
}

const EVENTS_HEADER = (what) =>
  `// Generated from events.schema.json by \`npm run protocol\`: do not edit. ${what}\n\n`;

/** The version, which is the last part of the schema's id. */
export function protocolVersion({ $id }) {
  const version = /-(\d+)$/.exec($id ?? "")?.[1];
  if (version === undefined)
    throw new Error(`the schema's $id must end with "-" and the version, found ${$id}`);
  return Number(version);
}

/** The definition that `{ "$ref": "#/$defs/Name" }` names. */
export function referenceOf(node) {
  const name = /^#\/\$defs\/(\w+)$/.exec(node?.$ref ?? "")?.[1];
  if (name === undefined) throw new Error(`expected {"$ref": "#/$defs/..."}, found ${JSON.stringify(node)}`);
  return name;
}

function declaration(name, def) {
  const about = doc(def.description);
  if (name === "Empty") return `${about}export type Empty = Readonly<Record<string, never>>;\n\n`;
  if (def.properties === undefined) return `${about}export type ${name} = ${typeOf(def)};\n\n`;
  const open = def.additionalProperties === true ? "readonly [key: string]: JsonValue;\n" : "";
  return `${about}export interface ${name} {\n${fieldsOf(def)}${open}}\n\n`;
}

function fieldsOf({ properties, required = [] }) {
  return Object.entries(properties)
    .map(([name, def]) => {
      const mark = required.includes(name) ? "" : "?";
      return `${doc(wordsOf(def))}readonly ${name}${mark}: ${typeOf(def)};\n`;
    })
    .join("");
}

/** A field's description with its bounds, which a type cannot say; the empty text where there is neither. */
export function wordsOf({ description, maxLength, minItems, maxItems, minimum, maximum, unit }) {
  const bounds = [
    maxLength === undefined ? undefined : `At most ${maxLength} characters.`,
    minItems === undefined ? undefined : `At least ${minItems} ${minItems === 1 ? "item" : "items"}.`,
    maxItems === undefined ? undefined : `At most ${maxItems} items.`,
    minimum === undefined || maximum === undefined
      ? undefined
      : `From ${minimum} to ${maximum}${unit === undefined || unit === "none" ? "" : ` ${unit}`}.`,
  ];
  return [description, ...bounds].filter((text) => text !== undefined).join(" ");
}

const SIMPLE = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };

function typeOf(def) {
  if (def.$ref !== undefined) return referenceOf(def);
  if (def.enum !== undefined) return def.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (def.oneOf !== undefined) return def.oneOf.map(typeOf).join(" | ");
  if (Array.isArray(def.type)) return def.type.map((type) => typeOf({ ...def, type })).join(" | ");
  if (def.type === "array") return `readonly (${typeOf(def.items)})[]`;
  if (def.type === "object") return `{ readonly [key: string]: ${openTypeOf(def.additionalProperties)} }`;
  if (def.type === undefined) return "JsonValue";
  if (SIMPLE[def.type] === undefined) throw new Error(`no TypeScript for ${JSON.stringify(def)}`);
  return SIMPLE[def.type];
}

function openTypeOf(additional) {
  return typeof additional === "object" ? typeOf(additional) : "JsonValue";
}

function doc(text) {
  return text === undefined || text === "" ? "" : `/** ${text} */\n`;
}

function withoutWords(node) {
  if (Array.isArray(node) || typeof node !== "object" || node === null) return node;
  const { description: _, unit: _unit, properties, items, additionalProperties, ...rest } = node;
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: mapValues(properties, withoutWords) }),
    ...(items === undefined ? {} : { items: withoutWords(items) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: withoutWords(additionalProperties) }),
  };
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
