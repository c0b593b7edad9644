// What only Codex has for an MCP server: variables by their names, and times in seconds.

import { MAX_CALL_SECONDS, MAX_START_SECONDS } from "../source/manifest.ts";
import type { ImportedValues } from "./imported-secrets.ts";
import { HEADER, isTable, type Note, type Table, VARIABLE } from "./imported-shapes.ts";

/** Codex: the names of variables that it passes on. */
export function passedOn(given: unknown, values: ImportedValues, note: Note): Record<string, string> {
  const names = (Array.isArray(given) ? given : []).map((each: unknown) =>
    isTable(each) ? each.name : each,
  );
  const usable = names.filter((each): each is string => typeof each === "string" && VARIABLE.test(each));
  for (const each of usable)
    note(`Codex passes ${each} on to the server; here, the addon requests it as the secret ${each}`);
  return Object.fromEntries(usable.map((each) => [each, values.request(each)]));
}

/** Codex: headers with the variables that hold their values. */
export function variablesIn(given: unknown, values: ImportedValues): Record<string, string> {
  const usable = Object.entries(isTable(given) ? given : {}).flatMap(([header, variable]) =>
    HEADER.test(header) && typeof variable === "string" && VARIABLE.test(variable)
      ? [[header, values.request(variable)] as const]
      : [],
  );
  return Object.fromEntries(usable);
}

/** The keys that {@link codexTimes} reads. */
export const CODEX_TIMES: readonly string[] = ["startup_timeout_sec", "tool_timeout_sec"];

/** Their unit is in their names. `startSeconds`: instead of the time that the server has to start. */
export function codexTimes(server: Table, note: Note, startSeconds?: number): readonly string[] {
  const taken = (key: string, line: string, max: number): readonly string[] => {
    const value = server[key];
    if (value === undefined) return [];
    if (typeof value !== "number" || !(value > 0)) {
      note(`${JSON.stringify(key)} is not imported: it is not a number of seconds`);
      return [];
    }
    const seconds = Math.min(Math.ceil(value), max);
    note(
      `${JSON.stringify(key)} = ${value} is imported as ${line} = ${seconds}${seconds < value ? ", the maximum" : ""}`,
    );
    return [`${line} = ${seconds}`];
  };
  return [
    ...(startSeconds === undefined
      ? taken("startup_timeout_sec", "start-seconds", MAX_START_SECONDS)
      : [`start-seconds = ${startSeconds}`]),
    ...taken("tool_timeout_sec", "call-seconds", MAX_CALL_SECONDS),
  ];
}
