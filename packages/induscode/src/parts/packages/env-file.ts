// `envFile` of a server in another agent's file: its variables are read when the server is brought, and become the server's own.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { describeError, isInside, isTable, readBoundedFile } from "indusagi/core";
import { type Table, VARIABLE } from "../../addons/author/imported-shapes.ts";

const MAX_BYTES = 64 * 1024;
const WORKSPACE = /\$\{workspace(?:Folder|Root)\}/g;

export interface WithEnvFile {
  readonly table: Table;
  /** What was read, or why nothing was. */
  readonly notes: readonly string[];
}

/**
 * The server's table with the variables of its file, without those that it sets itself. A file outside of `base`, the folder of the
 * configuration, is not read: whoever wrote that may not be who has the file.
 */
export function withEnvFile(table: Table, base: string): WithEnvFile {
  const { envFile: said, ...rest } = table;
  if (typeof said !== "string") return { table, notes: [] };
  const path = resolve(
    base,
    said.replace(WORKSPACE, () => base),
  );
  const { variables, problem } = readVariables(path, base);
  if (problem !== undefined)
    return {
      table: rest,
      notes: [
        `its file of variables, ${said}, is not read: ${problem}. Give its values with --secret NAME and --env NAME=VALUE`,
      ],
    };
  const key = isTable(rest.environment) && rest.env === undefined ? "environment" : "env";
  const { [key]: given = {} } = rest;
  const own = isTable(given) ? given : {};
  const names = Object.keys(variables).filter((name) => VARIABLE.test(name));
  const read = Object.fromEntries(names.map((name) => [name, variables[name]]));
  const merged = { ...rest, [key]: { ...read, ...own } };
  const what = names.length === 0 ? "which has none" : names.join(", ");
  return { table: merged, notes: [`its variables are read from ${said} when it is added: ${what}`] };
}

interface ReadVariables {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly problem?: string;
}

function readVariables(path: string, base: string): ReadVariables {
  try {
    const real = realpathSync(path);
    if (!isInside(realpathSync(base), real)) return { variables: {}, problem: `it is not in ${base}` };
    return { variables: parseEnv(readBoundedFile(real, MAX_BYTES).toString("utf8")) };
  } catch (error) {
    return { variables: {}, problem: describeError(error) };
  }
}
