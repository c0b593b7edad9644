// A session in a process of `indus` of its own, driven by lines of JSON.

import { describeError, isTable, type JsonValue, Listeners } from "indusagi/core";
import { workingDirectory } from "../../../cli/invocation.ts";
import { Problem } from "../../../cli/problem.ts";
import type { UserContent } from "../../../conductor/contract.ts";
import { createControl } from "../../../parts/stream-json/program-control.ts";
import type { FromSchema, SchemaLiteral } from "../from-schema.ts";
import { programAnswer } from "../program-answer.ts";
import { type Ask, placeOf, type SessionOptions, type Transport } from "../sdk-options.ts";
import type { SdkSession } from "../sdk-session.ts";
import { NO_USAGE, type TaskEvent, type TaskFacts, type TaskFault, type TaskResult } from "../task-events.ts";
import { childLine } from "./child-line.ts";
import { type IndusProcess, ownCommand, startIndus } from "./indus-process.ts";
import { messageEvents, resultOf } from "./message-events.ts";

type Table = Readonly<Record<string, unknown>>;

/** An interrupted task that has not ended after this time is ended with its process. */
const INTERRUPT_MS = 5_000;
const OPEN_MS = 120_000;
const UNTIL_GONE: AbortSignal = new AbortController().signal;

export async function openInChild<S extends SchemaLiteral | undefined>(
  options: SessionOptions<S>,
  transport: Exclude<Transport, "here">,
  /** How long it may take until its session is open, in milliseconds. */
  openMs: number = OPEN_MS,
): Promise<SdkSession<FromSchema<S>>> {
  const args = childLine(options);
  const command = transport === "child" ? ownCommand() : transport.command;
  const { cwd: startedIn, env } = placeOf(options);
  const cwd = workingDirectory({ flags: { cwd: startedIn }, startedIn });
  const session = new ChildSession<FromSchema<S>>({ command, args, cwd, env }, options.ask);
  return session.open(openMs, options.signal);
}

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

class ChildSession<Output> {
  readonly #process: IndusProcess;
  readonly #control: ReturnType<typeof createControl>;
  readonly #listeners = new Listeners<TaskEvent>((error) => this.#listenerFailed(error));
  #isReporting = false;
  /** What it said to a person while nobody could listen: before it was open, and since it is being closed. */
  #lines: string[] = [];
  #isOpen = false;
  #id = "";
  /** As of the last result. */
  #soFar: Pick<TaskFacts, "cost" | "usage"> = { cost: 0, usage: NO_USAGE };
  #gone: string | undefined;
  #finish: ((result: TaskResult<Output>) => void) | undefined;
  #isInterrupted = false;

  constructor(start: Start, ask: Ask | undefined) {
    this.#process = startIndus({
      ...start,
      onMessage: (message) => this.#hear(message),
      onLine: (line) => this.#line(line),
      onGone: (why) => this.#end(why),
    });
    this.#control = createControl(this.#process.send, (request, signal) => answerTo(request, ask, signal));
  }

  /** What does not answer until the signal fires, or in time, is ended. */
  async open(openMs: number, signal: AbortSignal = UNTIL_GONE): Promise<SdkSession<Output>> {
    const late = AbortSignal.timeout(openMs);
    try {
      const hello = await this.#ask(
        { subtype: "initialize", toolNames: "own", atEnd: "interrupt" },
        AbortSignal.any([signal, late]),
      );
      this.#id = String(hello.session_id);
    } catch (error) {
      if (signal.aborted || late.aborted) this.#process.kill();
      await this.#process.end();
      throw new Problem(
        late.aborted ? `indus did not open its session in ${openMs / 1000} s` : describeError(error),
      );
    }
    const notices = this.#lines;
    this.#lines = [];
    this.#isOpen = true;
    return {
      notices,
      id: () => this.#id,
      submit: (prompt) => this.#submit(prompt),
      steer: (text) =>
        void this.#ask({ subtype: "steer", text }).catch((error) => this.#line(describeError(error))),
      interrupt: () => this.#interrupt(),
      fork: (back) => this.#fork(back),
      rewind: (line) => this.#rewind(line),
      subscribe: (listener) => this.#listeners.add(listener),
      close: () => this.#close(),
    };
  }

  #ask(request: Table, signal: AbortSignal = UNTIL_GONE): Promise<Table> {
    return this.#control.ask(request, signal);
  }

  #submit(prompt: string | UserContent): Promise<TaskResult<Output>> {
    if (this.#finish) return Promise.resolve(this.#faulted("busy", "a task is running in this session"));
    if (this.#gone !== undefined) return Promise.resolve(this.#faulted("broken", this.#gone));
    this.#isInterrupted = false;
    return new Promise((resolve) => {
      this.#finish = (result) => {
        this.#finish = undefined;
        resolve(result);
      };
      const content = typeof prompt === "string" ? prompt : prompt.map(blockOf);
      this.#process.send({ type: "user", message: { role: "user", content } });
    });
  }

  #interrupt(): void {
    const finish = this.#finish;
    if (finish === undefined || this.#isInterrupted) return;
    this.#isInterrupted = true;
    const patience = setTimeout(() => this.#finish === finish && this.#process.kill(), INTERRUPT_MS);
    patience.unref();
    this.#ask({ subtype: "interrupt" }).catch((error) => this.#line(describeError(error)));
  }

  async #fork(back: number): Promise<string> {
    const { session_id: id } = await this.#ask({ subtype: "fork", back }).catch(refused);
    this.#id = String(id);
    return this.#id;
  }

  async #rewind(line: number): Promise<string> {
    const { said, session_id: id } = await this.#ask({ subtype: "run", line: `/rewind apply ${line}` }).catch(
      refused,
    );
    this.#id = String(id);
    return String(said);
  }

  async #close(): Promise<readonly string[]> {
    this.#interrupt();
    this.#isOpen = false;
    await this.#process.end();
    return this.#lines;
  }

  #hear(message: Table): void {
    if (this.#control.take(message)) return;
    if (message.type === "result") {
      const result = resultOf<Output>(message);
      this.#id = result.sessionId || this.#id; // an older command says none where it read no message
      this.#soFar = { cost: result.cost, usage: result.usage };
      this.#finish?.({ ...result, sessionId: this.#id });
    } else for (const event of messageEvents(message)) this.#tell(event);
  }

  #line(text: string): void {
    if (this.#isOpen) this.#tell({ type: "notice", level: "warning", text });
    else this.#lines.push(text);
  }

  #tell(event: TaskEvent): void {
    this.#listeners.emit(event);
  }

  /** Told as a session in this process tells it; one that fails at that too is not told of again. */
  #listenerFailed(error: unknown): void {
    if (this.#isReporting) return;
    this.#isReporting = true;
    const text = `A listener of the session failed: ${describeError(error)}`;
    this.#tell({ type: "notice", level: "error", text });
    this.#isReporting = false;
  }

  #end(why: string): void {
    this.#gone = why;
    this.#control.end(why);
    this.#finish?.(this.#isInterrupted ? this.#aborted() : this.#faulted("broken", why));
  }

  #faulted(kind: TaskFault["kind"], message: string): TaskResult<Output> {
    return { ...this.#aborted(), kind: "faulted", fault: { kind, message } };
  }

  #aborted(): TaskResult<Output> & { readonly kind: "aborted" } {
    return { type: "result", kind: "aborted", sessionId: this.#id, ...this.#soFar };
  }
}

function refused(error: unknown): never {
  throw new Problem(describeError(error));
}

function blockOf(block: UserContent[number]): Table {
  if (block.kind === "text") return { type: "text", text: block.text };
  return { type: "image", source: { type: "base64", media_type: block.mediaType, data: block.data } };
}

async function answerTo(request: Table, ask: Ask | undefined, signal: AbortSignal): Promise<Table> {
  if (request.subtype !== "can_use_tool" || ask === undefined)
    throw new Error(`the program does not know the request ${JSON.stringify(request.subtype)}`);
  const { tool_name: tool, input, decision_reason: reason, agent_id: delegate } = request;
  const offers = Array.isArray(request.permission_suggestions) ? request.permission_suggestions : [];
  const answer = await programAnswer(
    ask,
    {
      ...{ tool: String(tool), input: input as JsonValue, reason: String(reason) },
      delegate: typeof delegate === "string" ? delegate : undefined,
    },
    signal,
  );
  if (answer.kind === "no") return { behavior: "deny", message: answer.reason ?? "" };
  const forSession = offers.filter((offer) => isTable(offer) && offer.destination === "session");
  return { behavior: "allow", updatedPermissions: answer.kind === "session" ? forSession : [] };
}
