// Last stage: the session itself, with its parts.

import type { ModelParams } from "indusagi/llmgateway";
import type { JoinSession, SessionPart } from "../../cli/part.ts";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { type CostBudget, createCostBudget } from "../../conductor/cost.ts";
import type { WhereToWrite } from "../../conductor/unwritten.ts";
import { PERSON } from "../../deck/builtins/person-desk.ts";
import { COMMAND_TURN } from "../../deck/builtins/turn-wishes.ts";
import { DEFAULT_DEADLINE_MS } from "../../feature/handler-limits.ts";
import { inHome } from "../../store/home.ts";
import { commandTurn } from "../command-turn.ts";
import { longSession } from "../logs/long-session.ts";
import type { SessionLogs } from "../logs/session-log.ts";
import { maskedUi } from "../masked-ui.ts";
import type { SessionModels } from "../models/session-models.ts";
import { openSession } from "../open.ts";
import type { MadeSession, Session, SessionFacts } from "../open-facts.ts";
import { SESSION_HERE, type SessionHere } from "../session-here.ts";
import type { StartFeatures } from "./features.ts";
import { permissionsFor, type StartPermissions } from "./permissions.ts";
import type { StartSettings } from "./settings.ts";

/** What the stages before it made. */
export interface Staged {
  readonly start: StartSettings;
  readonly models: SessionModels;
  readonly found: StartFeatures;
  readonly allowed: StartPermissions;
  readonly logs: SessionLogs;
  readonly budget: CostBudget | undefined;
  /** What its parts do in it. */
  readonly joins: readonly JoinSession[];
}

/** Idle: nobody is notified before its start. */
export function openMainSession(staged: Staged): Session {
  const { start, models, found, allowed, logs, budget } = staged;
  const { options, secrets, secretEnv, loaded, notices, personHome } = start;
  const { settings } = loaded;
  const { cwd, env } = options;
  const { briefing } = found;
  const ui = options.ui && maskedUi(options.ui, secrets);
  const turns = maxTurns(start);
  const session = openSession({
    registry: found.features.registry,
    place: { cwd, personHome, env, secretEnv, withhold: allowed.withhold, files: options.files },
    limits: {
      isReadOnly: () => allowed.mode.own() === "read-only",
      isPlanning: allowed.mode.isPlanning,
      isOffline: options.isOffline === true,
    },
    logs: {
      ...{ log: logs.log, entries: logs.entries, fold: logs.fold },
      ...{ nextLog: logs.next, forkLog: logs.fork, openLog: logs.open },
      whereToWrite: ui && whereToWrite(start, ui, logs),
    },
    model: {
      ...{ resolveModel: models.resolve, modelName: models.name, fallbackModels: models.fallbacks },
      params: modelParams(start),
      ...turns,
      budget,
    },
    secrets,
    notices,
    fence: { deadlineMs: DEFAULT_DEADLINE_MS, onGateFailure: settings.onGateFailure ?? "allow" },
    showsProgress: options.showsProgress === true,
    toolBytes: settings.addons?.toolBytes,
    ui,
    words: briefing,
    isDocument: briefing.folderDocs.isDocument,
    sandbox: allowed.sandbox,
    onDecision: options.onDecision,
    join: (made) => join(staged, made),
    perform: options.replay?.perform,
    permissions: permissionsFor(start, found, allowed),
    delegates: {
      words: briefing.forDelegate,
      nextLog: logs.nextDelegate,
      openLog: logs.openDelegate,
      maxTurns: turns.maxTurns ?? MAX_DELEGATE_TURNS,
    },
  });
  allowed.mode.join(session.conductor);
  return session;
}

// Far more than one objective takes; the waiting session has no limit this low.
const MAX_DELEGATE_TURNS = 200;

/** The session's parts join it, and what is typed in it finds it. */
function join(staged: Staged, made: MadeSession): readonly SessionPart[] {
  const { conductor, scope, tasks, explain, permits, lend, openDelegate } = made;
  const { start, models, found, allowed, joins } = staged;
  const { options, secrets, loaded, notices, personHome } = start;
  const { cwd, home, front, onPlan, worktree, ui } = options;
  const { mode, modes, subjects, sandbox, granted } = allowed;
  const here: SessionHere = {
    ...{ conductor, cwd, home, personHome, secrets, notices, models, tasks, front },
    settings: loaded.settings,
    settingsTable: loaded.table,
    rules: loaded.rules,
    isInWorktree: worktree !== undefined,
    features: found.features,
    outputStyles: {
      ...found.briefing.outputStyles,
      async choose(name) {
        const problems = await found.briefing.outputStyles.choose(name);
        conductor.recompose();
        return problems;
      },
    },
    profiles: found.profiles,
    openDelegate,
    permissions: {
      ...{ explain, permits, modes, isDefaultMode: mode.isDefault, subjects, sandbox },
      hosts: () => granted.hosts(),
      folders: () => granted.folders(),
    },
  };
  scope.put(SESSION_HERE, here);
  scope.put(COMMAND_TURN, commandTurn({ conductor, permits, lend, cwd, home, personHome, subjects, ui }));
  scope.put(PERSON, {
    propose: onPlan ?? ((text) => conductor.announce({ kind: "alert", text: `The plan:\n${text}` })),
    isPlanning: mode.isPlanning,
    beginPlan: () => void mode.set("plan", "model"),
    waysOn: modes.waysOn,
    endPlan: (way) => void (way ? mode.set(way.mode, "plan") : mode.endPlan("plan")),
  });
  return [mode, longSession(conductor), ...joins.flatMap((join) => join(scope) ?? [])];
}

function whereToWrite(
  { options, personHome }: StartSettings,
  ui: NonNullable<SessionFacts["ui"]>,
  { beginIn }: SessionLogs,
): WhereToWrite {
  return {
    ask: async (why, signal) => {
      const { createWhereToWrite } = await import("../logs/ask-where-to-write.ts");
      return createWhereToWrite(ui, { cwd: options.cwd, personHome })(why, signal);
    },
    onChosen: beginIn,
  };
}

function modelParams({ options, loaded }: StartSettings): ModelParams {
  const thinking = (options.flags.thinking as ModelParams["thinking"]) ?? loaded.settings.thinking;
  return thinking === undefined ? {} : { thinking };
}

function maxTurns({ options, loaded }: StartSettings): { readonly maxTurns?: number } {
  const given = options.flags["max-turns"];
  const { maxTurns } = loaded.settings;
  if (given === undefined) return maxTurns === undefined ? {} : { maxTurns };
  const turns = Number(given);
  if (!Number.isInteger(turns) || turns < 1) {
    throw new Problem(`--max-turns takes a positive whole number; got "${given}"`, EXIT_USAGE);
  }
  return { maxTurns: turns };
}

/** What the run may cost; a crew's members share theirs. */
export function costBudget({ options, loaded, personHome }: StartSettings): CostBudget | undefined {
  if (options.lent) return options.lent.budget;
  const given = options.flags["max-cost"];
  const { maxCost } = loaded.settings;
  const pricesIn = inHome("~/.indus/models.json", { home: options.home, personHome });
  if (given === undefined) return maxCost === undefined ? undefined : createCostBudget(maxCost, pricesIn);
  const limit = Number(given);
  if (given.trim() === "" || !Number.isFinite(limit) || limit <= 0) {
    throw new Problem(`--max-cost takes an amount in dollars above 0; got "${given}"`, EXIT_USAGE);
  }
  return createCostBudget(limit, pricesIn);
}
