// What the built-in tools' arguments touch, for the permission check.

import { webFetchHost } from "indusagi/capabilities";
import { type JsonValue, resolvePath } from "indusagi/core";
import type { Access } from "../../feature/tool.ts";

/** What a call with these arguments would touch. */
export type AccessReader = (input: JsonValue, cwd: string, home?: string) => readonly Access[];

/** One file access at the argument `path`; the working directory when it is absent. */
export function pathAccess(kind: "read" | "write"): AccessReader {
  return (input, cwd, home) => [{ kind, path: resolvePath(cwd, stringArgument(input, "path") ?? ".", home) }];
}

/** An edit also reads: its answer quotes the file. */
export const editAccess: AccessReader = (input, cwd, home) => [
  ...pathAccess("read")(input, cwd, home),
  ...pathAccess("write")(input, cwd, home),
];

/** The argument `command`, run in `cwd` or in the argument of that name. */
export const commandAccess: AccessReader = (input, cwd, home) => {
  const outside = stringArgument(input, "outside");
  return [
    {
      kind: "execute",
      command: stringArgument(input, "command") ?? "",
      cwd: resolvePath(cwd, stringArgument(input, "cwd") ?? ".", home),
      outside,
    },
  ];
};

/** Only starting a background job runs something; inspecting and stopping jobs touch nothing. */
export const jobAccess: AccessReader = (input, cwd, home) =>
  stringArgument(input, "action") === "start" ? commandAccess(input, cwd, home) : [];

/** The host of the argument `url`; an invalid URL is refused by the tool itself, and asked about until then. */
export const urlAccess: AccessReader = (input) => [
  { kind: "network", host: webFetchHost(stringArgument(input, "url") ?? "") ?? "unknown" },
];

/** For tools that touch nothing but the session's own state. */
export const noAccess: AccessReader = () => [];

/** A named argument that is a non-empty string; undefined otherwise. */
export function stringArgument(input: JsonValue, name: string): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const value = input[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
