// Whether parameters and results fit the protocol's schema; a method's checks are compiled when it is first used.

import type { JsonValue } from "indusagi/core";
import { createShapeChecks, type Shape } from "../../../feature/shape.ts";
import type { MethodShapes } from "./contract.ts";
import { METHODS, SHAPES } from "./shapes.ts";

/** Who sends a request: its methods are listed under its direction. */
type Direction = keyof typeof METHODS;

/** Of a registration only what is about the addon as a whole: its cards are checked one by one (`read-registration`). */
const CHECKED: Readonly<Record<string, Shape>> = {
  ...SHAPES,
  Registration: {
    type: "object",
    required: ["protocol"],
    properties: ofTheWhole(["protocol", "id", "onFailure"]),
  },
};

function ofTheWhole(fields: readonly string[]): NonNullable<Shape["properties"]> {
  const all = Object.entries(SHAPES.Registration?.properties ?? {});
  return Object.fromEntries(all.filter(([field]) => fields.includes(field)));
}

const { problem } = createShapeChecks(CHECKED);

/** What is wrong with a value that is to be of a named shape; undefined if it fits. Never throws for a value. */
export function checkShape(name: string, value: JsonValue): string | undefined {
  return problem(name, value, "");
}

/** Whether `method` exists in this direction, and as what. */
export function kindOfMethod(method: string, direction: Direction): "request" | "notification" | undefined {
  const shapes = Object.hasOwn(METHODS[direction], method) ? METHODS[direction][method] : undefined;
  if (shapes === undefined) return undefined;
  return shapes.result === undefined ? "notification" : "request";
}

/** What is wrong with the parameters of `method`, naming the place; undefined if they fit. Never throws for a value. */
export function checkParams(method: string, params: JsonValue): string | undefined {
  const name = shapesOf(method)?.params;
  return name === undefined ? `unknown method ${JSON.stringify(method)}` : problem(name, params, "params");
}

/** Methods with answers that describe a change: null in them means no change, as if the field were absent. */
const CHANGING: ReadonlySet<string> = new Set(["event", "enter", "exit"]);

/** The result of `method` without the nulls that mean nothing in its answer. */
export function withoutNulls(method: string, result: JsonValue): JsonValue {
  if (!CHANGING.has(method) || typeof result !== "object" || result === null || Array.isArray(result))
    return result;
  if (!Object.values(result).includes(null)) return result;
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null));
}

/**
 * What is wrong with the result of `method`, naming the place; undefined if it fits. null stands for an empty object where
 * nothing is required. Never throws for a value.
 */
export function checkResult(method: string, result: JsonValue): string | undefined {
  const shapes = shapesOf(method);
  if (shapes === undefined) return `unknown method ${JSON.stringify(method)}`;
  if (shapes.result === undefined) return `${method} is a notification and has no result`;
  if (result === null && SHAPES[shapes.result]?.required === undefined) return undefined;
  return problem(shapes.result, withoutNulls(method, result), "result");
}

// A method that both sides have has the same shapes in both directions (a test checks the schema for that).
function shapesOf(method: string): MethodShapes[string] | undefined {
  for (const side of [METHODS.hostToAddon, METHODS.addonToHost])
    if (Object.hasOwn(side, method)) return side[method];
  return undefined;
}
