// Names of tools in matchers: what the seeds and the editions before this one call a built-in tool means that tool.

import { nearest } from "indusagi/core";
import type { EventSubscription, FeatureId, ToolContribution, ToolInterceptor } from "./contract.ts";

/** By the other name. Seed 002 intercepts `shell`; seed 003 names the checklist's tools of the TypeScript edition. */
export const TOOL_ALIASES: Readonly<Record<string, string>> = {
  shell: "bash",
  todoread: "todo_read",
  todowrite: "todo_set",
};

/** Whether a matcher, a tool's name or `*`, means `tool`. */
export function meansTool(match: string, tool: string): boolean {
  return (
    match === tool || match === "*" || (Object.hasOwn(TOOL_ALIASES, match) && TOOL_ALIASES[match] === tool)
  );
}

export interface IdleMatcher {
  readonly feature: FeatureId;
  /** The name that means no tool of the session. */
  readonly match: string;
  /** The tool that it may mean. */
  readonly near?: string;
}

/** What a person must know of one, without the feature's name. */
export function idleMatcherInWords({ match, near }: IdleMatcher): string {
  const told = `it waits for the tool "${match}", which nobody here has`;
  return near === undefined ? `${told}: is another one meant?` : `${told}: is "${near}" meant?`;
}

/** Interceptors and gates that wait for a tool that nobody has, each name once for each feature. */
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
