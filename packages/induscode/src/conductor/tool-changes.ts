// How one prompt's tools differ from those of the previous prompt, for whoever reads the log.

import type { ToolDescriptor } from "indusagi/llmgateway";
import type { Entry, ToolChange } from "./contract.ts";

/** What was added, removed and changed; empty if the lists are equal. */
export function toolChangesOf(
  before: readonly ToolDescriptor[],
  after: readonly ToolDescriptor[],
  ownerOf: (tool: string) => string | undefined,
): readonly ToolChange[] {
  const [old, now] = [before, after].map((tools) => new Map(tools.map((each) => [each.name, each])));
  const changeOf = (tool: string, how: ToolChange["how"]): ToolChange => {
    const feature = ownerOf(tool);
    return { tool, how, feature };
  };
  return [
    ...before.flatMap(({ name }) => (now?.has(name) ? [] : changeOf(name, "removed"))),
    ...after.flatMap((tool) => {
      const was = old?.get(tool.name);
      if (was === undefined) return changeOf(tool.name, "added");
      return JSON.stringify(was) === JSON.stringify(tool) ? [] : changeOf(tool.name, "changed");
    }),
  ];
}

/** One line for each log entry at which the model's tools changed. */
export function toolChangeLines(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "prompt" || !entry.toolChanges) return [];
    const told = entry.toolChanges.map(
      ({ tool, how, feature }) => `${tool} ${how}${feature === undefined ? "" : ` (${feature})`}`,
    );
    return `Entry ${entry.n}: the model's tools changed: ${told.join(", ")}.`;
  });
}
