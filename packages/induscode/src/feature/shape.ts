// Checks whether a value has the shape a schema describes. Supports the subset of JSON Schema that the product's own schemas
// use; each shape is compiled to closures on first use.

import type { JsonValue } from "indusagi/core";

/** The supported part of a schema. Any other keyword is refused at compile time. */
export interface Shape {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly JsonValue[];
  /** Objects that differ in a field with a fixed value in each: that field selects the variant. */
  readonly oneOf?: readonly Shape[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  /** Unknown keys are accepted unless this says otherwise: a newer peer may send more. */
  readonly additionalProperties?: boolean | Shape;
  readonly propertyNames?: Shape;
  readonly items?: Shape;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string | undefined;
  readonly minimum?: number;
  readonly maximum?: number;
  /** For readers only; not checked here. */
  readonly readOnly?: boolean;
}

/** The path below the checked value, and what is wrong there. Created only on a mismatch. */
interface Misfit {
  readonly at: string;
  readonly what: string;
}

export type ShapeCheck = (value: JsonValue) => Misfit | undefined;

/** Checks for named shapes, which can refer to each other. */
interface ShapeChecks {
  /** What is wrong with `value`, naming the place below `where`; undefined when it fits. Never throws for a value. */
  readonly problem: (name: string, value: JsonValue, where: string) => string | undefined;
  /** One check for everything in `shape`. Throws for a keyword it would have to ignore. */
  readonly compile: (shape: Shape) => ShapeCheck;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  ...["$ref", "type", "enum", "oneOf", "required", "properties", "additionalProperties", "propertyNames"],
  ...["items", "minItems", "maxItems", "maxLength", "pattern", "minimum", "maximum", "readOnly"],
]);

/** Checks against `shapes`; `#/$defs/Name` in one of them refers to another by name. */
export function createShapeChecks(shapes: Readonly<Record<string, Shape>>): ShapeChecks {
  const compiled = new CompiledShapes(shapes);
  return {
    compile: (shape) => compiled.compile(shape),
    problem(name, value, where) {
      const misfit = compiled.definition(name)(value);
      return misfit === undefined ? undefined : describeMisfit(misfit, where);
    },
  };
}

class CompiledShapes {
  readonly #shapes: Readonly<Record<string, Shape>>;
  readonly #compiled = new Map<string, ShapeCheck>();

  constructor(shapes: Readonly<Record<string, Shape>>) {
    this.#shapes = shapes;
  }

  definition(name: string): ShapeCheck {
    const known = this.#compiled.get(name);
    if (known !== undefined) return known;
    const made = this.compile(this.#shapeOf(name));
    this.#compiled.set(name, made);
    return made;
  }

  #shapeOf(name: string): Shape {
    const shape = Object.hasOwn(this.#shapes, name) ? this.#shapes[name] : undefined;
    if (shape === undefined) throw new Error(`the schema has no definition ${name}`);
    return shape;
  }

  compile(shape: Shape): ShapeCheck {
    const unknown = Object.keys(shape).find((keyword) => !KEYWORDS.has(keyword));
    if (unknown !== undefined) throw new Error(`the checker of shapes does not know the keyword ${unknown}`);
    const checks = [
      this.#checkReference(shape),
      checkType(shape),
      checkEnum(shape),
      this.#checkChoice(shape),
      checkText(shape),
      checkNumber(shape),
      this.#checkList(shape),
      this.#checkObject(shape),
    ].filter((one) => one !== undefined);
    return (value) => {
      for (const one of checks) {
        const misfit = one(value);
        if (misfit !== undefined) return misfit;
      }
      return undefined;
    };
  }

  #checkReference({ $ref }: Shape): ShapeCheck | undefined {
    if ($ref === undefined) return undefined;
    const name = $ref.replace("#/$defs/", "");
    return (value) => this.definition(name)(value); // looked up late, so that definitions can be recursive
  }

  #checkChoice({ oneOf }: Shape): ShapeCheck | undefined {
    if (oneOf === undefined) return undefined;
    const shapesOf = oneOf.map((one) => (one.$ref ? this.#shapeOf(one.$ref.replace("#/$defs/", "")) : one));
    const key = Object.keys(shapesOf[0]?.properties ?? {}).find((field) =>
      shapesOf.every(({ properties }) => properties?.[field]?.enum?.length === 1),
    );
    if (key === undefined) throw new Error("the choices of oneOf have no field that tells them apart");
    const byValue = new Map(
      shapesOf.map((one) => [one.properties?.[key]?.enum?.[0], this.compile(one)] as const),
    );
    const names = [...byValue.keys()].map((one) => JSON.stringify(one)).join(", ");
    return (value) => {
      if (!isTable(value)) return { at: "", what: `must be object, found ${typeName(value)}` };
      const found = Object.hasOwn(value, key) ? value[key] : undefined;
      const check = byValue.get(found);
      if (check !== undefined) return check(value);
      const what = found === undefined ? "is missing" : `must be one of ${names}, found ${brief(found)}`;
      return { at: placeOf(key), what };
    };
  }

  #checkList({ items, minItems = 0, maxItems = Infinity }: Shape): ShapeCheck | undefined {
    if (items === undefined && minItems === 0 && maxItems === Infinity) return undefined;
    const checkItem = items === undefined ? undefined : this.compile(items);
    return (value) => {
      if (!Array.isArray(value)) return undefined;
      if (value.length < minItems)
        return { at: "", what: `must have at least ${minItems} items, found ${value.length}` };
      if (value.length > maxItems)
        return { at: "", what: `must have at most ${maxItems} items, found ${value.length}` };
      if (checkItem === undefined) return undefined;
      for (let index = 0; index < value.length; index++) {
        const misfit = checkItem(value[index] as JsonValue);
        if (misfit !== undefined) return { at: `[${index}]${misfit.at}`, what: misfit.what };
      }
      return undefined;
    };
  }

  #checkObject(shape: Shape): ShapeCheck | undefined {
    const { required = [], properties = {}, additionalProperties = true, propertyNames } = shape;
    const fields = Object.entries(properties).map(([key, one]) => [key, this.compile(one)] as const);
    const checkKey = propertyNames === undefined ? undefined : this.compile(propertyNames);
    if (required.length + fields.length === 0 && additionalProperties === true && !checkKey) return undefined;
    const checkOther =
      typeof additionalProperties === "object" ? this.compile(additionalProperties) : undefined;
    return (value) => {
      if (!isTable(value)) return undefined;
      for (const key of required)
        if (!Object.hasOwn(value, key)) return { at: placeOf(key), what: "is missing" };
      for (const [key, checkField] of fields) {
        const misfit = Object.hasOwn(value, key) ? checkField(value[key] as JsonValue) : undefined;
        if (misfit !== undefined) return { at: `${placeOf(key)}${misfit.at}`, what: misfit.what };
      }
      for (const key of checkKey === undefined ? [] : Object.keys(value)) {
        const misfit = checkKey?.(key);
        if (misfit !== undefined) return { at: placeOf(key), what: `as a name ${misfit.what}` };
      }
      if (additionalProperties === true) return undefined;
      return checkOthers(value, properties, checkOther);
    };
  }
}

function describeMisfit({ at, what }: Misfit, where: string): string {
  const place = `${where}${at}`.replace(/^\./, "");
  return place === "" ? what : `${place} ${what}`;
}

function checkType({ type }: Shape): ShapeCheck | undefined {
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

function checkEnum({ enum: allowed }: Shape): ShapeCheck | undefined {
  if (allowed === undefined) return undefined;
  const known = new Set(allowed);
  const names = allowed.map((one) => JSON.stringify(one)).join(", ");
  return (value) =>
    known.has(value) ? undefined : { at: "", what: `must be one of ${names}, found ${brief(value)}` };
}

function checkText({ maxLength = Infinity, pattern }: Shape): ShapeCheck | undefined {
  if (maxLength === Infinity && pattern === undefined) return undefined;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, "u");
  return (value) => {
    if (typeof value !== "string") return undefined;
    if (hasMoreCharacters(value, maxLength))
      return { at: "", what: `must have at most ${maxLength} characters, found more` };
    if (expression?.test(value) === false)
      return { at: "", what: `must match ${pattern}, found ${brief(value)}` };
    return undefined;
  };
}

/** Characters are code points, as JSON Schema counts them: one or two UTF-16 units. */
function hasMoreCharacters(text: string, most: number): boolean {
  if (text.length <= most || text.length > most * 2) return text.length > most;
  return [...text].length > most;
}

function checkNumber({ minimum = -Infinity, maximum = Infinity }: Shape): ShapeCheck | undefined {
  if (minimum === -Infinity && maximum === Infinity) return undefined;
  return (value) =>
    typeof value === "number" && (value < minimum || value > maximum)
      ? { at: "", what: `must be from ${minimum} to ${maximum}, found ${value}` }
      : undefined;
}

function checkOthers(
  value: Table,
  known: Readonly<Record<string, Shape>>,
  checkOther: ShapeCheck | undefined,
): Misfit | undefined {
  for (const [key, item] of Object.entries(value)) {
    if (Object.hasOwn(known, key)) continue;
    if (checkOther === undefined)
      return { at: placeOf(key), what: `is unknown; the known fields are ${Object.keys(known).join(", ")}` };
    const misfit = checkOther(item);
    if (misfit !== undefined) return { at: `${placeOf(key)}${misfit.at}`, what: misfit.what };
  }
  return undefined;
}

type Table = { readonly [key: string]: JsonValue };

function isTable(value: JsonValue): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A key as a path step. It comes from the other side, so it is quoted and shortened unless it is a plain word. */
function placeOf(key: string): string {
  return /^\w{1,64}$/.test(key) ? `.${key}` : `[${brief(key)}]`;
}

/** A value from the other side in a few characters; non-printable and non-ASCII ones are escaped, because it reaches terminals. */
function brief(value: JsonValue): string {
  if (typeof value === "object" && value !== null) return typeName(value);
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, 60) : value);
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
