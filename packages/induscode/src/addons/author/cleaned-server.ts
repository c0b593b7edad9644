// The server of another agent's file as it may lie in a package: what only its owner should read is somewhere else.

import { takeAddress } from "./import-server.ts";
import { takeWord } from "./imported-command.ts";
import {
  createImportedValues,
  hasReference,
  type ImportedValues,
  isSecretValue,
  type KeepSecret,
  variableFor,
} from "./imported-secrets.ts";
import { isTable, type Note, type Table } from "./imported-shapes.ts";

/** Their values have names of their own, which are variables'. */
const VARIABLES = new Set(["env", "environment"]);
/** What is below them names variables and files, and is no value. */
const NAMES = new Set(["bearer_token_env_var", "env_http_headers", "env_vars", "envFile"]);
const ADDRESSES = new Set(["url", "httpUrl", "serverUrl"]);

/**
 * A server's table without the values that only their owner should read, wherever they stand in it: in place of each is the secret that the
 * server then requests. `told` gets a line for each.
 */
export function withoutSecretValues(
  server: string,
  table: Table,
  told: Note,
  keep: KeepSecret | undefined,
): Table {
  const values = createImportedValues((text) => told(`${server}: ${text}`), keep);
  return cleanedTable(table, { server, values, isVariables: false });
}

interface Cleaning {
  readonly server: string;
  readonly values: ImportedValues;
  /** Its keys are names of variables. */
  readonly isVariables: boolean;
}

function cleanedTable(table: Table, cleaning: Cleaning): Table {
  return Object.fromEntries(
    Object.entries(table).map(([key, value]) => [key, cleaned(key, value, cleaning)]),
  );
}

function cleaned(key: string, value: unknown, cleaning: Cleaning): unknown {
  const { server, values, isVariables } = cleaning;
  if (NAMES.has(key) && !isVariables) return value;
  if (isTable(value)) return cleanedTable(value, { ...cleaning, isVariables: VARIABLES.has(key) });
  if (Array.isArray(value)) return cleanedWords(value, cleaning);
  if (typeof value !== "string" || hasReference(value)) return value;
  if (ADDRESSES.has(key)) return takeAddress(value, server, values);
  if (!isSecretValue(key, value)) return value;
  return values.take(key, value, isVariables ? key : variableFor(server, key)) ?? value;
}

/** An option may say that the word behind it is one. */
function cleanedWords(words: readonly unknown[], cleaning: Cleaning): readonly unknown[] {
  const { server, values } = cleaning;
  return words.map((word, at) => {
    if (typeof word !== "string") return cleaned(String(at), word, cleaning);
    if (hasReference(word)) return word;
    const before = words[at - 1];
    const own = (name?: string): string => variableFor(server, name ?? `argument_${at}`);
    return takeWord(word, typeof before === "string" ? before : "", values, own) ?? word;
  });
}
