// The session of one delegate: its profile's prompt and tools, behind the boundary, hooks and permissions of the session
// that it works for.

import type { ToolContext } from "indusagi/capabilities";
import type { SecretMask } from "indusagi/core";
import type { SubagentProfile } from "../briefing/contract.ts";
import { createConductor } from "../conductor/conductor.ts";
import type { Conductor, SessionStatus } from "../conductor/contract.ts";
import type { CostBudget } from "../conductor/cost.ts";
import type { SessionLog } from "../conductor/log.ts";
import type { ModelResolver } from "../conductor/model-in-use.ts";
import { hasTool } from "../deck/builtins/delegates.ts";
import { createDeck, type DeckDeps } from "../deck/deck.ts";
import { permissionsOf } from "../deck/permissions/permissions.ts";
import type { FenceOptions } from "../feature/fence.ts";
import { createHooks, hooksOfDelegate } from "../feature/hooks.ts";
import type { FeatureRegistry } from "../feature/registry.ts";
import { createDocumentNotices } from "./document-notices.ts";
import { atUnaskedEnd } from "./last-words.ts";
import type { SessionBriefing } from "./session-briefing.ts";

export interface DelegateSessionDeps {
  readonly cwd: string;
  /** What `~` stands for. */
  readonly personHome: string;
  /** Of the session that hands on work. */
  readonly registry: FeatureRegistry;
  readonly status: () => Pick<SessionStatus, "model" | "params">;
  readonly permissions: DeckDeps["permissions"];
  readonly authority: DeckDeps["authority"];
  readonly secrets: SecretMask;
  readonly fence: FenceOptions;
  /** Makes the contexts of one conversation. */
  readonly contexts: () => (signal: AbortSignal) => ToolContext;
  readonly resolveModel: ModelResolver;
  readonly fallbackModels: readonly string[];
  readonly briefing: SessionBriefing;
  readonly nextLog: () => SessionLog;
  /** Tells the person what could not be used of the files that it visits. */
  readonly tell: (line: string) => void;
  /** Model calls for one objective; a profile may only lower it. */
  readonly maxTurns: number;
  readonly budget?: CostBudget;
}

export function openDelegateSession(deps: DelegateSessionDeps, profile: SubagentProfile): Conductor {
  const { name, maxTurns = deps.maxTurns } = profile;
  const briefing = deps.briefing.forDelegate(profile);
  const notices = createDocumentNotices({
    cwd: deps.cwd,
    personHome: deps.personHome,
    docs: briefing.folderDocs,
    notify: (...notice) => delegate.notify(...notice),
    tell: deps.tell,
  });
  const { registry } = deps;
  const hooks = hooksOfDelegate(name, createHooks(registry, deps.fence));
  const deck = createDeck({
    tools: () => registry.tools.filter(({ tool }) => hasTool(profile, tool.name)),
    ownerOf: (tool) => (hasTool(profile, tool) ? registry.ownerOf(tool) : undefined),
    permissions: permissionsOf(name, deps.permissions),
    hooks,
    authority: deps.authority,
    onFault: deps.fence.onFault,
    secrets: deps.secrets,
    context: deps.contexts(),
  });
  const { model, params } = deps.status();
  const delegate = createConductor({
    log: deps.nextLog(),
    entries: [],
    nextLog: deps.nextLog,
    resolveModel: deps.resolveModel,
    modelName: profile.model ?? model,
    fallbackModels: deps.fallbackModels,
    deck,
    hooks: hooks.dispatch,
    compose: (clock) => briefing.compose(deck.descriptors, clock),
    params,
    maxTurns: Math.min(maxTurns, deps.maxTurns),
    mask: deps.secrets,
    ...(deps.budget === undefined ? {} : { budget: deps.budget }),
  });
  notices.follow(delegate);
  const forget = atUnaskedEnd((why) => {
    delegate.breakOff(why);
    return undefined; // the log of the session names it
  });
  return {
    ...delegate,
    async close() {
      await delegate.close();
      forget();
    },
  };
}
