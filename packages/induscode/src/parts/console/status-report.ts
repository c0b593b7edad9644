// `/status`: what this session is.

import { formatCount, formatUsage } from "../../console/figures.ts";
import { printableLine } from "../../console/printable-line.ts";
import { leavesSandbox } from "../../feature/capabilities.ts";
import { windowOf } from "../../session/models/window-of.ts";
import type { PermissionsHere, SessionHere } from "../../session/session-here.ts";
import { modeInWords } from "../permissions/why-text.ts";

export async function statusReport(session: SessionHere): Promise<string> {
  const { conductor, cwd, models, permissions } = session;
  const { model, contextTokens, usage, sessionId, logPath } = conductor.status();
  const window = await windowOf(models, model).catch(() => undefined); // without a usable model there is none
  const isKnown = window !== undefined && window !== Number.MAX_SAFE_INTEGER; // a recording takes all
  const state = await permissions.sandbox?.state(); // the mode can depend on it
  const mode = await permissions.modes.settled();
  const isDefault = permissions.isDefaultMode();
  const sandbox = sandboxInWords(state, isDefault || mode === "auto" ? undefined : mode);
  return [
    `  model    ${model}`,
    `  mode     ${modeInWords(mode, { isDefault })}`,
    `  sandbox  ${sandbox}`,
    ...outside(session),
    ...styleLine(session),
    `  context  ${formatCount(contextTokens)}${isKnown ? ` of ${formatCount(window)}` : ""} tokens; /context shows what fills it`,
    `  paid     ${formatUsage(usage)}; /cost shows each model's`,
    `  session  ${sessionId}`,
    `  folder   ${cwd}`,
    `  log      ${logPath}`,
  ].join("\n");
}

/** What runs with all that the person may do. */
function outside({ features }: SessionHere): readonly string[] {
  const named = features.registry.reports.filter(({ granted }) => leavesSandbox(granted));
  return named.map(({ feature }) => `  outside  ${printableLine(feature)} runs outside of the sandbox`);
}

function styleLine({ outputStyles }: SessionHere): readonly string[] {
  const style = outputStyles.inForce();
  return style === undefined ? [] : [`  style    ${printableLine(style.name)}`];
}

type SandboxState = Awaited<ReturnType<NonNullable<PermissionsHere["sandbox"]>["state"]>>;

/** `mode`, if it is one in which only the setting asks for a sandbox; undefined state: that forbids one. */
function sandboxInWords(state: SandboxState | undefined, mode: string | undefined): string {
  if (state === undefined) return "off: commands run without a sandbox";
  if (typeof state !== "string") return `none: ${state.refusal}`;
  if (state === "in force") return state;
  return mode === undefined
    ? "not available on this machine: commands run without a sandbox"
    : `not used in the mode ${mode}: commands run without a sandbox`;
}
