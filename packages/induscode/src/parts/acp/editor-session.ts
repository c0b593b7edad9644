// One session that an editor drives.

import {
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  methods,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { Aborted, abortable, homeFolder } from "indusagi/core";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import type { ConductorEvent, SubmitEnd, UserContent } from "../../conductor/contract.ts";
import { pastEvents } from "../../conductor/past-events.ts";
import { parseLine } from "../../console/parse-line.ts";
import { dialogTrustAsker } from "../../front/ask-trust.ts";
import { type FrontSession, openFrontSession, sessionPlace } from "../../session/front-session.ts";
import { withServers } from "../packages/servers-here.ts";
import { handedServers } from "./client-servers.ts";
import { createEditorFiles, type EditorFiles } from "./editor-files.ts";
import { personInEditor } from "./person-in-editor.ts";
import { promptContent } from "./prompt-content.ts";
import { chooseMode, chooseOption, configOptions, modeState } from "./session-choices.ts";
import { aside, piece, SessionUpdates } from "./session-updates.ts";

export interface Opening extends Pick<NewSessionRequest, "cwd" | "additionalDirectories"> {
  readonly mcpServers?: NewSessionRequest["mcpServers"];
  readonly line: Invocation<Flags>;
  readonly editor: AgentContext;
  readonly client: ClientCapabilities;
  /** A session to continue, by its id. */
  readonly resume?: string | undefined;
  /** Not that session itself: a fork of it. */
  readonly forks?: boolean | undefined;
  /** The editor is gone. */
  readonly gone: AbortSignal;
}

export interface EditorSession {
  readonly id: string;
  readonly choices: () => Pick<NewSessionResponse, "modes" | "configOptions">;
  readonly prompt: (blocks: readonly ContentBlock[]) => Promise<PromptResponse>;
  readonly cancel: () => void;
  readonly setMode: (mode: string) => void;
  readonly setOption: (id: string, value: unknown) => Promise<SessionConfigOption[]>;
  /** Tells the editor what was said before. */
  readonly retell: () => Promise<void>;
  /** What an editor may hear only once it knows the session. */
  readonly afterAnswer: () => void;
  readonly close: () => Promise<readonly string[]>;
}

/** An editor this far behind is stuck. The model cannot be made to wait, so the task is stopped instead of filling memory. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const INVALID_REQUEST = -32600;
const RETOLD_TASKS = 1000;
const RETOLD_ENTRIES = 20_000;
const CANCELLED: PromptResponse = { stopReason: "cancelled" };

/** Rejects with a {@link Problem} if the person must act first. */
export async function openEditorSession(opening: Opening): Promise<EditorSession> {
  const { editor, client, resume, forks = false } = opening;
  const cwd = sessionPlace(opening.cwd, opening.line);
  const untold: string[] = [];
  const flags: Flags = { ...opening.line.flags, resume, fork: forks || undefined };
  const line = await withServers(
    { ...opening.line, flags },
    {
      ...{ cwd, handed: handedServers(opening.mcpServers ?? [], cwd) },
      tell: (text) => void untold.push(text),
      signal: opening.gone,
    },
  );
  let id: string | undefined;
  const known = (): string => {
    if (id === undefined) throw new Error("the editor does not know the session yet");
    return id;
  };
  const updates = new SessionUpdates(cwd);
  const messages = createMessages(editor, () => session.conductor.abort());
  const person = personInEditor({
    ...{ editor, client, idOf: (id) => updates.idOf(id) },
    session: known,
    tell: (text) => messages.send(known(), piece("agent_message_chunk", `\n\n${text}\n\n`)),
    stop: () => session.conductor.abort(),
  });
  const files = createEditorFiles(editor, client.fs ?? {}, () => id);
  let asked: AbortSignal | undefined;
  const askTrust = dialogTrustAsker(person.ui, () => asked);
  const opened = await openFrontSession({ line, cwd, files: files.fs, askTrust, ...person });
  const { session } = opened;
  id = session.conductor.status().sessionId;
  const onPrompt = (signal: AbortSignal): void => {
    asked = signal;
  };
  return new OpenSession({ ...opened, onPrompt, id, cwd, files, updates, messages, line, untold });
}

interface Open extends FrontSession {
  readonly id: string;
  readonly cwd: string;
  readonly files: EditorFiles;
  readonly updates: SessionUpdates;
  readonly messages: Messages;
  readonly line: Invocation<Flags>;
  /** What is asked from now on is taken back with this signal. */
  readonly onPrompt: (signal: AbortSignal) => void;
  /** What the person should know of how it was opened. */
  readonly untold: readonly string[];
}

class OpenSession implements EditorSession {
  readonly #open: Open;
  readonly #unsubscribe: () => void;
  /** Lines that the person reads with the first answer. */
  #untold: readonly string[];
  #commands = "";
  /** Cancels the prompt that is not answered yet. */
  #asked: AbortController | undefined;
  /** As the editor knows it. */
  #mode: string;
  /** The task's own fault, which is its answer: it is not told twice. */
  #fault: ConductorEvent | undefined;

  constructor(open: Open) {
    this.#open = open;
    this.#mode = open.session.modes.inForce();
    const { notices, conductor } = open.session;
    this.#untold = [...open.untold, ...notices];
    const unsubscribe = conductor.subscribe((event) => this.#hear(event));
    this.#unsubscribe = () => void unsubscribe();
  }

  get id(): string {
    return this.#open.id;
  }

  choices(): Pick<NewSessionResponse, "modes" | "configOptions"> {
    const { session } = this.#open;
    return { modes: modeState(session), configOptions: configOptions(session) };
  }

  async prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    if (this.#asked)
      throw new RequestError(
        INVALID_REQUEST,
        "a task is running in this session: cancel it, or wait for its end",
      );
    const asked = new AbortController();
    this.#asked = asked;
    try {
      return await this.#answer(blocks, asked.signal);
    } catch (error) {
      if (error instanceof Aborted) return CANCELLED;
      throw error;
    } finally {
      this.#asked = undefined;
    }
  }

  /** Rejects with {@link Aborted} if it is cancelled before the task begins. */
  async #answer(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const { cwd, line, files, messages } = this.#open;
    this.#tell(this.#untold);
    this.#untold = [];
    const places = { cwd, personHome: homeFolder(line.env), read: files.read };
    const { content, problems } = await abortable(promptContent(blocks, places), signal);
    if (content.length === 0)
      throw RequestError.invalidParams(undefined, ["there is nothing to send", ...problems].join("; "));
    this.#tell(problems);
    this.#open.onPrompt(signal);
    for await (const came of this.#open.askTrust()) this.#tell([came]);
    const task = await this.#taskOf(content);
    if (signal.aborted) throw new Aborted();
    const answer = task === undefined ? ({ stopReason: "end_turn" } as const) : await this.#submit(task);
    this.afterAnswer();
    await messages.sent();
    return answer;
  }

  /** Content that begins with a command runs it; what that has for the model is the task. */
  async #taskOf(content: UserContent): Promise<UserContent | undefined> {
    const [first, ...others] = content;
    if (first?.kind !== "text" || parseLine(first.text).kind !== "command") return content;
    const end = await this.#open.run(first.text);
    if (end.kind === "unknown") this.#tell([end.message]);
    if (end.kind === "faulted") this.#tell([end.fault.message]);
    if (end.kind !== "done") return undefined;
    if (end.said !== "") this.#send(piece("agent_message_chunk", end.said));
    if (end.leaves) this.#tell(["To end the session, close it in the editor."]);
    return end.task === undefined ? undefined : [{ kind: "text", text: end.task }, ...others];
  }

  async #submit(content: UserContent): Promise<PromptResponse> {
    const end = await this.#open.session.conductor.submit({ content });
    const fault = this.#fault;
    this.#fault = undefined;
    if (end.kind === "faulted" && fault?.kind === "fault" && fault.fault.message !== end.fault.message)
      this.#pass(fault);
    return { stopReason: stopReasonOf(end) };
  }

  cancel(): void {
    this.#asked?.abort();
    this.#open.session.conductor.abort();
  }

  setMode(mode: string): void {
    chooseMode(this.#open.session, mode);
    this.#tellMode();
  }

  async setOption(option: string, value: unknown): Promise<SessionConfigOption[]> {
    await chooseOption(this.#open.session, option, value);
    this.#tellMode();
    return configOptions(this.#open.session);
  }

  async retell(): Promise<void> {
    const { session, updates, messages } = this.#open;
    const past = pastEvents(session.resumed, { tasks: RETOLD_TASKS, most: RETOLD_ENTRIES });
    if (past.before > 0) this.#tell([`${past.before} earlier messages are not shown.`]);
    for (const event of past.events)
      for (const update of updates.of(event, { retells: true })) this.#send(update);
    await messages.sent();
  }

  afterAnswer(): void {
    const { session } = this.#open;
    // An editor knows the session only once it has the answer to which this belongs.
    setImmediate(() => {
      this.#open.begin();
      const commands = session.commands.map(({ name, summary, argumentHint }) => ({
        name,
        description: summary,
        input: argumentHint === undefined ? null : { hint: argumentHint },
      }));
      const told = JSON.stringify(commands);
      if (told === this.#commands) return;
      this.#commands = told;
      this.#send({ sessionUpdate: "available_commands_update", availableCommands: commands });
    });
  }

  async close(): Promise<readonly string[]> {
    this.#unsubscribe();
    return this.#open.close();
  }

  #hear(event: ConductorEvent): void {
    if (this.#fault !== undefined) this.#pass(this.#fault);
    this.#fault = event.kind === "fault" ? event : undefined;
    if (event.kind !== "fault") this.#pass(event);
  }

  #pass(event: ConductorEvent): void {
    for (const update of this.#open.updates.of(event)) this.#send(update);
    if (event.kind !== "entry") return;
    if (event.entry.type === "mode") this.#tellMode();
    if (event.entry.type === "assistant") void this.#tellUse();
  }

  /** Once for each: the log has it only with the session's first line, and the model can begin a plan as well. */
  #tellMode(): void {
    const { session } = this.#open;
    const mode = session.modes.inForce();
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#send({ sessionUpdate: "current_mode_update", currentModeId: mode });
    this.#send({ sessionUpdate: "config_option_update", configOptions: configOptions(session) });
  }

  async #tellUse(): Promise<void> {
    const { conductor, windowOf } = this.#open.session;
    const { model, contextTokens, costs } = conductor.status();
    const size = await windowOf(model).catch(() => undefined);
    if (size === undefined || !Number.isSafeInteger(size)) return;
    const amount = costs.reduce((sum, { dollars }) => sum + dollars, 0);
    const cost = amount > 0 ? { cost: { amount, currency: "USD" } } : {};
    this.#send({ sessionUpdate: "usage_update", used: contextTokens, size, ...cost });
  }

  #tell(lines: readonly string[]): void {
    if (lines.length > 0) this.#send(piece("agent_message_chunk", aside(undefined, lines.join("\n"))));
  }

  #send(update: SessionUpdate): void {
    this.#open.messages.send(this.#open.id, update);
  }
}

function stopReasonOf(end: SubmitEnd): PromptResponse["stopReason"] {
  if (end.kind === "aborted") return "cancelled";
  if (end.kind === "complete")
    return end.stop === "refusal" ? "refusal" : end.stop === "max_output" ? "max_tokens" : "end_turn";
  if (end.fault.kind === "turn_budget") return "max_turn_requests";
  throw RequestError.internalError(undefined, end.fault.message);
}

interface Messages {
  readonly send: (session: string, update: SessionUpdate) => void;
  /** Everything so far was handed over. */
  readonly sent: () => Promise<void>;
}

/** In order, and not without end: `onStuck` stops what is told to an editor that does not read. */
function createMessages(editor: AgentContext, onStuck: () => void): Messages {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    send(sessionId, update) {
      const bytes = JSON.stringify(update).length;
      waiting += bytes;
      if (waiting > MAX_WAITING_BYTES) onStuck();
      last = editor
        .notify(methods.client.session.update, { sessionId, update })
        .catch(() => undefined) // the editor is gone, which ends the connection
        .finally(() => {
          waiting -= bytes;
        });
    },
    sent: async () => void (await last),
  };
}
