// One session that the server keeps open, whoever is connected.

import { describeError } from "indusagi/core";
import { RpcError } from "../../addons/process/protocol/contract.ts";
import { toObject } from "../../channels/json.ts";
import type { ConductorEvent, Entry, UserContent } from "../../conductor/contract.ts";
import type { SessionUi } from "../../feature/ui.ts";
import { dialogTrustAsker } from "../../front/ask-trust.ts";
import { type FrontOpening, type FrontSession, openFrontSession } from "../../session/front-session.ts";
import { loggedEntries } from "../../session/logs/logged-entries.ts";
import type { ListMaker } from "../../session/run-command.ts";
import { runningJobs } from "../delegates/running-jobs.ts";
import { OpenQuestions } from "./open-questions.ts";
import {
  type Answer,
  type ClientToServer,
  type CommandEnd,
  ERROR_CODES,
  type ServerToClient,
  type SessionState,
  type TaskEnd,
} from "./protocol/serve-messages.ts";
import { asSent } from "./sent-json.ts";
import { commandEnd, sessionState, taskEnd } from "./served-facts.ts";
import { type Client, Watchers } from "./watchers.ts";

/** Of what nobody saw, the newest are kept. */
const MAX_EARLY = 100;
const RUNNING: TaskEnd = { kind: "running" };

type ExecEnd = ClientToServer["exec"]["result"];
type Told = ServerToClient["event"]["params"]["event"];

/** Rejects with a `Problem` if the person must act first. */
export async function openServedSession(
  opening: Omit<FrontOpening, "ask" | "ui">,
  notices: readonly string[],
): Promise<ServedSession> {
  let served: ServedSession | undefined; // what features show and ask waits until it is there
  const watchers = new Watchers();
  const questions = new OpenQuestions({
    onAsked: (id, question, only) => {
      const ask = ({ notify }: Client): void =>
        notify("question", { session: served?.id ?? "", id, question });
      if (only === undefined) watchers.tell(ask);
      else ask(only);
    },
    onOver: (id) => watchers.tell(({ notify }) => notify("answered", { session: served?.id ?? "", id })),
  });
  const ui: SessionUi = {
    status: () => undefined,
    clear: () => undefined,
    render: (feature, shape) => served?.tell({ type: "shown", feature, shape: asSent(shape) }),
    ask: questions.dialog,
  };
  const closing = new AbortController();
  const askTrust = dialogTrustAsker(ui, () => closing.signal);
  const front = await openFrontSession({ ...opening, ui, askTrust, ask: questions.permission });
  const close = (): ReturnType<FrontSession["close"]> => {
    closing.abort();
    return front.close();
  };
  const opened = { ...front, close };
  served = new ServedSession({ opened, cwd: opening.cwd, notices, questions, watchers });
  opened.begin();
  void tellTrust(opened, closing.signal); // the questions wait for whoever follows it
  return served;
}

async function tellTrust({ askTrust, session }: FrontSession, closing: AbortSignal): Promise<void> {
  for await (const text of askTrust())
    if (!closing.aborted) session.conductor.announce({ kind: "alert", text });
}

interface Parts {
  readonly opened: FrontSession;
  readonly cwd: string;
  /** What was said while it was opened, before its own notices. */
  readonly notices: readonly string[];
  readonly questions: OpenQuestions;
  readonly watchers: Watchers;
}

export class ServedSession {
  readonly #parts: Parts;
  /** Its id as of now, then those that it had before. */
  #ids: readonly string[];
  #told = "";
  /** The one that runs. */
  #task: Promise<TaskEnd> | undefined;
  /** The number of the next entry to tell. */
  #next: number;
  /** What features showed before anybody followed the session. */
  #early: Told[] | undefined = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    const { conductor } = parts.opened.session;
    this.#ids = [conductor.status().sessionId];
    this.#next = nextIn(loggedEntries(conductor));
    conductor.subscribe((event) => this.#hear(event));
  }

  get id(): string {
    return this.#ids[0] ?? "";
  }

  hasId(id: string): boolean {
    return this.#ids.includes(id);
  }

  /** A task runs, or something in the background. */
  isAtWork(): boolean {
    const { conductor, handles } = this.opened.session;
    return conductor.status().busy || runningJobs(handles.session) > 0;
  }

  get opened(): FrontSession {
    return this.#parts.opened;
  }

  state(): SessionState {
    const [, ...before] = this.#ids;
    const { cwd, notices } = this.#parts;
    return sessionState(this.opened, { cwd, before, notices });
  }

  async submit(
    content: UserContent,
    { wait = true, joins = false }: { readonly wait?: boolean; readonly joins?: boolean } = {},
  ): Promise<TaskEnd> {
    const { conductor } = this.opened.session;
    if (joins && this.#task !== undefined) {
      conductor.steer(content);
      return wait ? this.#task : RUNNING;
    }
    const work = conductor.submit({ content });
    if (this.#task !== undefined) return taskEnd(await work); // refused
    const task = work.then((end) => this.#ended(taskEnd(end)));
    this.#task = task;
    this.tellState();
    return wait ? task : RUNNING;
  }

  #ended(end: TaskEnd): TaskEnd {
    this.#task = undefined;
    this.tellState();
    this.#parts.watchers.tell(({ notify }) => notify("ended", { session: this.id, end }));
    if (end.kind === "complete") this.#submitLeft();
    return end;
  }

  /** A line that came too late to join the task is the next one, with those before it: nobody else might send it. */
  #submitLeft(): void {
    const { conductor } = this.opened.session;
    const last = conductor.waiting().at(-1);
    if (last === undefined) return;
    conductor.takeBack([last]);
    void this.submit(last);
  }

  answer(id: number, answer: Answer): void {
    this.#parts.questions.answer(id, answer);
  }

  async subscribe(client: Client, from: number | undefined): Promise<ClientToServer["subscribe"]["result"]> {
    const { watchers, questions } = this.#parts;
    const all = loggedEntries(this.opened.session.conductor);
    const next = nextIn(all);
    const first = from === undefined ? next : from < 0 ? next + from : from;
    const past = all.filter(({ n }) => n >= first);
    const gotAll = await watchers.add(client, past, (entry) => this.#tellingOf(entry));
    if (!gotAll)
      throw new RpcError(ERROR_CODES.refused, "this subscription was replaced by a newer subscription");
    for (const event of this.#early ?? []) client.notify("event", { session: this.id, event });
    this.#early = undefined;
    for (const [id, question] of questions.list())
      client.notify("question", { session: this.id, id, question });
    return { next, state: this.state() };
  }

  unsubscribe(client: Client): void {
    this.#parts.watchers.remove(client);
  }

  rewind(back: number): ClientToServer["rewind"]["result"] {
    const done = this.opened.session.conductor.fork(back);
    if ("fault" in done) throw new RpcError(ERROR_CODES.refused, done.fault.message);
    this.noticeMove();
    return { left: done.left, state: this.state() };
  }

  /** With a client that shows lists, the command asks it. */
  async run(line: string, shows?: Client): Promise<CommandEnd> {
    const writes: string[] = [];
    const list: ListMaker | undefined =
      shows &&
      ((takeSaid) => ({
        pick: this.#parts.questions.listFor(shows, takeSaid),
        write: (text) => void writes.push(text),
      }));
    const end = await this.opened.run(line, list);
    this.noticeMove();
    this.tellState();
    const text = writes.at(-1);
    return text === undefined ? commandEnd(end) : { ...commandEnd(end), writes: text };
  }

  /** Runs a command of the person's. Throws an {@link RpcError} with the reason if it did not run. */
  async exec(command: string): Promise<ClientToServer["exec"]["result"]> {
    try {
      const { stdout, stderr, code, totalBytes } = await this.opened.session.conductor.exec(command);
      return asSent({ stdout, stderr, code: code ?? undefined, totalBytes }) as ExecEnd;
    } catch (error) {
      throw new RpcError(ERROR_CODES.refused, describeError(error));
    }
  }

  nextMode(): ClientToServer["nextMode"]["result"] {
    const said = this.opened.session.modes.next();
    this.tellState();
    return { said, state: this.state() };
  }

  /** Ends it. Returns what went wrong, one line each. */
  async close(why: string): Promise<readonly string[]> {
    const problems = await this.opened.close();
    this.#parts.watchers.tell(({ notify }) => notify("closed", { session: this.id, why }));
    return problems;
  }

  tell(event: Told): void {
    if (event.type === "shown" && this.#early !== undefined && this.#early.push(event) > MAX_EARLY)
      this.#early.shift();
    this.#parts.watchers.tell(({ notify }) => notify("event", { session: this.id, event }));
  }

  /** Told only if something of it changed. */
  tellState(): void {
    const state = this.state();
    const text = JSON.stringify(state);
    if (text === this.#told) return;
    this.#told = text;
    this.#parts.watchers.tell(({ notify }) => notify("state", state));
  }

  /** A command or a move may have put another log in the place of this one. */
  noticeMove(): void {
    const { conductor } = this.opened.session;
    const { sessionId } = conductor.status();
    if (sessionId === this.id) return;
    this.#next = nextIn(loggedEntries(conductor));
    this.tell({ type: "moved", to: sessionId });
    this.#parts.watchers.beginAnew();
    this.#ids = [sessionId, ...this.#ids.filter((id) => id !== sessionId)];
    this.tellState();
  }

  #hear(event: ConductorEvent): void {
    this.noticeMove();
    if (event.kind === "entry") this.#hearEntry(event.entry);
    else this.tell(toObject(event) as Told); // as JSON: its fields that are undefined are left out
  }

  /** Not every entry is announced: a log's first one is not. */
  #hearEntry(entry: Entry): void {
    const { conductor } = this.opened.session;
    const missed =
      entry.n > this.#next ? loggedEntries(conductor).filter(({ n }) => n >= this.#next && n < entry.n) : [];
    this.#next = entry.n + 1;
    for (const each of [...missed, entry]) this.#parts.watchers.tell(this.#tellingOf(each), each.n);
    this.tellState();
  }

  #tellingOf(entry: Entry): (client: Client) => void {
    const event = toObject({ kind: "entry", entry }) as Told;
    return ({ notify }) => notify("event", { session: this.id, event });
  }
}

function nextIn(entries: readonly Entry[]): number {
  return (entries.at(-1)?.n ?? -1) + 1;
}
