// Matchers for a tool, or an argument of one, that does not exist: what they should guard is unguarded, so this is reported.

import { isTable, type JsonSchema, nearest } from "indusagi/core";
import type { FeatureId } from "./descriptor.ts";
import type { EventSubscription } from "./handler.ts";
import type { ToolInterceptor } from "./interceptor.ts";
import type { ToolContribution } from "./tool.ts";
import { meansTool } from "./tool-names.ts";

interface IdleMatcher {
  readonly feature: FeatureId;
  /** The name that matches no tool of the session; with `argument`, the tool's, or `*`. */
  readonly match: string;
  /** The argument that the matched tools do not have. */
  readonly argument?: string;
  /** The arguments that they have. */
  readonly known?: readonly string[];
  /** The tool probably meant. */
  readonly near?: string | undefined;
}

/** What a person needs to know about one, without the feature's name. */
export function idleMatcherInWords({ match, argument, known = [], near }: IdleMatcher): string {
  if (argument !== undefined) {
    const waits = `it matches the argument "${argument}", which`;
    if (match === "*") return `${waits} no tool of this session has`;
    return `${waits} the tool "${match}" does not have: it has ${known.map((name) => `"${name}"`).join(", ")}`;
  }
  const problem = `it matches the tool "${match}", which this session does not have`;
  return near === undefined
    ? `${problem}: did you mean a different tool?`
    : `${problem}: did you mean "${near}"?`;
}

/** Interceptors and handlers for a tool, or an argument, that nobody has, each name once per feature. */
export function idleMatchers({
  tools,
  interceptors,
  subscriptions,
}: {
  readonly tools: readonly ToolContribution[];
  readonly interceptors: readonly ToolInterceptor[];
  readonly subscriptions: readonly EventSubscription[];
}): readonly IdleMatcher[] {
  const names = tools.map(({ tool }) => tool.name);
  const matchers = [
    ...interceptors,
    ...subscriptions.flatMap(({ feature, handler: { match } }) =>
      match === undefined ? [] : { feature, match },
    ),
  ];
  const idle = matchers
    .filter(({ match }) => match !== "*" && !names.some((name) => meansTool(match, name)))
    .map(({ feature, match }): IdleMatcher => {
      const near = nearest(match, names);
      return { feature, match, near };
    });
  const all = [...idle, ...subscriptions.flatMap((each) => idleArgument(each, tools) ?? [])];
  return all.filter(
    (each, at) =>
      all.findIndex(
        ({ feature, match, argument }) =>
          feature === each.feature && match === each.match && argument === each.argument,
      ) === at,
  );
}

function idleArgument(
  { feature, handler: { match = "*", matchArgument: argument } }: EventSubscription,
  tools: readonly ToolContribution[],
): IdleMatcher | undefined {
  const matched = tools.filter(({ tool }) => meansTool(match, tool.name));
  const lists = matched.map(({ tool }) => argumentsOf(tool.descriptor().parameters));
  if (argument === undefined || lists.length === 0) return undefined;
  if (lists.some((names) => names === undefined || names.includes(argument))) return undefined;
  return { feature, match, argument, known: lists.flatMap((names) => names ?? []) };
}

/** Undefined where the schema names none, or says that there may be others. */
function argumentsOf({
  properties,
  additionalProperties = false,
}: JsonSchema): readonly string[] | undefined {
  return isTable(properties) && additionalProperties === false ? Object.keys(properties) : undefined;
}
