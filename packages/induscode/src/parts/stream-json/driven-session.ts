// The session behind a program's pipe: opened with the first thing that needs it, one task after the other, and what the program asks for
// beside them.

import { Aborted, abortable, describeError, isTable, monotonicMs } from "indusagi/core";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import type { Conductor, SubmitEnd, UserContent } from "../../conductor/contract.ts";
import { parseLine } from "../../console/parse-line.ts";
import type { PermissionAsker } from "../../feature/permission.ts";
import { type FrontSession, openFrontSession } from "../../session/front-session.ts";
import { outputSchema, withOutputSchema } from "../../session/output-schema.ts";
import type { CommandEnd } from "../../session/run-command.ts";
import { withServers } from "../packages/servers-here.ts";
import { createControl, unanswerable } from "./program-control.ts";
import { programAsker } from "./program-person.ts";
import { agentsOf, answerRequest, serversOf, stylesOf } from "./session-requests.ts";
import { type Message, StreamMessages } from "./stream-messages.ts";
import { OUR_WORDS, THEIR_WORDS, type ToolWords } from "./tool-words.ts";
import { userContent } from "./user-content.ts";
import { DONT_ASK, modeName, type WrapperLine } from "./wrapper-flags.ts";

type Table = Readonly<Record<string, unknown>>;

interface Facts {
  readonly wanted: WrapperLine;
  readonly cwd: string;
  readonly line: Omit<Invocation, "flags" | "words" | "attachments">;
  readonly write: (message: Message) => void;
}

interface Opened extends FrontSession {
  /** It answers in the wanted form, if one is. */
  readonly conductor: Conductor;
  readonly messages: StreamMessages;
  readonly words: ToolWords;
}

const GONE = "the program is gone";
const NOBODY = "in the mode dontAsk, nobody is asked, and no rule allows this";
/** Told when the program has closed its end, and a task runs. */
export const GOES_ON = { type: "system", subtype: "status", status: "working" } as const;
const INTERRUPTED = "The task was interrupted.";
const LEFT = "To end the session, the program must close the session's input.";

export class DrivenSession {
  readonly #facts: Facts;
  readonly #control: ReturnType<typeof createControl>;
  readonly #stopping = new AbortController();
  #opening: Promise<Opened> | undefined;
  /** Ends the wait of the task that runs for the session to open. */
  #waiting = new AbortController();
  /** What the program says of the session before it is open. */
  #hello: Table = {};
  #tail: Promise<void> = Promise.resolve();
  /** The program is not asked in the mode that it chose. */
  #asksNobody: boolean;
  #structured: unknown;
  #hasFailed = false;
  /** A line of the program's was no message: whatever it was to do is not done. */
  #hasLostLine = false;
  /** Tasks that have not ended. */
  #unended = 0;
  /** Why no more tasks are begun; undefined while they are. */
  #over: string | undefined;
  /** Tasks that are not run because of that. */
  #dropped = 0;

  constructor(facts: Facts) {
    this.#facts = facts;
    this.#asksNobody = facts.wanted.asksNobody;
    this.#control = createControl(
      facts.write,
      (request) => this.#answer(request),
      (line) => this.#tell(line),
    );
  }

  /** A message of the program's, or why a line is none. */
  take(given: Table | string): void {
    const message = typeof given === "string" ? given : (unanswerable(given) ?? given);
    if (typeof message !== "string" && this.#control.take(message)) return;
    const content = this.#contentOf(message);
    if (content !== undefined) this.submit(content);
  }

  #contentOf(message: Table | string): UserContent | undefined {
    if (typeof message === "string") {
      this.#hasLostLine = true;
      this.#unread(message);
    } else if (message.type !== "user")
      this.#tell(`a message of the type ${JSON.stringify(message.type)} is not read`);
    else {
      const content = userContent(message.message, (line) => this.#tell(line));
      if (content === undefined) this.#unread("a user message without content is not read");
      return content;
    }
    return undefined;
  }

  /** Whoever sent it may wait for a result. */
  #unread(message: string): void {
    this.#tell(message);
    this.#tail = this.#tail.then(async () => {
      const opened = await this.#opening?.catch(() => undefined); // that was said
      const end = { kind: "faulted", fault: { kind: "config", message } } as const;
      if (opened) await this.#result(end, opened);
      else this.#unopened({ result: message, errors: [message], end: "faulted", fault_kind: "config" });
    });
  }

  /** After the tasks that wait. */
  submit(content: UserContent): void {
    this.#unended++;
    this.#tail = this.#tail.then(() => this.#task(content)).finally(() => this.#unended--);
  }

  /** Interrupts the task that runs; those that wait are not run, which is said. */
  stop(why: string): void {
    this.#over ??= why;
    this.#stopping.abort();
    this.interrupt();
  }

  interrupt(): undefined {
    this.#waiting.abort();
    void this.#opening?.then(
      ({ conductor }) => conductor.abort(),
      () => undefined, // what went wrong is the task's end
    );
  }

  /** Every task has ended. */
  async settled(): Promise<void> {
    this.#control.end(GONE);
    if (this.#hello.atEnd === "interrupt") this.stop(GONE);
    // Whether somebody still reads shows when something is written, which a silent model's task does not do.
    else if (this.#facts.wanted.input === "stream-json" && this.#unended > 0) this.#facts.write(GOES_ON);
    await this.#tail;
  }

  /** The last task ended without an answer, or a line was no message. */
  hasFailed(): boolean {
    return this.#hasFailed || this.#hasLostLine;
  }

  /** Returns what went wrong, one line each. */
  async close(): Promise<readonly string[]> {
    this.#control.end(GONE);
    this.stop(GONE);
    const opened = await this.#opening?.catch(() => undefined); // that was said
    await this.#tail;
    if (this.#dropped > 0)
      this.#tell(`${this.#dropped} task${this.#dropped === 1 ? " is" : "s are"} not run: ${this.#over}`);
    return (await opened?.close()) ?? [];
  }

  #open(): Promise<Opened> {
    this.#opening ??= this.#openNow();
    return this.#opening;
  }

  async #openNow(): Promise<Opened> {
    const { wanted, cwd, line, write } = this.#facts;
    const text = (name: string): string | undefined => {
      const value = this.#hello[name];
      return typeof value === "string" && value !== "" ? value : undefined;
    };
    const flags: Flags = {
      ...wanted.flags,
      system: text("systemPrompt") ?? wanted.flags.system,
      "append-system": text("appendSystemPrompt") ?? wanted.flags["append-system"],
    };
    const schema = this.#hello.jsonSchema ?? wanted.outputSchema;
    const form = schema === undefined ? undefined : await outputSchema(schema, "--json-schema");
    const typed = { ...line, flags, words: [], attachments: [] };
    const served = await withServers(typed, {
      ...{ cwd, tell: (notice: string) => this.#tell(notice), signal: this.#stopping.signal },
    });
    const words = this.#hello.toolNames === "own" ? OUR_WORDS : THEIR_WORDS;
    const front = await openFrontSession({
      ...{ line: served, cwd },
      ask: wanted.asksProgram
        ? this.#asker(programAsker(this.#control, { words, interrupt: () => this.interrupt() }))
        : undefined,
      asksEarly: true,
    });
    const { session } = front;
    for (const notice of session.notices) this.#tell(notice);
    const { conductor } = session;
    const messages = new StreamMessages(write, {
      sessionId: () => conductor.status().sessionId,
      model: () => conductor.status().model,
      hasPieces: wanted.hasPieces,
      words,
    });
    conductor.subscribe((event) => messages.hear(event), { pieces: wanted.hasPieces });
    const answering = form
      ? withOutputSchema(conductor, form, (value) => {
          this.#structured = value;
        })
      : conductor;
    return { ...front, conductor: answering, messages, words };
  }

  async #task(content: UserContent): Promise<void> {
    const startedMs = monotonicMs();
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    const opened = await this.#opened(signal);
    if (this.#over !== undefined) {
      this.#dropped++;
      this.#hasFailed = true;
      return;
    }
    if (opened === undefined) return;
    opened.messages.send(this.#init(opened));
    const end = await this.#run(content, opened);
    await this.#result(end, opened, monotonicMs() - startedMs);
  }

  async #result(end: SubmitEnd, { session, conductor, messages }: Opened, tookMs = 0): Promise<void> {
    this.#hasFailed = end.kind !== "complete";
    const status = conductor.status();
    messages.result(end, {
      status,
      durationMs: Math.round(tookMs),
      structured: this.#structured,
      window: await session.windowOf(status.model).catch(() => undefined),
    });
    this.#structured = undefined;
  }

  /** Undefined if the task ends without it, which the program is told. */
  async #opened(signal: AbortSignal): Promise<Opened | undefined> {
    if (this.#over !== undefined) return undefined;
    try {
      const opened = await abortable(this.#open(), signal);
      if (signal.aborted) throw new Aborted(); // in between
      return opened;
    } catch (error) {
      if (this.#over !== undefined) return undefined;
      const message = describeError(error);
      if (signal.aborted) this.#unopened({ result: "", errors: [INTERRUPTED], end: "aborted" });
      else {
        this.#tell(message);
        this.#unopened({ result: message, errors: [message], end: "faulted", fault_kind: "config" });
      }
      return undefined;
    }
  }

  /** The end of a message for which no task was begun. */
  #unopened(end: Table): void {
    this.#hasFailed = true;
    this.#facts.write({
      ...{ type: "result", subtype: "error_during_execution", is_error: true, num_turns: 0, session_id: "" },
      ...{
        duration_ms: 0,
        duration_api_ms: 0,
        total_cost_usd: 0,
        usage: {},
        modelUsage: {},
        permission_denials: [],
      },
      ...end,
    });
  }

  /** A task that begins with a command runs it; what that has for the model is the task. */
  async #run(content: UserContent, { run, conductor, messages }: Opened): Promise<SubmitEnd> {
    const [first, ...others] = content;
    if (first?.kind !== "text" || parseLine(first.text).kind !== "command")
      return conductor.submit({ content });
    const end = await run(first.text);
    if (end.kind === "done" && end.task !== undefined)
      return conductor.submit({ content: [{ kind: "text", text: end.task }, ...others] });
    if (end.kind === "faulted") return end;
    const text = end.kind === "done" ? saidBy(end) : end.message;
    messages.said(text);
    return { kind: "complete", text, stop: "complete" };
  }

  #init({ session, words }: Opened): Message {
    const { conductor, commands, modes, reports } = session;
    const tools = reports.flatMap((report) => report.tools);
    return {
      type: "system",
      subtype: "init",
      cwd: this.#facts.cwd,
      tools: tools.map(words.name),
      mcp_servers: serversOf(session),
      model: conductor.status().model,
      permissionMode: this.#asksNobody ? DONT_ASK : modeName(modes.inForce()),
      slash_commands: commands.map(({ name }) => name),
      apiKeySource: "none",
      output_style: stylesOf(session).inForce()?.name ?? "default",
      agents: agentsOf(session).map(({ name }) => name),
      skills: [],
      plugins: [],
    };
  }

  async #answer(request: Table): Promise<Table | undefined> {
    if (request.subtype === "initialize") return this.#initialize(request);
    if (request.subtype === "interrupt") return this.interrupt();
    const { session, run } = await this.#open();
    const answer = await answerRequest(request, {
      session,
      run: async (line) => this.#said(await run(line)),
    });
    if (request.subtype === "set_permission_mode") this.#asksNobody = request.mode === DONT_ASK;
    return answer;
  }

  #asker(ask: PermissionAsker): PermissionAsker {
    return async (question, signal) =>
      this.#asksNobody ? { kind: "no", reason: NOBODY } : ask(question, signal);
  }

  /** What a command says to the person; what it has for the model is the next task. */
  #said(end: CommandEnd): string {
    if (end.kind === "faulted") throw new Error(end.fault.message);
    if (end.kind === "unknown") throw new Error(end.message);
    if (end.task !== undefined) this.submit([{ kind: "text", text: end.task }]);
    return saidBy(end);
  }

  async #initialize(request: Table): Promise<Table> {
    this.#hello = request;
    for (const name of ["hooks", "sdkMcpServers", "agents"])
      if (isFilled(request[name]))
        this.#tell(
          `${name} in the program have no effect: code that runs with a session must be an addon (indus add)`,
        );
    const { session, words } = await this.#open();
    const { sessionId } = session.conductor.status();
    if (words === OUR_WORDS) return { session_id: sessionId }; // the lists take time to make, and such a program needs none
    const styles = stylesOf(session);
    const { styles: available } = await styles.list();
    return {
      commands: session.commands.map(({ name, summary, argumentHint }) => ({
        ...{ name, description: summary, argumentHint: argumentHint ?? "" },
      })),
      models: session.lent.models
        .names()
        .map((name) => ({ value: name, displayName: name, description: "" })),
      agents: agentsOf(session),
      account: {},
      output_style: styles.inForce()?.name ?? "default",
      available_output_styles: ["default", ...available.map(({ name }) => name)],
    };
  }

  #tell(line: string): void {
    process.stderr.write(noticeLine(line));
  }
}

function saidBy({ said, leaves }: Extract<CommandEnd, { readonly kind: "done" }>): string {
  return leaves ? [said, LEFT].filter((text) => text !== "").join("\n") : said;
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isTable(value) && Object.keys(value).length > 0;
}
