// Reads the file in which another agent lists MCP servers, as data.

import { extname } from "node:path";
import { describeError } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";
import { readJsonText, readJsonTolerantly } from "../../store/json.ts";
import { parseToml } from "../../store/toml.ts";

/** The state of a long-used agent is in the same file. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 50;

/** The value of a JSON or TOML file. Throws a {@link Problem} that calls it as the person did. */
export async function readServers(path: string, name: string): Promise<unknown> {
  try {
    if (extname(path) === ".toml") return await parseToml(readJsonText(path, MAX_BYTES), MAX_DEPTH);
    const { value, problem } = await readJsonTolerantly(path, MAX_BYTES);
    if (problem === undefined) return value;
    throw problem;
  } catch (error) {
    throw new Problem(`${name} cannot be read: ${describeError(error)}`);
  }
}
