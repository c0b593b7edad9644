// What a post adds to a board, and that no ticket depends on itself.

import { createId } from "../core/ids.ts";
import { checkDrafts } from "./board-limits.ts";
import { type Activity, BoardError, type TicketDraft } from "./contract.ts";

type PostedTicket = Extract<Activity, { readonly kind: "ticket_posted" }>["ticket"];

/** The tickets of a post to a board that already has `there`, which `deps` may name too: whether it has those is not checked here. */
export function newTickets(drafts: readonly TicketDraft[], there: number): readonly PostedTicket[] {
  const ids = checkDrafts(drafts, there);
  return drafts.map(({ key, title, brief = "", priority = "normal", deps = [], agent }) => ({
    id: (key === undefined ? undefined : ids.get(key)) ?? createId("tkt"),
    title,
    brief,
    priority,
    deps: [...new Set(deps.map((dep) => ids.get(dep) ?? dep))],
    agent,
  }));
}

/** The tickets that were there before and that these depend on. */
export function earlierDeps(posted: readonly PostedTicket[]): readonly string[] {
  const own = new Set(posted.map(({ id }) => id));
  return [...new Set(posted.flatMap(({ deps }) => deps))].filter((id) => !own.has(id));
}

/** Refuses what no board takes as its first post, in the drafts' own keys, which their `deps` are as well. */
export function checkFirstPost(drafts: readonly (TicketDraft & { readonly key: string })[]): void {
  checkDrafts(drafts, 0);
  refuseCircle(new Map(drafts.map(({ key, deps = [] }) => [key, deps])), () => []);
}

/** Follows the dependencies of each changed ticket, without recursion: a chain can be as long as the board. */
export function refuseCircle(
  changed: ReadonlyMap<string, readonly string[]>,
  depsOf: (id: string) => readonly string[],
): void {
  const settled = new Set<string>();
  for (const start of changed.keys()) {
    const path: { readonly id: string; next: number }[] = [{ id: start, next: 0 }];
    const open = new Set([start]);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const deps = changed.get(top.id) ?? depsOf(top.id);
      const dep = deps[top.next++];
      if (dep === undefined) {
        settled.add(top.id);
        open.delete(top.id);
        path.pop();
      } else if (open.has(dep)) {
        const circle = [...path.map(({ id }) => id).slice(path.findIndex(({ id }) => id === dep)), dep];
        throw new BoardError("conflict", `dependency cycle: ${circle.slice(0, 10).join(" -> ")}`);
      } else if (!settled.has(dep)) {
        open.add(dep);
        path.push({ id: dep, next: 0 });
      }
    }
  }
}
