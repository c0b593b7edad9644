// `--output-schema FILE`: the final answer of a run is a JSON value that matches a schema, whatever the model and its wire. If it does
// not match, the model is told why and answers again.

import { resolve } from "node:path";
import { compileSchema, describeError, type JsonSchema, readSchema, type SchemaCheck } from "indusagi/core";
import type { StopReason } from "indusagi/llmgateway";
import { EXIT_USAGE, Problem } from "../cli/problem.ts";
import type { Conductor, SubmitEnd, UserContent } from "../conductor/contract.ts";
import { readJson } from "../store/json.ts";

export interface OutputSchema {
  readonly schema: JsonSchema;
  readonly check: SchemaCheck;
}

const MAX_SCHEMA_BYTES = 256 * 1024;
/** Total number of answers: a model that fails three times has not understood what is wanted. */
const MAX_ANSWERS = 3;

/** Reads a schema from a file. Throws a {@link Problem} if it is not one. */
export async function readOutputSchema(file: string, cwd: string): Promise<OutputSchema> {
  const path = resolve(cwd, file);
  let schema: unknown;
  try {
    schema = readJson(path, MAX_SCHEMA_BYTES);
  } catch (error) {
    throw new Problem(`--output-schema: ${file} cannot be read: ${describeError(error)}`, EXIT_USAGE);
  }
  return outputSchema(schema, `--output-schema: ${file}`);
}

/** `name` says where it is from. Throws a {@link Problem} if it is not a schema. */
export async function outputSchema(schema: unknown, name: string): Promise<OutputSchema> {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    throw new Problem(`${name}: expected a JSON Schema (an object)`, EXIT_USAGE);
  const reading = readSchema(schema);
  // A person who wants a form wants all of it held.
  const problem = reading.ok ? reading.unchecked[0] : reading.problem;
  if (!reading.ok || problem !== undefined)
    throw new Problem(`${name} is not a valid JSON Schema: ${problem}`, EXIT_USAGE);
  return { schema: schema as JsonSchema, check: await compileSchema(reading.schema) };
}

/** Wraps `conductor`: each submit ends with an answer that is one line of valid JSON, also passed to `onOutput`, or with a fault. */
export function withOutputSchema(
  conductor: Conductor,
  { schema, check }: OutputSchema,
  onOutput: (value: unknown) => void,
): Conductor {
  return {
    ...conductor,
    async submit({ content }): Promise<SubmitEnd> {
      let asked: UserContent = [...content, { kind: "text", text: instruction(schema) }];
      let problem = "";
      for (let answer = 1; answer <= MAX_ANSWERS; answer++) {
        const end = await conductor.submit({ content: asked });
        if (end.kind !== "complete") return end;
        const found = valueIn(end.text);
        problem = found.ok ? ((await check(found.value)) ?? "") : found.problem;
        if (problem !== "" && end.stop !== "complete") problem += CUT[end.stop];
        if (found.ok && problem === "") {
          onOutput(found.value);
          return { ...end, text: JSON.stringify(found.value), stop: "complete" }; // wherever it was cut, nothing is missing
        }
        asked = [{ kind: "text", text: correction(problem) }];
      }
      const message = `The answer does not match its schema after ${MAX_ANSWERS} attempts: ${problem}`;
      conductor.announce({ kind: "fault", fault: { kind: "model", message } });
      return { kind: "faulted", fault: { kind: "model", message } };
    },
  };
}

/** Why an answer stopped, when that can be what is wrong with it. */
const CUT: Record<Exclude<StopReason, "complete">, string> = {
  max_output: ", and it was cut off at the maximum answer length",
  refusal: ", and the model refused to answer",
  tool_calls: ", and it ended with tool calls",
};

function instruction(schema: JsonSchema): string {
  return (
    "When you have done what is asked, make your last message one JSON value that matches this JSON Schema, with nothing " +
    `else and no code fence:\n${JSON.stringify(schema)}`
  );
}

function correction(problem: string): string {
  return `Your last message is not valid: ${problem}. Answer again with only the JSON value.`;
}

type Found =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Parses a text as JSON; a fence around all of it is tolerated. */
function valueIn(text: string): Found {
  const [, inner = text] = /^\s*```(?:json)?[ \t]*\n([\s\S]*?)\n?```\s*$/.exec(text) ?? [];
  try {
    return { ok: true, value: JSON.parse(inner) };
  } catch (error) {
    return { ok: false, problem: `it is not JSON (${describeError(error)})` };
  }
}
