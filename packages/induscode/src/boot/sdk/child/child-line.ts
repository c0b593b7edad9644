// The command line of a session in another process, and what cannot cross to it.

import { splitNames } from "../../../briefing/written-names.ts";
import { EXIT_USAGE, Problem } from "../../../cli/problem.ts";
import type { SchemaLiteral } from "../from-schema.ts";
import type { SessionOptions } from "../sdk-options.ts";

/** Throws a {@link Problem} for an option that only works in this process. */
export function childLine(options: SessionOptions<SchemaLiteral | undefined>): readonly string[] {
  const { model, mode, allow = [], deny = [], grant = [], maxTurns, maxCost, resume, pieces, ask } = options;
  for (const name of ["tools", "hooks"] as const)
    if ((options[name]?.length ?? 0) > 0) throw stays(`${name}: functions`);
  if (model !== undefined && typeof model !== "string")
    throw stays("model: a model that the program defines");
  const torn = [...allow, ...deny].find((rule) => splitNames(rule)[0] !== rule.trim());
  if (torn !== undefined) throw stays(`the rule ${JSON.stringify(torn)}`);
  const valued = (flag: string, value: string | number | undefined): readonly string[] =>
    value === undefined ? [] : [`--${flag}=${value}`];
  return [
    ...["--input-format=stream-json", "--output-format=stream-json"],
    ...(ask ? ["--permission-prompt-tool=stdio"] : []),
    ...(pieces ? ["--include-partial-messages"] : []),
    ...valued("model", model),
    ...valued("permission-mode", mode),
    ...allow.flatMap((rule) => valued("allowed-tools", rule)),
    ...deny.flatMap((rule) => valued("disallowed-tools", rule)),
    ...grant.flatMap((addon) => valued("grant", addon)),
    ...valued("max-turns", maxTurns),
    ...valued("max-budget-usd", maxCost),
    ...valued("json-schema", options.outputSchema && JSON.stringify(options.outputSchema)),
    ...valued("resume", resume),
  ];
}

function stays(what: string): Problem {
  return new Problem(`${what} cannot be passed to another process; omit "transport"`, EXIT_USAGE);
}
