import { nearest } from "indusagi/core";
import type { Conductor } from "../conductor/contract.ts";
import type { SessionControl } from "../deck/builtins/session-commands.ts";
import { commandLine } from "../deck/shell-quote.ts";
import type { InstalledCommand, SessionHandles } from "../feature/contract.ts";
import { inWords, type TaskReport, type TaskSupervisor } from "../feature/tasks.ts";
import { costTable } from "./cost-table.ts";
import type { SessionFeatures } from "./session-features.ts";
import { isThinkingLevel, THINKING_LEVELS } from "./thinking-levels.ts";

export interface ControlDeps {
  readonly conductor: () => Conductor;
  readonly commands: () => readonly InstalledCommand[];
  readonly tasks: () => TaskSupervisor;
  readonly addons: () => Pick<SessionFeatures, "reports" | "codeAddons">;
  readonly leave: () => void;
}

/** What the session's own commands act on. Everything is asked late: the commands exist before the session does. */
export function createSessionControl(deps: ControlDeps): SessionControl {
  const { conductor, commands, tasks, addons, leave } = deps;
  return {
    commands,
    leave,
    tasks: (name) =>
      name === "" ? describeTasks(tasks().report()) : (tasks().run(name) ?? `Started ${name}.`),
    addons: (words) => addonsCommand(words, addons()),
    describeModel: () => {
      const { model, contextTokens, usage } = conductor().status();
      return `${model}  (context ${contextTokens} tokens; ${usage.inputTokens} in and ${usage.outputTokens} out so far)`;
    },
    describeCost: () => costTable(conductor().status().costs).join("\n"),
    setModel: async (name) =>
      (await conductor().setModel(name))?.message ?? `The model is now ${conductor().status().model}.`,
    renew: () => conductor().renew()?.message ?? `A new session: ${conductor().status().sessionId}`,
    clear: () => conductor().clear()?.message ?? "The model starts afresh; the log keeps everything.",
    compact: async (focus) => (await conductor().compact(focus))?.message ?? "Done.",
  };
}

/** `/addons`: how each stands; `/addons restart ID`: a new process, and out of quarantine. */
async function addonsCommand(
  words: string,
  { reports, codeAddons }: Pick<SessionFeatures, "reports" | "codeAddons">,
): Promise<string> {
  const [action, id = "", ...more] = words.split(/\s+/).filter(Boolean);
  if (action === undefined) {
    const lines = reports
      .filter(({ feature }) => !feature.startsWith("builtin:"))
      .map(({ feature, enabled }) => {
        const code = codeAddons.find((addon) => addon.feature === feature);
        const state = enabled ? (code ? code.remote.state() : "enabled") : "not enabled";
        const quarantine = code?.quarantine();
        return `  ${feature}  ${state}${quarantine === undefined ? "" : `\n    ${quarantine}`}`;
      });
    return lines.length === 0 ? "There is no addon." : lines.join("\n");
  }
  if (action !== "restart" || more.length > 0) return "Write: /addons, or /addons restart ID.";
  const meant = codeAddons.filter((addon) => addon.names.includes(id));
  const [code, another] = meant;
  if (another)
    return `"${id}" could be ${meant.map(({ feature }) => feature).join(" or ")}: write one of them.`;
  if (!code) {
    const near = nearest(
      id,
      codeAddons.flatMap(({ names }) => names),
    );
    const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
    return `There is no addon "${id}" with a process of its own.${hint}`;
  }
  await code.remote.restart();
  return `Restarted ${code.id}: its process starts with the first thing that needs it.`;
}

function describeTasks(reports: readonly TaskReport[]): string {
  if (reports.length === 0) return "There is no background task.";
  return reports
    .map(({ id, feature, state, description, lastFault, startsInMs }) => {
      const again = startsInMs === undefined ? "" : `, again in ${inWords(startsInMs)}`;
      const line = `  ${id}  ${state}${again}  ${description}  (${feature})`;
      return lastFault === undefined ? line : `${line}\n    ${lastFault}`;
    })
    .join("\n");
}

/** The handles through which a feature's command acts on the session. */
export function createSessionHandles(conductor: Conductor): SessionHandles {
  return {
    sendMessage: (text) => conductor.steer([{ kind: "text", text }]),
    setModel: async (name) => (await conductor.setModel(name))?.message,
    setThinking: (level) => {
      if (!isThinkingLevel(level))
        return `"${level}" is no thinking level; use ${THINKING_LEVELS.join(", ")}`;
      conductor.setThinking(level);
      return undefined;
    },
    exec: (command, args, { signal } = {}) => conductor.exec(commandLine(command, args), signal),
  };
}
