// The questions of one session that wait for a person, whoever is connected: the first answer counts.

import { abortable, type Deferred, deferred } from "indusagi/core";
import { RpcError } from "../../addons/process/protocol/contract.ts";
import type { PermissionAnswer, PermissionAsker, PermissionQuestion } from "../../feature/permission.ts";
import type { SessionUi, UiAnswer, UiDialog } from "../../feature/ui.ts";
import { type Answer, ERROR_CODES, type Question } from "./protocol/serve-messages.ts";
import { asSent } from "./sent-json.ts";

interface Asked {
  readonly question: Question;
  readonly answer: Deferred<Answer>;
  /** Why this cannot be the answer; undefined if it can. */
  readonly problem: (answer: Answer) => string | undefined;
}

export interface QuestionListeners {
  readonly onAsked: (id: number, question: Question) => void;
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

  list(): readonly (readonly [number, Question])[] {
    return [...this.#open].map(([id, { question }]) => [id, question]);
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

  async #ask(question: Question, problem: Asked["problem"], signal: AbortSignal): Promise<Answer> {
    const id = ++this.#made;
    const answer = deferred<Answer>();
    this.#open.set(id, { question, answer, problem });
    this.#listeners.onAsked(id, question);
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

function permissionProblem({ keep, mode }: PermissionQuestion, { kind }: Answer): string | undefined {
  const kinds = [
    "once",
    "session",
    "no",
    ...(keep === undefined ? [] : ["always"]),
    ...(mode === undefined ? [] : ["mode"]),
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
  if (dialog.kind !== "select" || answer.kind !== "choice" || answer.choice < dialog.choices.length)
    return undefined;
  return `the choice must be from 0 to ${dialog.choices.length - 1}, found ${answer.choice}`;
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
