// What an addon contributes, in the words that `check` and `dev` use: `command /hi`, `gate tool:before`, `around bash`.

import type { FeatureInstallReport } from "../../feature/install-report.ts";

/** One label for each committed contribution, in the report's order. */
export function contributionLabels({
  tools,
  commands,
  hooks,
  tasks,
  providers = [],
}: Pick<FeatureInstallReport, "tools" | "commands" | "hooks" | "tasks" | "providers">): readonly string[] {
  return [
    ...commands.map((name) => `command /${name}`),
    ...tools.map((name) => `tool ${name}`),
    ...hooks.map(hookLabel),
    ...tasks.map((id) => `task ${id}`),
    ...providers.map((id) => `models of ${id}`),
  ];
}

/** What differs between two versions' contributions: `+ command /hi, - gate tool:before`; empty if they are the same. */
export function describeChange(before: readonly string[], after: readonly string[]): string {
  const signed = [
    ...surplus(after, before).map((label) => `+ ${label}`),
    ...surplus(before, after).map((label) => `- ${label}`),
  ];
  return signed.join(", ");
}

/** An addon may contribute two with the same label: each counts. */
function surplus(of: readonly string[], over: readonly string[]): readonly string[] {
  const rest = [...over];
  return of.filter((label) => {
    const at = rest.indexOf(label);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

/** The registry reports `tool:before (gate)` and `intercept:bash`. */
function hookLabel(hook: string): string {
  if (hook.startsWith("intercept:")) return `around ${hook.slice("intercept:".length)}`;
  const [, event = hook, kind = "handler"] = /^(.*) \((.*)\)$/.exec(hook) ?? [];
  return `${kind} ${event}`;
}
