// `/status`: what this session is.

import { formatCount, formatUsage } from "../../console/figures.ts";
import { windowOf } from "../../session/models/window-of.ts";
import type { PermissionsHere, SessionHere } from "../../session/session-here.ts";
import { modeInWords } from "../permissions/why-text.ts";

export async function statusReport(session: SessionHere): Promise<string> {
  const { conductor, cwd, models, permissions } = session;
  const { model, contextTokens, usage, sessionId, logPath } = conductor.status();
  const window = await windowOf(models, model).catch(() => undefined); // without a usable model there is none
  const isKnown = window !== undefined && window !== Number.MAX_SAFE_INTEGER; // a recording takes all
  const sandbox = await sandboxInWords(permissions); // the mode can depend on it
  const mode = await permissions.modes.settled();
  const isDefault = permissions.isDefaultMode();
  return [
    `  model    ${model}`,
    `  mode     ${modeInWords(mode, { isDefault })}`,
    `  sandbox  ${sandbox}`,
    `  context  ${formatCount(contextTokens)}${isKnown ? ` of ${formatCount(window)}` : ""} tokens; /context shows what fills it`,
    `  paid     ${formatUsage(usage)}; /cost shows each model's`,
    `  session  ${sessionId}`,
    `  folder   ${cwd}`,
    `  log      ${logPath}`,
  ].join("\n");
}

async function sandboxInWords({ sandbox }: PermissionsHere): Promise<string> {
  if (!sandbox) return "off: commands run without a sandbox";
  const state = await sandbox.state();
  if (typeof state !== "string") return `none: ${state.refusal}`;
  return state === "absent" ? "not available on this machine: commands run without a sandbox" : state;
}
