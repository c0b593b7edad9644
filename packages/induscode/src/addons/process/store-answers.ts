// The answers to requests about what lasts longer than a call: work items, memory, and the addon's own sessions.

import type { MemoryStore } from "../../feature/memory-service.ts";
import type { FeatureSessions, SessionRight, SessionRights } from "../../feature/sessions-service.ts";
import type { WorkItems } from "../../feature/work-items-service.ts";
import type { AddonRequest, Answers } from "./addon-request.ts";
import { kept, serviceOf } from "./refuse-request.ts";

type StoreMethod = Extract<keyof Answers, `workItem${string}` | `memory${string}` | `session${string}`>;
type Done = Promise<Record<string, never>>;

async function changed(request: AddonRequest, work: (items: WorkItems) => Promise<void>): Done {
  await kept(serviceOf(request.services().workItems("write")), work);
  return {};
}

async function remember(request: AddonRequest, work: (memory: MemoryStore) => Promise<void>): Done {
  await kept(request.paced(serviceOf(request.services().memory("write"))), work);
  return {};
}

async function spoken<Right extends SessionRight>(
  request: AddonRequest,
  right: Right,
  work: (sessions: Pick<FeatureSessions, SessionRights[Right]>) => Promise<void>,
): Done {
  await kept(request.paced(serviceOf(request.services().sessions(right))), work);
  return {};
}

export const STORE_ANSWERS: Pick<Answers, StoreMethod> = {
  workItemList: async ({ status }, request) => ({
    items: await kept(serviceOf(request.services().workItems("read")), (items) => items.list(status)),
  }),
  workItemChanges: async ({ after }, request) => ({
    changes: await kept(serviceOf(request.services().workItems("read")), (items) => items.changes(after)),
  }),
  workItemCreate: async (draft, request) => ({
    id: await kept(serviceOf(request.services().workItems("write")), (items) => items.create(draft)),
  }),
  workItemComment: ({ id, text }, request) => changed(request, (items) => items.comment(id, text)),
  workItemMove: ({ id, to, reason }, request) => changed(request, (items) => items.move(id, to, reason)),
  workItemDepend: ({ id, on }, request) => changed(request, (items) => items.depend(id, on)),
  memorySearch: async ({ words, scope }, request) => ({
    entries: await kept(serviceOf(request.services().memory("read")), (memory) =>
      memory.search(words, scope),
    ),
  }),
  memoryAdd: ({ text, scope }, request) => remember(request, (memory) => memory.add(text, scope)),
  memoryReplace: ({ old, text, scope }, request) =>
    remember(request, (memory) => memory.replace(old, text, scope)),
  async sessionSpawn(draft, request) {
    const life = request.desk.life();
    const service = request.paced(serviceOf(request.services().sessions("spawn")));
    return { id: await kept(service, (sessions) => sessions.spawn(draft, request.signal, life)) };
  },
  sessionList: async (_params, request) => ({
    sessions: await kept(serviceOf(request.services().sessions("spawn")), (sessions) => sessions.list()),
  }),
  sessionWait: async ({ id }, request) => ({
    session: await kept(serviceOf(request.services().sessions("spawn")), (sessions) =>
      sessions.wait(id, request.signal),
    ),
  }),
  sessionStop: ({ id }, request) => spoken(request, "spawn", (sessions) => sessions.stop(id)),
  sessionMessage: ({ id, text }, request) =>
    spoken(request, "message", (sessions) => sessions.message(id, text)),
  sessionRestore({ id, text }, request) {
    const life = request.desk.life();
    return spoken(request, "restore", (sessions) => sessions.restore(id, text, life));
  },
};
