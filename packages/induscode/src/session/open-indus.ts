// The one way to open a session, for every front: a list of stages, each with what the earlier ones made.

import type { JoinSession, Part, SessionPlace } from "../cli/part.ts";
import { createSecrets } from "../cli/secrets.ts";
import type { Conductor, Entry } from "../conductor/contract.ts";
import type { InstalledCommand } from "../feature/command.ts";
import type { SessionHooks } from "../feature/dispatch/hooks.ts";
import type { TaskSupervisor } from "../feature/dispatch/tasks.ts";
import type { FeatureInstallReport } from "../feature/install-report.ts";
import { createRegistry } from "../feature/registry.ts";
import type { SessionHandles } from "../feature/services.ts";
import type { HeldNamesHere } from "./features/held-names-here.ts";
import type { SessionFeatures } from "./features/session-features.ts";
import { formerModel } from "./models/former-model.ts";
import { windowOf } from "./models/window-of.ts";
import { type FeatureNews, fewNews } from "./notices.ts";
import type { Session } from "./open-facts.ts";
import type { IndusOptions, Lent } from "./options.ts";
import type { ModeKeys } from "./permissions/mode-keys.ts";
import { recalledApprovals } from "./permissions/recalled-approvals.ts";
import { openFeatures, registryHost } from "./stages/features.ts";
import { tellFindings } from "./stages/findings.ts";
import { openModels } from "./stages/models.ts";
import { openPermissions } from "./stages/permissions.ts";
import { costBudget, openMainSession, type Staged } from "./stages/session.ts";
import { openLogs } from "./stages/session-logs.ts";
import { ADDONS, partPlace, readStartSettings } from "./stages/settings.ts";

export interface IndusSession {
  readonly conductor: Conductor;
  /** The current ones: read them again at each use. */
  readonly commands: readonly InstalledCommand[];
  readonly handles: SessionHandles;
  readonly hooks: SessionHooks;
  readonly reports: readonly FeatureInstallReport[];
  readonly tasks: TaskSupervisor;
  /** It was started in a permission mode that allows no changes, and stays in it. */
  readonly isReadOnly: boolean;
  readonly modes: ModeKeys;
  /** What the sessions of a crew's members share with it. */
  readonly lent: Lent;
  /** How many tokens this model can hold, if known. */
  readonly windowOf: (name: string) => Promise<number | undefined>;
  /** How many addons are in quarantine. */
  readonly quarantined: () => number;
  /** Real paths of what agents read as instructions here. */
  readonly documents: (names: readonly string[]) => readonly string[];
  /** The documents that the model reads from the start: `./AGENTS.md`, `~/.indus/AGENTS.md`. */
  readonly instructions: readonly string[];
  readonly held: HeldNamesHere;
  /**
   * Adds an author's addon after everything else, or in place of its previous version; it receives `session:start`. The session owns it
   * from then on.
   */
  readonly put: SessionFeatures["put"];
  /** With an author's addon: the required addons that do not run once that is put there. */
  readonly lacking: SessionFeatures["lacking"];
  /** With an author's addon: lines about the model, which are true once that is put there. */
  readonly lateNotices: () => readonly string[];
  /** Lines for the person: problems in the settings or the log. */
  readonly notices: readonly string[];
  /** The notices among them about addons that are left out, wholly or in part. */
  readonly leftOut: readonly string[];
  /** Why the addon with this name does not run completely; undefined if it does. */
  readonly whyLacking: SessionFeatures["whyLacking"];
  /** What features did wrong or said of themselves, as notices, while the session was opened and while it closed. */
  readonly unheard: () => readonly FeatureNews[];
  /** The same from before anybody listened, and addons that do not load, names that are taken. */
  readonly startNews: readonly FeatureNews[];
  /** Entries that the session already held. */
  readonly resumed: readonly Entry[];
  /** Ends tasks and then the session; returns what went wrong, one line each. */
  readonly close: () => Promise<readonly string[]>;
}

/** Opens a session that is ready for its first submit. Throws a {@link Problem} if the person must act first. */
export async function openIndus(options: IndusOptions): Promise<IndusSession> {
  const secrets = options.secrets ?? createSecrets(options.env);
  const release = options.secrets ? () => undefined : secrets.release;
  try {
    const start = await readStartSettings(options, secrets);
    const registry = createRegistry(registryHost(start));
    try {
      const models = await openModels(start, registry);
      const found = await openFeatures(start, registry, models.lateNotices);
      const allowed = await openPermissions(start, found);
      await tellFindings(start, found);
      const logs = openLogs(start);
      const joins = await joinsOf(options.parts ?? [], {
        ...partPlace(start, found.profiles),
        env: options.env,
      });
      const staged = { start, models, found, allowed, logs, joins, budget: costBudget(start) };
      const session = openMainSession(staged);
      start.notices.lines.push(...recalledApprovals(session.approvals));
      const isNamed = options.flags.model !== undefined;
      if (!isNamed) start.notices.lines.push(...formerModel(logs.entries, session.conductor.status().model));
      await session.start();
      start.notices.announceTo(session.conductor.announce);
      return indusSession(staged, session, release);
    } catch (error) {
      await registry.dispose();
      throw error;
    }
  } catch (error) {
    release();
    throw error;
  }
}

async function joinsOf(parts: readonly Part[], place: SessionPlace): Promise<readonly JoinSession[]> {
  const joins = await Promise.all(parts.map((part) => part.inSession?.(place)));
  return joins.filter((join) => join !== undefined);
}

function indusSession(staged: Staged, session: Session, release: () => void): IndusSession {
  const { start, models, found, allowed, logs, budget } = staged;
  const { features, briefing, profiles, held } = found;
  const { secrets, notices, rules } = start;
  const { registry } = features;
  return {
    conductor: session.conductor,
    get commands() {
      return registry.commands;
    },
    handles: session.handles,
    hooks: session.hooks,
    reports: registry.reports,
    tasks: session.tasks,
    isReadOnly: rules.mode === "read-only",
    lent: { models, profiles, budget },
    modes: allowed.modes,
    windowOf: (name) => windowOf(models, name),
    quarantined: () => features.codeAddons().filter((addon) => addon.quarantine() !== undefined).length,
    documents: briefing.documentsAt,
    instructions: briefing.instructions,
    held,
    put: features.put,
    lateNotices: models.lateNotices,
    notices: notices.told(),
    lacking: features.lacking,
    whyLacking: features.whyLacking,
    leftOut: [...features.problems, ...features.warnings, ...features.skipped],
    unheard: () => notices.unheard,
    startNews: fewNews(
      [
        ...features.faults.map(
          (fault): FeatureNews => ({
            kind: "fault",
            fault: { ...fault, message: secrets.text(fault.message) },
          }),
        ),
        ...notices.unheard,
      ],
      ADDONS,
    ),
    resumed: logs.entries,
    close: () => close(staged, session, release),
  };
}

async function close(
  { start, found, allowed }: Staged,
  session: Session,
  release: () => void,
): Promise<readonly string[]> {
  const { notices } = start;
  notices.announceTo(undefined);
  const told = notices.lines.length;
  await session.close();
  await found.features.registry.dispose();
  const left = (await allowed.sandbox?.close()) ?? [];
  release();
  return [...notices.told().slice(told), ...left, ...found.held.settle()];
}
