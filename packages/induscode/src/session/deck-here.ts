// What acts in a session: the features' handlers and tasks, and the boundary with its tools.

import { localFs } from "indusagi/capabilities";
import type { CallDecision, Deck } from "../deck/contract.ts";
import { createDeck } from "../deck/deck.ts";
import type { Permissions } from "../deck/permissions/permissions.ts";
import { createAuthority } from "../feature/authority.ts";
import type { FenceOptions } from "../feature/dispatch/fence.ts";
import { createHooks, hooksOfDelegate, type LiveHooks } from "../feature/dispatch/hooks.ts";
import { createTaskSupervisor, type TaskSupervisor } from "../feature/dispatch/tasks.ts";
import type { HookDispatch } from "../feature/handler.ts";
import { actsByLink } from "../store/linked-places.ts";
import { protectedAs } from "../store/protected-names.ts";
import type { Ground } from "./ground.ts";
import type { JoinedParts } from "./joined-parts.ts";
import type { SessionFacts } from "./open-facts.ts";

export interface DeckHere {
  readonly fence: FenceOptions;
  readonly hooks: LiveHooks<HookDispatch>;
  readonly deck: Deck;
  readonly tasks: TaskSupervisor;
}

export interface DeckHereDeps {
  readonly ground: Ground;
  readonly permissions: Permissions;
  readonly parts: Pick<JoinedParts, "beforeChange">;
  readonly onDecision: (decision: CallDecision) => void;
}

export function openDeck(
  facts: SessionFacts,
  { ground, permissions, parts, onDecision }: DeckHereDeps,
): DeckHere {
  const { registry, notices, delegate, perform } = facts;
  const { scope, journal, conversation, jobs } = ground;
  const fence: FenceOptions = { ...facts.fence, onFault: notices.fault, session: scope };
  const all = createHooks(registry, fence);
  const hooks = delegate ? hooksOfDelegate(delegate.name, all) : all;
  const isOffered = (tool: string): boolean => delegate === undefined || delegate.hasTool(tool);
  const hasLiveJobs = (): boolean => jobs.list().some(({ exit }) => exit === undefined);
  const deck = createDeck({
    tools: delegate ? () => registry.tools.filter(({ tool }) => isOffered(tool.name)) : () => registry.tools,
    commandTool: () => (perform ? undefined : registry.tools.find(({ tool }) => tool.name === "bash")),
    perform,
    toolBytes: facts.toolBytes,
    ownerOf: (tool) => (isOffered(tool) ? registry.ownerOf(tool) : undefined),
    permissions,
    hooks,
    authority: authorityHere(facts),
    author: delegate?.author,
    onFault: notices.fault,
    onDecision,
    sandbox: facts.sandbox,
    secrets: facts.secrets,
    context: conversation.context,
    beforeChange: async (touched) => {
      await journal.secure();
      const after = await parts.beforeChange(touched);
      return () => after(hasLiveJobs);
    },
    onProgress: facts.showsProgress
      ? (callId, tail) => {
          // Of a delegate's call it is only shown that it runs.
          if (!delegate || tail === "") journal.announce({ kind: "tool_progress", callId, tail });
        }
      : undefined,
  });
  const tasks = createTaskSupervisor({
    tasks: delegate ? [] : registry.tasks,
    session: scope,
    onFault: notices.fault,
  });
  return { fence, hooks, deck, tasks };
}

function authorityHere(facts: SessionFacts): ReturnType<typeof createAuthority> {
  const { registry, limits } = facts;
  const { cwd } = facts.place;
  return createAuthority({
    reports: () => registry.reports,
    root: cwd,
    realPath: localFs().realPath,
    keepsOff: (path, written) =>
      protectedAs(cwd, path, written) !== undefined ||
      actsByLink(cwd, path) !== undefined ||
      facts.isDocument(path),
    get isReadOnly() {
      return limits.isReadOnly();
    },
    get isPlanning() {
      return limits.isPlanning?.() === true;
    },
  });
}
