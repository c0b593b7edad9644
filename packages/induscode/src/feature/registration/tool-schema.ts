// The schema of a tool's arguments: what calls are held against, and the form of it that every provider takes.

import {
  brief,
  isTable,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  readSchema,
  schemaPart,
} from "indusagi/core";

export interface ToolSchema {
  /** What calls are held against. */
  readonly parameters: JsonSchema;
  /** What the model is shown. */
  readonly shown: JsonSchema;
  /** What is not checked or not shown: sentences that begin with the tool's name. */
  readonly notes: readonly string[];
}

const MAX_NOTE_CHARS = 300;

/** Reads the schema that an author wrote, in any dialect; otherwise says what is wrong with it. Never throws. */
export function toolSchema(given: unknown): ToolSchema | { readonly problem: string } {
  const reading = readSchema(given);
  if (!reading.ok) return { problem: reading.problem };
  const { type = "object" } = reading.schema;
  if (type !== "object" && !(Array.isArray(type) && type.includes("object")))
    return { problem: `schema/type must be object, found ${JSON.stringify(type)}` };
  const parameters: JsonSchema = { ...reading.schema, type: "object" };
  const hidden = CHOICES.filter((keyword) => keyword in parameters);
  const unchecked = brief(reading.unchecked.join(", "), MAX_NOTE_CHARS);
  return {
    parameters,
    shown: hidden.length === 0 ? parameters : withPlainRoot(parameters),
    notes: [
      ...(unchecked === ""
        ? []
        : [`has arguments that the host does not fully check (${unchecked}): its program must`]),
      ...(hidden.length === 0 || hidden.every((keyword) => keyword === "$ref")
        ? []
        : [
            `has ${hidden.join(", ")} at the root of its schema, which providers refuse: the model sees one list of properties`,
          ]),
    ],
  };
}

/** Keywords that make a provider refuse the whole request if one tool has them at the root of its schema. */
const CHOICES: readonly string[] = [
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "enum",
  "const",
];
/** Far more references in a row than anybody writes. */
const MAX_STEPS = 20;

/** The same for a reader: an object with the properties of all the parts that its root refers to or chooses from. */
function withPlainRoot(schema: JsonSchema): JsonSchema {
  const root = followed(schema, schema);
  const { properties: own = {} } = root;
  const all = listIn(root.allOf).map((part) => followed(schema, part));
  const some = [...listIn(root.anyOf), ...listIn(root.oneOf)].map((part) => followed(schema, part));
  const properties: JsonObject = {};
  for (const { properties: more = {} } of [...all, ...some, { properties: own }])
    if (isTable(more)) Object.assign(properties, more);
  const required = [root, ...all].flatMap((part) => listIn(part.required));
  const kept = Object.entries(root).filter(([keyword]) => !CHOICES.includes(keyword));
  return {
    ...Object.fromEntries(kept),
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
  };
}

/** A part with what it refers to. */
function followed(schema: JsonSchema, part: JsonValue): JsonObject {
  let found: JsonValue = part;
  for (let step = 0; step < MAX_STEPS && isTable(found) && typeof found.$ref === "string"; step++) {
    const { $ref, ...besides } = found as JsonObject;
    const target = schemaPart(schema, $ref as string);
    found = { ...(isTable(target) ? (target as JsonObject) : {}), ...besides };
  }
  return isTable(found) ? (found as JsonObject) : {};
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
