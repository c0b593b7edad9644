// The sessions of a crew's members. They share a budget, the models and the delegates, and nothing else.

import type { MemberDraft } from "indusagi/swarm";
import { Problem } from "../../cli/problem.ts";
import { type IndusSession, openIndus } from "../../session/open-indus.ts";
import type { IndusOptions, Lent } from "../../session/options.ts";
import { DELEGATES, type DelegateDesk } from "../delegates/delegate-desk.ts";

export interface MemberSessions {
  readonly lent: Lent;
  /** What a member's work goes through. Throws a {@link Problem} if its session cannot delegate. */
  readonly deskOf: (member: MemberDraft) => Promise<DelegateDesk>;
  /** One more, of nobody's; whoever wants it closes it. */
  readonly openAnother: (more?: Partial<IndusOptions>) => Promise<IndusSession>;
  /** The first one and the later ones, from now on. */
  readonly onSession: (listener: (session: IndusSession) => void) => void;
  readonly close: () => Promise<void>;
}

/** Opens the first one. `tell` gets the lines for the person of each. */
export async function openMemberSessions(
  facts: IndusOptions,
  tell: (notices: readonly string[]) => void,
): Promise<MemberSessions> {
  const first = await openIndus(facts);
  tell(first.notices);
  const listeners: ((session: IndusSession) => void)[] = [];
  const members = new Map<string, Promise<IndusSession>>();
  const openAnother = async (more: Partial<IndusOptions> = {}): Promise<IndusSession> => {
    const made = await openIndus({ ...facts, lent: first.lent, ...more });
    tell(made.notices);
    for (const listener of listeners) listener(made);
    return made;
  };
  return {
    lent: first.lent,
    openAnother,
    // The first one to work gets the session that is already open.
    async deskOf({ name }) {
      const opening = members.get(name) ?? (members.size === 0 ? Promise.resolve(first) : openAnother());
      members.set(name, opening);
      const desk = (await opening).handles.session?.get(DELEGATES);
      if (!desk) throw new Problem("this session cannot delegate work");
      return desk;
    },
    onSession(listener) {
      listeners.push(listener);
      listener(first);
    },
    async close() {
      for (const opening of members.values()) {
        const each = await opening.catch(() => first);
        if (each !== first) tell(await each.close());
      }
      tell(await first.close());
    },
  };
}
