// A session of the server as a console shows it.

import {
  Aborted,
  createDisposer,
  type Disposer,
  describeError,
  type JsonValue,
  printable,
} from "indusagi/core";
import { RpcError } from "../../../addons/process/protocol/contract.ts";
import { fromObject } from "../../../channels/json.ts";
import type {
  ConductorEvent,
  Entry,
  SessionStatus,
  SubmitEnd,
  UserContent,
} from "../../../conductor/contract.ts";
import type { ShownConductor } from "../../../console/person-commands.ts";
import type { InstalledCommand } from "../../../feature/command.ts";
import type { FeatureId } from "../../../feature/descriptor.ts";
import type { SessionHandles } from "../../../feature/services.ts";
import type { UiShape } from "../../../feature/ui.ts";
import { answerIn } from "../../console/terminal-commands.ts";
import type { Connection } from "../connect.ts";
import type {
  ClientToServer,
  CommandCard,
  Question,
  ServerToClient,
  SessionState,
  TaskEnd,
} from "../protocol/serve-messages.ts";
import { answerTo, type CommandShown, chosenIn, type Shown } from "./answer-here.ts";

export interface RemoteOptions {
  readonly connection: Pick<Connection, "request">;
  readonly state: SessionState;
  readonly shown: Shown;
}

const NO_TASK: TaskEnd = { kind: "complete", stop: "end" };
const LEFT =
  "The question is still open: answer it in another console, or attach this console again. Ctrl+C interrupts the task.";

type Notification = {
  readonly [Name in keyof ServerToClient]: (params: ServerToClient[Name]["params"]) => void;
};

export class RemoteSession {
  readonly #connection: Pick<Connection, "request">;
  readonly #shown: Shown;
  readonly #listeners = new Set<(event: ConductorEvent) => void>();
  #onBegun: (() => void)[] = [];
  readonly #onState = new Set<() => void>();
  readonly #asked = new Map<number, AbortController>();
  /** What came before the console showed anything. */
  readonly #early: (() => void)[] = [];
  #state: SessionState;
  /** A task has begun whose end has not come. */
  #isRunning: boolean;
  /** Waits for that end. */
  #following: ((end: TaskEnd) => void)[] = [];
  #lastEnd: TaskEnd = NO_TASK;
  /** The next task that begins is this console's. */
  #isOwn = false;
  #why: string | undefined;
  #commands: readonly InstalledCommand[] = [];
  #mayBeOld = false;
  #lastAnswer: string | undefined;
  #shows: CommandShown | undefined;

  constructor({ connection, state, shown }: RemoteOptions) {
    this.#connection = connection;
    this.#state = state;
    this.#isRunning = state.busy;
    this.#shown = shown;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The last answer of the model that this console has heard of, as text. */
  get lastAnswer(): string | undefined {
    return this.#lastAnswer;
  }

  /** Why there is nothing to show any more; undefined while there is. */
  get ended(): string | undefined {
    return this.#why;
  }

  /** A notification of the server. */
  hear(method: string, params: JsonValue): void {
    // The server's notifications have the shapes of their methods.
    const hear = (this.#heard as Readonly<Record<string, ((params: never) => void) | undefined>>)[method];
    hear?.(params as never);
  }

  onState(listener: () => void): Disposer {
    this.#onState.add(listener);
    return createDisposer(() => void this.#onState.delete(listener));
  }

  /** Resolves when a task runs. */
  begun(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isRunning) resolve();
      else this.#onBegun.push(resolve);
    });
  }

  /** The server, or the session, is gone. */
  end(why: string): void {
    this.#why ??= why;
    for (const question of this.#asked.values()) question.abort();
    this.#isRunning = false;
    for (const settle of this.#following.splice(0)) settle({ kind: "aborted" });
    this.#shown.leave();
  }

  readonly conductor: ShownConductor = {
    submit: (input) => this.#submit(input.content),
    steer: (content) =>
      this.#tell(this.#connection.request("submit", { ...this.#line(content), wait: false })),
    abort: () => this.#tell(this.#connection.request("interrupt", this.#at())),
    announce: (event) => this.#pass(event),
    setThinking: (thinking) =>
      this.#tell(this.#connection.request("setThinking", { ...this.#at(), thinking })),
    waiting: () => [], // the server has them
    takeBack: () => undefined,
    status: () => {
      const { id, log, model, busy, thinking, contextTokens, usage, costs, limits } = this.#state;
      const facts: object = { usage, costs, limits, params: { thinking } }; // as the server's own session has them
      return { sessionId: id, logPath: log, model, busy, contextTokens, ...facts } as SessionStatus;
    },
    subscribe: (listener) => {
      this.#listeners.add(listener);
      for (const show of this.#early.splice(0)) show();
      return createDisposer(() => void this.#listeners.delete(listener));
    },
  };

  /** The session's commands, each of which runs there. */
  get commands(): readonly InstalledCommand[] {
    if (this.#mayBeOld) this.#tell(this.readCommands()); // for the next key
    return this.#commands;
  }

  /** Commands and their values come and go, as do features, models and turns. */
  async readCommands(): Promise<void> {
    this.#mayBeOld = false;
    const { commands } = await this.#connection.request("commands", this.#at());
    this.#commands = commands.map((card) => this.#commandOf(card));
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#onState) listener();
  }

  #commandOf({ name, summary, argumentHint, feature, picks, values = [] }: CommandCard): InstalledCommand {
    const choices = values.map(({ value, detail = "" }) => ({ value, detail }));
    return {
      ...{ name, summary, argumentHint, feature: feature as FeatureId, picks: picks === true },
      complete: () => choices,
      run: async ({ args, say, handles, list }) => {
        const line = `/${name} ${args}`.trim();
        this.#shows = list && { list, say };
        const lists = list !== undefined;
        const end = await this.#connection.request("run", { ...this.#at(), line, lists });
        if (end.fault !== undefined) throw new Error(end.fault.message);
        const said = end.said ?? end.message ?? "";
        if (said !== "") say(said);
        if (end.writes !== undefined) list?.write(end.writes);
        if (end.task !== undefined) handles.sendMessage?.(end.task);
        if (end.leaves) this.#shown.leave();
        this.#mayBeOld = true;
      },
    };
  }

  /** What a person's `!` line runs, in the session's folder. */
  readonly exec: NonNullable<SessionHandles["exec"]> = async (command) => {
    try {
      const { code = null, ...end } = await this.#connection.request("exec", { ...this.#at(), command });
      return { ...end, code };
    } catch (error) {
      throw new Error(describeError(error), { cause: error instanceof RpcError ? "refused" : error });
    }
  };

  /** Switches to the next permission mode. Resolves to what to tell the person. */
  async nextMode(): Promise<string> {
    try {
      return (await this.#connection.request("nextMode", this.#at())).said;
    } catch (error) {
      return describeError(error);
    }
  }

  /** A line of the log that the console shows again. */
  recall(entry: Entry): void {
    this.#lastAnswer = answerIn(entry) ?? this.#lastAnswer;
  }

  #line(content: UserContent): ClientToServer["submit"]["params"] {
    const blocks = content as ClientToServer["submit"]["params"]["content"]; // pictures are of the types that a session takes
    return { ...this.#at(), content: blocks, joins: true };
  }

  #at(): { readonly session: string } {
    return { session: this.#state.id };
  }

  /** Without content it follows the task that runs, or ran just now. A line that comes while one runs joins it. */
  async #submit(content: UserContent): Promise<SubmitEnd> {
    if (content.length === 0) {
      if (!this.#isRunning) return submitEnd(this.#lastEnd);
      return submitEnd(await new Promise<TaskEnd>((resolve) => this.#following.push(resolve)));
    }
    this.#isOwn = true;
    try {
      return submitEnd(await this.#connection.request("submit", this.#line(content)));
    } catch (error) {
      return submitEnd({ kind: "faulted", fault: { kind: "broken", message: describeError(error) } });
    } finally {
      this.#isOwn = false;
    }
  }

  /** What the server refuses is told. */
  #tell(request: Promise<unknown>): void {
    request.catch((error: unknown) => this.#alert(describeError(error)));
  }

  #alert(text: string): void {
    this.#pass({ kind: "alert", text });
  }

  #pass(event: ConductorEvent): void {
    this.#show(() => {
      for (const listener of this.#listeners) listener(event);
    });
  }

  #show(show: () => void): void {
    if (this.#listeners.size === 0) this.#early.push(show);
    else show();
  }

  readonly #heard: Notification = {
    event: ({ event }) => {
      const { feature, shape, to } = event;
      if (event.type === "shown") this.#shown.ui?.render(String(feature), shape as unknown as UiShape);
      else if (event.type === "moved") this.#alert(`The session continues as ${String(to)}.`);
      else this.#hearEvent(fromObject(event));
    },
    state: (state) => {
      this.#state = state;
      if (state.busy) {
        this.#isRunning = true;
        for (const resolve of this.#onBegun.splice(0)) resolve();
      }
      this.#changed();
    },
    question: ({ id, question }) => {
      this.#asked.set(id, new AbortController());
      this.#show(() => void this.#ask(id, question));
    },
    answered: ({ id }) => {
      this.#asked.get(id)?.abort();
      this.#asked.delete(id);
    },
    ended: ({ end }) => {
      this.#mayBeOld = true;
      this.#isRunning = false;
      this.#lastEnd = end;
      for (const settle of this.#following.splice(0)) settle(end);
    },
    closed: ({ why }) => this.end(why),
  };

  #hearEvent(event: ConductorEvent): void {
    if (event.kind === "entry") this.recall(event.entry);
    if (event.kind === "entry" && event.entry.type === "user" && event.entry.via === "submit") {
      const words = (event.entry.typed ?? event.entry.content).flatMap((block) =>
        block.kind === "text" ? [block.text] : [],
      );
      if (!this.#isOwn) this.#alert(`› ${printable(words.join("\n"))}`);
      this.#isOwn = false;
    }
    this.#pass(event);
  }

  async #ask(id: number, question: Question): Promise<void> {
    const over = this.#asked.get(id);
    if (over === undefined) return; // somebody was faster
    try {
      const answer =
        question.kind === "list"
          ? await chosenIn(question, this.#shows)
          : await answerTo(question, this.#shown, over.signal);
      if (answer === undefined) this.#alert(LEFT);
      else if (this.#asked.delete(id))
        await this.#connection.request("answer", { ...this.#at(), id, answer });
    } catch (error) {
      if (!(error instanceof Aborted) && !over.signal.aborted) this.#alert(describeError(error));
    }
  }
}

function submitEnd(end: TaskEnd): SubmitEnd {
  if (end.kind === "complete")
    return { kind: "complete", text: end.text ?? "", stop: (end.stop ?? "end") as "complete" };
  if (end.kind !== "faulted" || end.fault === undefined) return { kind: "aborted" };
  const { kind, message } = end.fault;
  return { kind: "faulted", fault: { kind: kind as "model", message, owner: "host" } };
}
