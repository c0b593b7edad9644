// Matchers for a tool that does not exist: what they should guard is unguarded, so this is reported.

import { nearest } from "indusagi/core";
import type { EventSubscription, FeatureId, ToolContribution, ToolInterceptor } from "./contract.ts";
import { meansTool } from "./tool-names.ts";

interface IdleMatcher {
  readonly feature: FeatureId;
  /** The name that matches no tool of the session. */
  readonly match: string;
  /** The tool probably meant. */
  readonly near?: string;
}

/** What a person needs to know about one, without the feature's name. */
export function idleMatcherInWords({ match, near }: IdleMatcher): string {
  const problem = `it waits for the tool "${match}", which this session does not have`;
  return near === undefined ? `${problem}: did you mean another one?` : `${problem}: did you mean "${near}"?`;
}

/** Interceptors and handlers for a tool that nobody has, each name once per feature. */
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
      return { feature, match, ...(near === undefined ? {} : { near }) };
    });
  return idle.filter(
    (each, at) =>
      idle.findIndex(({ feature, match }) => feature === each.feature && match === each.match) === at,
  );
}
