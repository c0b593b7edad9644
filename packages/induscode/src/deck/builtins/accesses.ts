// What the arguments of the built-in tools touch, for the permission check.

import { type JsonValue, resolvePath } from "indusagi/core";
import type { Access } from "../../feature/contract.ts";

type AccessReader = (input: JsonValue, cwd: string) => readonly Access[];

/** One file access at the argument `path`; the working directory when the argument is absent. */
export function pathAccess(kind: "read" | "write"): AccessReader {
  return (input, cwd) => [{ kind, path: resolvePath(cwd, stringArgument(input, "path") ?? ".") }];
}

/** The argument `command`, run in `cwd` or in the argument of that name. */
export const commandAccess: AccessReader = (input, cwd) => [
  {
    kind: "execute",
    command: stringArgument(input, "command") ?? "",
    cwd: resolvePath(cwd, stringArgument(input, "cwd") ?? "."),
  },
];

function stringArgument(input: JsonValue, name: string): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const value = input[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
