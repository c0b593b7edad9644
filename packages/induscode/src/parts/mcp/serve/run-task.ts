// A session as one tool: it works on a task with a model of its own, and its last answer is the result.

import { isTable, type JsonValue } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llmgateway";
import type { Flags } from "../../../cli/flags.ts";
import { type Invocation, workingDirectory } from "../../../cli/invocation.ts";
import { noticeLine } from "../../../cli/notice-line.ts";
import { openFrontSession } from "../../../session/front-session.ts";
import type { OpenCall } from "./open-call.ts";
import { servedPerson } from "./served-person.ts";

export const TASK_TOOL_NAME = "run_task";

export const TASK_TOOL: ToolDescriptor = {
  name: TASK_TOOL_NAME,
  description:
    "Gives a task to indus, an agent that works in this folder with its own model, tools and permissions, and returns its last answer. " +
    "The result names the session; pass that name to continue the same conversation.",
  parameters: {
    type: "object",
    properties: {
      task: { type: "string", minLength: 1, description: "What to do, with everything the agent must know." },
      session: {
        type: "string",
        description: "The session that an earlier result named, to continue it.",
      },
    },
    required: ["task"],
    additionalProperties: false,
  },
};

export interface TaskResult {
  readonly text: string;
  readonly isError: boolean;
  readonly session?: string;
}

export interface TaskPlace {
  /** Whoever sits at the client can be asked. */
  readonly canAsk: boolean;
  readonly open: OpenCall<unknown>;
  /**
   * The sessions that can go on, its own among them from now on. Others have the words and the permissions of a person, which are not
   * the client's.
   */
  readonly begun: Set<string>;
}

/** Rejects with a `Problem` if no session can be opened. */
export async function runTask(
  input: JsonValue,
  line: Invocation<Flags>,
  { canAsk, open, begun }: TaskPlace,
): Promise<TaskResult> {
  const given = taskIn(input, begun);
  if (typeof given === "string") return { text: given, isError: true };
  const { task, session: resume } = given;
  const opened = await openFrontSession({
    ...{ line: { ...line, flags: { ...line.flags, resume } }, cwd: workingDirectory(line) },
    ...servedPerson({ canAsk, callOf: () => open }),
  });
  opened.begin();
  try {
    const { conductor, notices } = opened.session;
    for (const notice of notices) process.stderr.write(noticeLine(notice));
    conductor.subscribe((event) => {
      if (event.kind === "tool_start")
        open.tell(event.title === "" ? event.name : `${event.name}: ${event.title}`);
    });
    open.signal.addEventListener("abort", conductor.abort, { once: true });
    if (open.signal.aborted) return { text: "The call was cancelled.", isError: true };
    const end = await conductor.submit({ content: [{ kind: "text", text: task }] });
    const { sessionId: session } = conductor.status();
    begun.add(session);
    if (end.kind === "complete") return { text: end.text, isError: false, session };
    const text = end.kind === "aborted" ? "The task was stopped." : end.fault.message;
    return { text, isError: true, session };
  } finally {
    for (const problem of await opened.close()) process.stderr.write(noticeLine(problem));
  }
}

function taskIn(
  input: JsonValue,
  begun: ReadonlySet<string>,
): { readonly task: string; readonly session: string | undefined } | string {
  const { task, session } = isTable(input) ? input : {};
  if (typeof task !== "string" || task.trim() === "")
    return `${TASK_TOOL_NAME} needs "task", a string that says what to do`;
  if (session !== undefined && (typeof session !== "string" || !begun.has(session)))
    return `this server did not start the session ${JSON.stringify(session)}: pass a session that an earlier result named, or leave it out`;
  return { task, session };
}
