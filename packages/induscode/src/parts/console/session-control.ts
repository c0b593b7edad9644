import { dirname } from "node:path";
import { beginningOf, nearest, printable } from "indusagi/core";
import type { Conductor } from "../../conductor/contract.ts";
import type { Retell } from "../../conductor/past-events.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { SessionControl } from "../../deck/builtins/session-commands.ts";
import type { FeatureId } from "../../feature/descriptor.ts";
import { inWords, type TaskReport, type TaskSupervisor } from "../../feature/tasks.ts";
import type { SessionFeatures } from "../../session/features/session-features.ts";
import type { SessionNotices } from "../../session/notices.ts";
import type { PlanState } from "../plan/plan-state.ts";
import { costTable } from "../usage/cost-table.ts";

export interface ControlDeps {
  readonly conductor: Conductor;
  readonly features: SessionFeatures;
  readonly tasks: TaskSupervisor;
  readonly plan: PlanState;
  readonly leave: () => void;
  readonly why: (call: string) => Promise<string>;
  /** Where its log and those of the folder's other sessions are. */
  readonly folder: string;
  readonly rewind: SessionControl["rewind"];
  readonly retell: Retell | undefined;
  /** What a feature said of itself in this session. */
  readonly recent: SessionNotices["recent"];
}

/** What a session's own commands operate on. */
export function createSessionControl({
  conductor,
  features,
  tasks,
  plan,
  leave,
  why,
  folder,
  rewind,
  retell,
  recent,
}: ControlDeps): SessionControl {
  const shown: string[] = [];
  return {
    why,
    resume: async (words, list) =>
      (await import("../sessions/session-resume.ts")).resumeCommand(
        words,
        { conductor, shown, folder, retell },
        list,
      ),
    rewind,
    commands: () => features.registry.commands,
    leave,
    tasks: (name) => (name === "" ? describeTasks(tasks.report()) : (tasks.run(name) ?? `Started ${name}.`)),
    addons: (words) => addonsCommand(words, { features, recent }),
    describeModel: () => {
      const { model, contextTokens, usage } = conductor.status();
      return `${model}  (context ${contextTokens} tokens; ${usage.inputTokens} in and ${usage.outputTokens} out so far)`;
    },
    describeCost: () => costTable(conductor.status().costs).join("\n"),
    setModel: async (name) =>
      (await conductor.setModel(name))?.message ?? `The model is now ${conductor.status().model}.`,
    renew: () => {
      const problem = conductor.renew()?.message;
      if (problem === undefined) plan.restart();
      if (problem !== undefined) return problem;
      const { sessionId, logPath } = conductor.status();
      const where = dirname(logPath) === folder ? "" : `, in ${dirname(logPath)}`;
      return `New session: ${sessionId}${where}`;
    },
    plan: plan.command,
    fork: (words) => forkCommand(words, conductor),
    tree: async (words, list) =>
      (await import("../sessions/session-tree.ts")).treeCommand(words, { conductor, list, retell }),
    rename: (name) => {
      if (name === "") return "Usage: /rename NAME.";
      conductor.noteTitle({ text: name });
      return `This session is now called "${printable(name)}".`;
    },
    clear: () => conductor.clear()?.message ?? "The model starts afresh; the log keeps everything.",
    compact: async (focus) =>
      focus === "undo"
        ? (await import("../sessions/session-tree.ts")).undoCompaction(conductor)
        : ((await conductor.compact(focus))?.message ?? "Done."),
  };
}

/** `/fork`, or `/fork 2`, which omits the last two lines. */
function forkCommand(words: string, conductor: Conductor): string {
  const back = words === "" ? 0 : Number(words);
  if (!Number.isSafeInteger(back) || back < 0)
    return "Usage: /fork, or /fork N to go back before your last N lines.";
  const from = conductor.status().sessionId;
  const made = conductor.fork(back);
  if ("fault" in made) return made.fault.message;
  const before =
    made.left === "" ? "" : `, before "${beginningOf(printable(made.left.split("\n", 1)[0] ?? ""), 60)}"`;
  return `You are now in ${conductor.status().sessionId}, a fork of ${from}${before}. Files are unchanged.`;
}

const ADDONS_USAGE = "Usage: /addons, /addons trust ID, /addons restart ID, or /addons remove ID.";

/**
 * `/addons`: the state of each; `trust ID`: asks about one found here, and loads it; `restart ID`: starts a new process and ends its
 * quarantine; `remove ID`: removes it from this session.
 */
async function addonsCommand(
  words: string,
  { features, recent }: Pick<ControlDeps, "features" | "recent">,
): Promise<string> {
  const [action, id = "", ...more] = words.split(/\s+/).filter(Boolean);
  if (action === undefined) return describeAddons(features, recent);
  if (id === "" || more.length > 0) return ADDONS_USAGE;
  if (action === "trust") return features.admit(id);
  if (action === "remove") return removeAddon(id, features);
  return action === "restart" ? restartAddon(id, features) : ADDONS_USAGE;
}

function addonReports({ registry }: SessionFeatures): SessionFeatures["registry"]["reports"] {
  return registry.reports.filter(({ feature }) => !feature.startsWith("builtin:"));
}

function describeAddons(features: SessionFeatures, recent: ControlDeps["recent"]): string {
  const code = features.codeAddons();
  const lines = addonReports(features).map(({ feature, enabled }) => {
    const own = code.find((addon) => addon.feature === feature);
    const state = enabled ? (own ? own.remote.state() : "enabled") : "not enabled";
    const quarantine = own?.quarantine();
    const said = recent(feature).map(({ severity, text }) => `${severity}: ${printableLine(text)}`);
    return [`  ${feature}  ${state}`, ...[quarantine ?? [], said].flat().map((line) => `    ${line}`)].join(
      "\n",
    );
  });
  const all = [...lines, ...features.off.map((line) => `  ${line}`)];
  return all.length === 0 ? "No addons." : all.join("\n");
}

async function restartAddon(id: string, features: SessionFeatures): Promise<string> {
  const all = features.codeAddons();
  const found = oneNamed(id, all, "with a process of its own");
  if (typeof found === "string") return found;
  const [code] = all.filter(({ feature }) => feature === found.feature);
  await code?.remote.restart();
  return `Restarted ${code?.id}: its process starts when something first needs it.`;
}

async function removeAddon(id: string, features: SessionFeatures): Promise<string> {
  const code = features.codeAddons();
  const all = addonReports(features).map(({ feature, displayName }) => ({
    feature,
    names: [feature, displayName, ...(code.find((each) => each.feature === feature)?.names ?? [])],
  }));
  const found = oneNamed(id, all, "in this session");
  if (typeof found === "string") return found;
  const removed = await features.registry.remove(found.feature);
  const open = removed?.hooks.length ? `; unguarded because of it: ${removed.hooks.join(", ")}` : "";
  return `Removed ${found.feature} from this session${open}. To add it again: /addons trust ${id}.`;
}

interface Named {
  readonly feature: FeatureId;
  /** All names that a person can use for it. */
  readonly names: readonly string[];
}

/** The only one with this name; otherwise a message. */
function oneNamed(id: string, all: readonly Named[], which: string): Named | string {
  const [meant, another, ...more] = all.filter(({ names }) => names.includes(id));
  if (meant && another) {
    const could = [meant, another, ...more].map(({ feature }) => feature).join(" or ");
    return `"${id}" is ambiguous: write ${could}.`;
  }
  if (meant) return meant;
  const near = nearest(
    id,
    all.flatMap(({ names }) => names),
  );
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return `No addon "${id}" ${which}.${hint}`;
}

function describeTasks(reports: readonly TaskReport[]): string {
  if (reports.length === 0) return "No background tasks.";
  return reports
    .map(({ id, feature, state, description, lastFault, startsInMs }) => {
      const again = startsInMs === undefined ? "" : `, next run in ${inWords(startsInMs)}`;
      const line = `  ${id}  ${state}${again}  ${description}  (${feature})`;
      return lastFault === undefined ? line : `${line}\n    ${lastFault}`;
    })
    .join("\n");
}
