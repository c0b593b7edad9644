// Whether parameters and results fit the protocol's schema. Reads the subset of JSON Schema that the schema uses; what a
// method needs is compiled to closures when it is first seen.

import type { JsonValue } from "indusagi/core";
import type { MethodShapes, Shape } from "./contract.ts";
import { ascii } from "./read-message.ts";
import { METHODS, SHAPES } from "./shapes.ts";

/** Who sends a request: what it may ask is listed under its direction. */
export type Direction = keyof typeof METHODS;

/** Whether `method` exists in this direction, and as what. */
export function kindOfMethod(method: string, direction: Direction): "request" | "notification" | undefined {
  const shapes = Object.hasOwn(METHODS[direction], method) ? METHODS[direction][method] : undefined;
  if (shapes === undefined) return undefined;
  return shapes.result === undefined ? "notification" : "request";
}

/** What is wrong with the parameters of `method`, naming the place; undefined when they fit. Never throws for a value. */
export function checkParams(method: string, params: JsonValue): string | undefined {
  const name = shapesOf(method)?.params;
  return name === undefined ? `there is no method ${JSON.stringify(method)}` : check(name, params, "params");
}

/**
 * What is wrong with the result of `method`, naming the place; undefined when it fits. null stands for an empty object
 * where nothing is required. Never throws for a value.
 */
export function checkResult(method: string, result: JsonValue): string | undefined {
  const shapes = shapesOf(method);
  if (shapes === undefined) return `there is no method ${JSON.stringify(method)}`;
  if (shapes.result === undefined) return `${method} is a notification and has no result`;
  if (result === null && SHAPES[shapes.result]?.required === undefined) return undefined;
  return check(shapes.result, result, "result");
}

// A method that both sides have has the same shapes (a test holds the schema to it).
function shapesOf(method: string): MethodShapes[string] | undefined {
  for (const side of [METHODS.hostToAddon, METHODS.addonToHost])
    if (Object.hasOwn(side, method)) return side[method];
  return undefined;
}

/** Where below the checked value, and what is wrong there. Made only when something is. */
interface Misfit {
  readonly at: string;
  readonly what: string;
}

type Check = (value: JsonValue) => Misfit | undefined;
type ObjectValue = { readonly [key: string]: JsonValue };

const compiled = new Map<string, Check>();

function check(name: string, value: JsonValue, where: string): string | undefined {
  const misfit = definition(name)(value);
  return misfit === undefined ? undefined : `${where}${misfit.at} ${misfit.what}`;
}

function definition(name: string): Check {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const shape = Object.hasOwn(SHAPES, name) ? SHAPES[name] : undefined;
  if (shape === undefined) throw new Error(`the protocol's schema has no definition ${name}`);
  const made = compile(shape);
  compiled.set(name, made);
  return made;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  ...["$ref", "type", "enum", "required", "properties", "additionalProperties", "items"],
  ...["maxItems", "maxLength", "minimum", "maximum"],
]);

/** One check of everything that `shape` says. Throws for a keyword that it would have to ignore. */
export function compile(shape: Shape): Check {
  const unknown = Object.keys(shape).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) throw new Error(`the checker of messages does not know the keyword ${unknown}`);
  const checks = [
    checkReference(shape),
    checkType(shape),
    checkEnum(shape),
    checkText(shape),
    checkNumber(shape),
    checkList(shape),
    checkObject(shape),
  ].filter((one) => one !== undefined);
  return (value) => {
    for (const one of checks) {
      const misfit = one(value);
      if (misfit !== undefined) return misfit;
    }
    return undefined;
  };
}

function checkReference({ $ref }: Shape): Check | undefined {
  if ($ref === undefined) return undefined;
  const name = $ref.replace("#/$defs/", "");
  return (value) => definition(name)(value); // looked up late, so that definitions may be recursive
}

function checkType({ type }: Shape): Check | undefined {
  if (type === undefined) return undefined;
  const types = typeof type === "string" ? [type] : type;
  const what = types.join(" or ");
  return (value) => {
    const found = typeName(value);
    if (types.includes(found) || (found === "integer" && types.includes("number"))) return undefined;
    return { at: "", what: `must be ${what}, found ${found}` };
  };
}

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isSafeInteger(value) ? "integer" : typeof value;
}

function checkEnum({ enum: allowed }: Shape): Check | undefined {
  if (allowed === undefined) return undefined;
  const known = new Set(allowed);
  const names = allowed.map((one) => JSON.stringify(one)).join(", ");
  return (value) =>
    known.has(value) ? undefined : { at: "", what: `must be one of ${names}, found ${brief(value)}` };
}

function checkText({ maxLength }: Shape): Check | undefined {
  if (maxLength === undefined) return undefined;
  return (value) =>
    typeof value === "string" && hasMoreCharacters(value, maxLength)
      ? { at: "", what: `may have ${maxLength} characters, found more` }
      : undefined;
}

/** Characters are code points, as JSON Schema counts them: one or two UTF-16 units. */
function hasMoreCharacters(text: string, most: number): boolean {
  if (text.length <= most || text.length > most * 2) return text.length > most;
  return [...text].length > most;
}

function checkNumber({ minimum = -Infinity, maximum = Infinity }: Shape): Check | undefined {
  if (minimum === -Infinity && maximum === Infinity) return undefined;
  return (value) =>
    typeof value === "number" && (value < minimum || value > maximum)
      ? { at: "", what: `must be from ${minimum} to ${maximum}, found ${value}` }
      : undefined;
}

function checkList({ items, maxItems = Infinity }: Shape): Check | undefined {
  if (items === undefined && maxItems === Infinity) return undefined;
  const checkItem = items === undefined ? undefined : compile(items);
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    if (value.length > maxItems) return { at: "", what: `may have ${maxItems} items, found ${value.length}` };
    if (checkItem === undefined) return undefined;
    for (let index = 0; index < value.length; index++) {
      const misfit = checkItem(value[index] as JsonValue);
      if (misfit !== undefined) return { at: `[${index}]${misfit.at}`, what: misfit.what };
    }
    return undefined;
  };
}

function checkObject(shape: Shape): Check | undefined {
  const { required = [], properties = {}, additionalProperties = true } = shape;
  const fields = Object.entries(properties).map(([key, one]) => [key, compile(one)] as const);
  if (required.length + fields.length === 0 && additionalProperties === true) return undefined;
  const checkOther = typeof additionalProperties === "object" ? compile(additionalProperties) : undefined;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    for (const key of required)
      if (!Object.hasOwn(value, key)) return { at: placeOf(key), what: "is missing" };
    for (const [key, checkField] of fields) {
      const misfit = Object.hasOwn(value, key) ? checkField(value[key] as JsonValue) : undefined;
      if (misfit !== undefined) return { at: `${placeOf(key)}${misfit.at}`, what: misfit.what };
    }
    if (additionalProperties === true) return undefined;
    return checkOthers(value, properties, checkOther);
  };
}

function checkOthers(
  value: ObjectValue,
  known: Readonly<Record<string, Shape>>,
  checkOther: Check | undefined,
): Misfit | undefined {
  for (const [key, item] of Object.entries(value)) {
    if (Object.hasOwn(known, key)) continue;
    if (checkOther === undefined) return { at: placeOf(key), what: "is not known" };
    const misfit = checkOther(item);
    if (misfit !== undefined) return { at: `${placeOf(key)}${misfit.at}`, what: misfit.what };
  }
  return undefined;
}

/** A key as a step of a path. It comes from the other side, so it is quoted and short unless it is a plain word. */
function placeOf(key: string): string {
  return /^\w{1,64}$/.test(key) ? `.${key}` : `[${brief(key)}]`;
}

function brief(value: JsonValue): string {
  if (typeof value === "object" && value !== null) return typeName(value);
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, 60) : value);
  return ascii(text);
}
