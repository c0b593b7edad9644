// Which calls a hook is about: an exact name, a list of names, or a regular expression in linear time.

import { setFlagsFromString } from "node:v8";
import type { JsonObject } from "indusagi/core";
import { plainNames } from "./hook-names.ts";
import { hookToolInput, hookToolName, hookToolNames } from "./hook-tools.ts";

/** Whether one of these names is meant. */
export type Matches = (names: readonly string[]) => boolean;

const MAX_PATTERN = 1_000;

/** Throws an error that says why a matcher cannot be used. */
export function compileMatcher(matcher: string | undefined): Matches {
  if (matcher === undefined || matcher.trim() === "" || matcher === "*") return () => true;
  const wanted = plainNames(matcher);
  if (wanted !== undefined) return (names) => names.some((name) => wanted.includes(name));
  if (matcher.length > MAX_PATTERN) throw new Error(`its matcher has more than ${MAX_PATTERN} characters`);
  const pattern = linear(matcher);
  return (names) => names.some((name) => pattern.test(name));
}

/** The engine that needs as many steps as the text is long, or refuses the pattern. This process is the addon's own. */
function linear(source: string): RegExp {
  setFlagsFromString("--enable-experimental-regexp-engine");
  return new RegExp(source, "l");
}

/** What of a call the pattern of a condition is about. */
const SUBJECTS: readonly string[] = ["command", "file_path", "pattern", "url", "query", "path"];

/** `Bash(git *)`, `Edit(*.ts)`, `Read`: whether a condition fits a call. Throws an error that says why it cannot be read. */
export function compileCondition(condition: string): (tool: string, args: JsonObject) => boolean {
  const [, name = "", , pattern] = /^([\w*-]+)(\((.*)\))?$/s.exec(condition) ?? [];
  if (name === "")
    throw new Error(`its condition ${JSON.stringify(condition)} is not of the form Tool(pattern)`);
  const fits = pattern === undefined ? () => true : compileGlob(pattern);
  return (tool, args) => {
    if (!hookToolNames(tool).includes(name)) return false;
    const input = hookToolInput(tool, args);
    const subject = SUBJECTS.map((key) => input[key]).find((value) => typeof value === "string");
    return fits(typeof subject === "string" ? subject : hookToolName(tool));
  };
}

/** A `*` is any text; `git:*` is whatever begins with `git`. */
function compileGlob(pattern: string): (text: string) => boolean {
  const glob = pattern.endsWith(":*") ? `${pattern.slice(0, -2)}*` : pattern;
  const source = glob
    .split("*")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("[\\s\\S]*");
  const compiled = linear(`^${source}$`);
  return (text) => compiled.test(text);
}
