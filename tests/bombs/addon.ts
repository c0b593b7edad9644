// What an addon's process sends: frames, answers, registrations, schemas of its tools.

import { compileSchema, type JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { readSchema } from "../../packages/indusagi/src/core/schema/read-schema.ts";
import {
  checkParams,
  checkResult,
} from "../../packages/induscode/src/addons/process/protocol/check-message.ts";
import {
  DEFAULT_LIMITS,
  ProtocolBreach,
} from "../../packages/induscode/src/addons/process/protocol/contract.ts";
import { createFrameReader } from "../../packages/induscode/src/addons/process/protocol/frames.ts";
import { METHODS } from "../../packages/induscode/src/addons/process/protocol/shapes.ts";
import { expandPath } from "../../packages/induscode/src/addons/source/path-hygiene.ts";
import { around, type Bombs, each, JSONS, MANY, noises, RUNS, rows, run } from "./make.ts";
import { ofTexts, type Parser } from "./parser.ts";

const CHUNK = 65_536; // as a pipe gives it

/** The messages of a stream; a breach is what it says. */
function messagesOf(stream: string): { readonly messages: readonly JsonValue[]; readonly breach?: string } {
  const messages: JsonValue[] = [];
  const reader = createFrameReader({
    limits: DEFAULT_LIMITS,
    onMessage: (message) => messages.push(message),
  });
  const bytes = Buffer.from(stream);
  try {
    for (let at = 0; at < bytes.length; at += CHUNK) reader.receive(bytes.subarray(at, at + CHUNK));
    return { messages };
  } catch (error) {
    if (error instanceof ProtocolBreach) return { messages, breach: error.message };
    throw error;
  }
}

const FRAMES: Bombs = {
  ...each(JSONS, (json) => `${json.replaceAll("\n", " ")}\n`),
  ...each(RUNS, (text) => `${text}\n`),
  "a line without end": () => run("a", DEFAULT_LIMITS.maxFrameBytes + 2),
  "a line as long as may be": () => `"${run("a", DEFAULT_LIMITS.maxFrameBytes - 3)}"\n`,
  "values as many as may be": () => `[${run("0,", 2 * DEFAULT_LIMITS.maxValues - 100)}0]\n`,
  "more values than may be": () => `[${run("0,", 2 * DEFAULT_LIMITS.maxValues + 100)}0]\n`,
  "empty lines": () => run("\n"),
  "empty lines of Windows": () => run("\r\n"),
};

function readFrames(stream: string): unknown {
  const { messages, breach } = messagesOf(stream);
  for (const message of messages) JSON.stringify(message);
  return breach;
}

const ASKED = Object.keys(METHODS.hostToAddon);
const OFFERED = Object.keys(METHODS.addonToHost);

/** Each message as the answer to everything the host asks, and as everything that an addon may ask. */
function readAnswers(json: string): unknown {
  const { messages, breach } = messagesOf(`${json.replaceAll("\n", " ")}\n`);
  const said = messages.flatMap((message) => [
    ...ASKED.map((method) => checkResult(method, message)),
    ...OFFERED.map((method) => checkParams(method, message)),
  ]);
  return [breach, ...said].reduce(
    (kept, each) => ((each?.length ?? 0) > (kept?.length ?? 0) ? each : kept),
    "",
  );
}

const REGISTRATION = (what: string): string =>
  `{"protocol":1,"id":"a","commands":[],"tools":[],"tasks":[],"subscriptions":[],"interceptors":[],${what}}`;
const ANSWERS: Bombs = {
  ...JSONS,
  ...each(JSONS, (json) => `{"payload":${json}}`, "a payload: "),
  ...each(JSONS, (json) => `{"result":${json}}`, "a result: "),
  ...each(JSONS, (json) => `{"content":${json},"isError":false}`, "content: "),
  "many tools": () =>
    REGISTRATION(`"tools":[${rows(MANY / 4, () => '{"name":"a","description":"a","parameters":{}}', ",")}]`),
  "many commands": () =>
    REGISTRATION(`"commands":[${rows(MANY / 4, () => '{"name":"a","summary":"a"}', ",")}]`),
  "a long id": () => REGISTRATION(`"id":"${run("a")}"`),
  "unknown names": () => REGISTRATION(rows(MANY / 4, (at) => `"a${at}":1`, ",")),
  "a long unknown name": () => REGISTRATION(`"${run("a")}":1`),
};

const refs = (count: number): string =>
  `{"$ref":"#/$defs/a0","$defs":{${rows(count, (at) => `"a${at}":{"allOf":[{"$ref":"#/$defs/a${at + 1}"},{"$ref":"#/$defs/a${at + 1}"}]}`, ",")},"a${count}":{"type":"object"}}}`;
const SCHEMAS: Bombs = {
  ...JSONS,
  ...each(JSONS, (json) => `{"type":"object","properties":{"a":${json}}}`, "a property: "),
  ...each(JSONS, (json) => `{"type":"object","properties":{"a":{"enum":${json}}}}`, "a choice: "),
  "references that double": () => refs(40),
  "references in a row": () =>
    `{"$ref":"#/$defs/a0","$defs":{${rows(2_000, (at) => `"a${at}":{"$ref":"#/$defs/a${at + 1}"}`, ",")}}}`,
  "a reference to itself": () => '{"$ref":"#"}',
  "a circle of references": () =>
    '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}',
  "a reference to a server": () => '{"$ref":"http://127.0.0.1:1/a"}',
  "a reference to a file": () => '{"$ref":"file:///etc/passwd"}',
  "a dynamic reference": () => '{"$dynamicRef":"#a","$dynamicAnchor":"a"}',
  "a recursive reference": () => '{"$recursiveRef":"#","$recursiveAnchor":true}',
  "a reference of many steps": () => `{"$ref":"#${run("/a")}"}`,
  "a reference that is escaped": () => '{"$ref":"#/%24defs/a","$defs":{"a":{"$ref":"#/%24defs/a"}}}',
  "another id": () => '{"$id":"http://a/","$ref":"http://a/"}',
  "many ids": () => `{"allOf":[${rows(MANY / 4, (at) => `{"$id":"a${at}"}`, ",")}]}`,
  "a pattern that tries everything": () => '{"type":"object","properties":{"a":{"pattern":"^(a+)+$"}}}',
  "a pattern of names": () => '{"patternProperties":{"^(a+)+$":{"type":"number"}}}',
  "a pattern that is none": () => '{"properties":{"a":{"pattern":"("}}}',
  "a long pattern": () => `{"properties":{"a":{"pattern":"${run("(a")}"}}}`,
  "a pattern of names for names": () => '{"propertyNames":{"pattern":"^(a+)+$"}}',
  "a format": () => '{"properties":{"a":{"format":"regex"},"b":{"format":"uri-template"}}}',
  "items that are to differ": () => '{"properties":{"c":{"uniqueItems":true}}}',
  "items at their places": () => `{"properties":{"c":{"prefixItems":[${rows(MANY / 4, () => "{}", ",")}]}}}`,
  "items of items": () => `{"properties":{"c":${around('{"items":', "{}", "}", 150)}}}`,
  "a wide choice": () => `{"properties":{"a":{"enum":[${rows(MANY, (at) => `"a${at}"`, ",")}]}}}`,
  "one of many": () => `{"oneOf":[${rows(MANY / 4, () => "{}", ",")}]}`,
  "all of many": () => `{"allOf":[${rows(MANY / 4, () => '{"required":["a"]}', ",")}]}`,
  "any of any": () => around('{"anyOf":[', "{}", "]}", 150),
  "not not": () => around('{"not":', "{}", "}", 150),
  "if if": () => around('{"if":', "true", ',"then":true,"else":false}', 150),
  "needs in a row": () =>
    `{"dependentSchemas":{${rows(MANY / 4, (at) => `"a${at}":{"required":["b"]}`, ",")}}}`,
  "what is not evaluated": () => '{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}',
  "a wide table": () => `{"properties":{${rows(MANY / 4, (at) => `"a${at}":{"type":"string"}`, ",")}}}`,
  "a long list of what is required": () => `{"required":[${rows(MANY, (at) => `"a${at}"`, ",")}]}`,
  "a number of steps": () => '{"properties":{"n":{"multipleOf":1e-300}}}',
  "names that the checker uses": () =>
    '{"__absolute_uri__":"a","__absolute_ref__":"b","properties":{"a":{"__absolute_ref__":"#"}}}',
  "a name called __proto__": () =>
    '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["toString"]}',
  "anything at all": () => '{"properties":true,"required":"a","type":7}',
  ...noises('{}[]":,$refalOntypec0123 ', 6, 4_000),
};
const VALUES: readonly JsonValue[] = [
  {},
  { a: `${"a".repeat(40)}!`, n: 1, c: Array.from({ length: 2_000 }, (_, at) => ({ at })) },
  Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`a${at}`, "a".repeat(40)])),
];

/** As a tool's schema goes: out of a frame, read, compiled, held against arguments. */
async function readToolSchema(json: string): Promise<unknown> {
  const { messages, breach } = messagesOf(`${json.replaceAll("\n", " ")}\n`);
  const [value] = messages;
  if (breach !== undefined || typeof value !== "object" || value === null || Array.isArray(value))
    return breach;
  const reading = readSchema(value);
  if (!reading.ok) return reading.problem;
  const check = await compileSchema(reading.schema);
  const said = await Promise.all(VALUES.map(async (each) => (await check(each)) ?? ""));
  return said.reduce((kept, each) => (each.length > kept.length ? each : kept));
}

export const ADDON_PARSERS: readonly Parser[] = [
  ofTexts("frames of addons", FRAMES, readFrames),
  ofTexts("answers and requests of addons", ANSWERS, readAnswers),
  ofTexts("schemas of tools", SCHEMAS, readToolSchema),
  ofTexts("paths of addons", { ...RUNS, ...noises("~/. \u200b\ufeffab", 25) }, (text) => {
    expandPath(text, "/home/a");
    return undefined;
  }),
];
