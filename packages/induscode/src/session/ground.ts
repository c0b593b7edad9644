// What a session stands on before anything can be done in it: its conversation, its record, its jobs.

import {
  createJobTable,
  createTodoStore,
  createWholeOutputs,
  JOBS,
  type JobTable,
  PAST_OUTCOMES,
  TODOS,
  type TodoStore,
  WHOLE_OUTPUTS,
  type WholeOutputs,
} from "indusagi/capabilities";
import { createSessionScope, type OpenScope } from "indusagi/core";
import { createJournal, type Journal } from "../conductor/journal.ts";
import { pastOutcome } from "../conductor/past-outcome.ts";
import { type Conversation, createConversation } from "./conversation.ts";
import type { SessionFacts } from "./open-facts.ts";

export interface Ground {
  readonly scope: OpenScope;
  readonly journal: Journal;
  readonly conversation: Conversation;
  readonly todos: TodoStore;
  readonly jobs: JobTable;
  readonly outputs: WholeOutputs;
}

export function openGround(facts: SessionFacts): Ground {
  const { place, secrets } = facts;
  const scope = createSessionScope();
  const journal = createJournal({ ...facts.logs, ...facts.model, mask: secrets });
  const todos = createTodoStore();
  const jobs = createJobTable({ maskStream: secrets.stream });
  const outputs = createWholeOutputs({ maskStream: secrets.stream });
  scope.put(TODOS, todos);
  scope.put(JOBS, jobs);
  if (!facts.limits.isReadOnly()) scope.put(WHOLE_OUTPUTS, outputs); // it writes in the working folder
  scope.put(PAST_OUTCOMES, (entry) => pastOutcome(journal.record.log().path, entry));
  const holdsSecret = secrets.holds;
  const conversation = createConversation({ ...place, scope, holdsSecret });
  return { scope, journal, conversation, todos, jobs, outputs };
}
