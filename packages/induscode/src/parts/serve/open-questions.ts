// The questions of one session that wait for a person, whoever is connected: the first answer counts.

import { Aborted, abortable, type Deferred, deferred } from "indusagi/core";
import { RpcError } from "../../addons/process/protocol/contract.ts";
import type { ConsoleList } from "../../feature/command.ts";
import type { PermissionAnswer, PermissionAsker, PermissionQuestion } from "../../feature/permission.ts";
import type { SessionUi, UiAnswer, UiDialog } from "../../feature/ui.ts";
import { type Answer, ERROR_CODES, type ListItem, type Question } from "./protocol/serve-messages.ts";
import { asSent } from "./sent-json.ts";
import type { Client } from "./watchers.ts";

/** Of one list; typing searches in these. */
const MAX_LISTED = 1000;

interface Asked {
  readonly question: Question;
  /** Who alone is asked; undefined for everybody. */
  readonly only: Client | undefined;
  readonly answer: Deferred<Answer>;
  /** Why this cannot be the answer; undefined if it can. */
  readonly problem: (answer: Answer) => string | undefined;
}

export interface QuestionListeners {
  /** With `only`, that client alone is asked. */
  readonly onAsked: (id: number, question: Question, only: Client | undefined) => void;
  /** It was answered, or nobody needs to any more. */
  readonly onOver: (id: number) => void;
}

export class OpenQuestions {
  readonly #listeners: QuestionListeners;
  readonly #open = new Map<number, Asked>();
  #made = 0;

  constructor(listeners: QuestionListeners) {
    this.#listeners = listeners;
  }

  readonly permission: PermissionAsker = async (asked, signal) => {
    const question = { kind: "permission", permission: asSent(asked) } as const;
    const answer = await this.#ask(question, (given) => permissionProblem(asked, given), signal);
    return answer as PermissionAnswer; // of no other kind: the problem says so
  };

  readonly dialog: SessionUi["ask"] = async (feature, dialog, signal) => {
    const question = { kind: "dialog", feature, dialog: asSent(dialog) } as const;
    return uiAnswer(await this.#ask(question, (given) => dialogProblem(dialog, given), signal));
  };

  /** A list that a command shows the client that runs it. Left, if the client is gone. */
  listFor(client: Client, takeSaid: () => string): ConsoleList["pick"] {
    return async (title, find, start = 0) => {
      const all = await find("");
      const found = all.slice(0, MAX_LISTED);
      const items = found.map(
        ({ label, detail, preview }) => asSent({ label, detail, preview }) as unknown as ListItem,
      );
      const cut = all.length > MAX_LISTED ? ` (the first ${MAX_LISTED} of ${all.length})` : "";
      const question = { kind: "list", title: title + cut, items, start, said: takeSaid() } as const;
      const asked = this.#ask(question, (given) => listProblem(items, given), client.gone, client);
      const answer = await asked.catch((error: unknown) => {
        if (error instanceof Aborted) return undefined;
        throw error;
      });
      return answer?.kind === "choice" ? found[answer.choice] : undefined;
    };
  }

  /** Those that everybody is asked. */
  list(): readonly (readonly [number, Question])[] {
    return [...this.#open].flatMap(([id, { question, only }]) =>
      only === undefined ? [[id, question]] : [],
    );
  }

  /** Throws an {@link RpcError} if there is no such question any more, or this is no answer to it. */
  answer(id: number, answer: Answer): void {
    const asked = this.#open.get(id);
    if (asked === undefined) {
      const why = id >= 1 && id <= this.#made ? "was answered already, or its call ended" : "was never asked";
      throw new RpcError(ERROR_CODES.unknown, `question ${id} ${why}`);
    }
    const problem = asked.problem(answer);
    if (problem !== undefined) throw new RpcError(ERROR_CODES.params, problem);
    this.#end(id);
    asked.answer.resolve(answer);
  }

  async #ask(
    question: Question,
    problem: Asked["problem"],
    signal: AbortSignal,
    only?: Client,
  ): Promise<Answer> {
    const id = ++this.#made;
    const answer = deferred<Answer>();
    this.#open.set(id, { question, only, answer, problem });
    this.#listeners.onAsked(id, question, only);
    try {
      return await abortable(answer.promise, signal);
    } finally {
      this.#end(id);
    }
  }

  #end(id: number): void {
    if (this.#open.delete(id)) this.#listeners.onOver(id);
  }
}

function permissionProblem(
  { host, keep, mode, readable, writable }: PermissionQuestion,
  { kind }: Answer,
): string | undefined {
  const kinds = [
    "once",
    "session",
    "no",
    ...(keep === undefined ? [] : ["always"]),
    ...(mode === undefined ? [] : ["mode"]),
    ...(host === undefined ? [] : ["host"]),
    ...((readable ?? writable) === undefined ? [] : ["folder"]),
  ];
  return kinds.includes(kind)
    ? undefined
    : `the answer to this question must be one of ${kinds.join(", ")}, found ${kind}`;
}

const KIND_FOR = { select: "choice", confirm: "confirm", input: "text" } as const;

function dialogProblem(dialog: UiDialog, answer: Answer): string | undefined {
  const { kind } = answer;
  const wanted = KIND_FOR[dialog.kind];
  if (kind !== wanted && kind !== "left")
    return `the answer to this question must be ${wanted} or left, found ${kind}`;
  return dialog.kind === "select" ? choiceProblem(dialog.choices, answer) : undefined;
}

function listProblem(items: readonly ListItem[], answer: Answer): string | undefined {
  const { kind } = answer;
  return kind === "choice" || kind === "left"
    ? choiceProblem(items, answer)
    : `the answer to this question must be choice or left, found ${kind}`;
}

function choiceProblem({ length }: readonly unknown[], answer: Answer): string | undefined {
  return answer.kind !== "choice" || answer.choice < length
    ? undefined
    : `the choice must be from 0 to ${length - 1}, found ${answer.choice}`;
}

function uiAnswer(answer: Answer): UiAnswer {
  switch (answer.kind) {
    case "choice":
      return answer.choice;
    case "confirm":
      return answer.yes;
    case "text":
      return answer.text;
    default:
      return undefined;
  }
}
