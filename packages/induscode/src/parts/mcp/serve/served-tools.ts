// The tools that are served: those of one session in the folder, whose calls are made beside its conversation.

import { randomUUID } from "node:crypto";
import { abortable, type JsonValue } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llmgateway";
import type { Flags } from "../../../cli/flags.ts";
import { type Invocation, workingDirectory } from "../../../cli/invocation.ts";
import { noticeLine } from "../../../cli/notice-line.ts";
import type { CallOutcome } from "../../../deck/contract.ts";
import { type FrontSession, openFrontSession } from "../../../session/front-session.ts";
import { withServers } from "../../packages/servers-here.ts";
import type { OpenCall } from "./open-call.ts";
import { servedPerson } from "./served-person.ts";

/** Their tools belong to a conversation, of which a client has its own. */
const OF_A_CONVERSATION: ReadonlySet<string> = new Set([
  ...["builtin:planning", "builtin:person", "builtin:delegates", "builtin:work-item"],
]);

export interface ServedCall {
  readonly name: string;
  readonly input: JsonValue;
  /** The program that calls. */
  readonly client: string;
}

export class ServedTools {
  readonly #line: Invocation<Flags>;
  readonly #calls = new Map<string, OpenCall<unknown>>();
  readonly #closing = new AbortController();
  #opening: Promise<FrontSession> | undefined;
  #bringing: Promise<Invocation<Flags>> | undefined;

  constructor(line: Invocation<Flags>) {
    this.#line = line;
  }

  /**
   * The line that sessions here are opened with: with the folder's MCP servers, which are fetched with the first use. Rejects with a
   * `Problem` for one that cannot be brought.
   */
  line(): Promise<Invocation<Flags>> {
    const { signal } = this.#closing;
    this.#bringing ??= withServers(this.#line, { cwd: workingDirectory(this.#line), signal }).catch(
      (error: unknown) => {
        this.#bringing = undefined; // the person can mend what was in the way
        throw error;
      },
    );
    return this.#bringing;
  }

  /** Opens the session with the first use. `canAsk`: whoever sits at the client can be asked. Rejects with a `Problem` if there can be none. */
  async list(canAsk: boolean): Promise<readonly ToolDescriptor[]> {
    return (await this.#session(canAsk)).session.conductor.tools(OF_A_CONVERSATION);
  }

  async call(
    { name, input, client }: ServedCall,
    canAsk: boolean,
    open: OpenCall<unknown>,
  ): Promise<CallOutcome> {
    const { conductor } = (await abortable(this.#session(canAsk), open.signal)).session;
    const id = randomUUID();
    this.#calls.set(id, open);
    try {
      return await conductor.call(
        { id, name, input },
        { by: client, without: OF_A_CONVERSATION },
        open.signal,
      );
    } finally {
      this.#calls.delete(id);
    }
  }

  /** Returns what went wrong, one line each. */
  async close(): Promise<readonly string[]> {
    this.#closing.abort();
    const opened = await this.#opening?.catch(() => undefined); // whoever asked was told
    return (await opened?.close()) ?? [];
  }

  #session(canAsk: boolean): Promise<FrontSession> {
    this.#opening ??= this.#open(canAsk).catch((error: unknown) => {
      this.#opening = undefined; // the person can mend what was in the way
      throw error;
    });
    return this.#opening;
  }

  async #open(canAsk: boolean): Promise<FrontSession> {
    const line = await this.line();
    const callOf = (id: string | undefined) =>
      id === undefined ? [...this.#calls.values()].at(-1) : this.#calls.get(id);
    const opened = await openFrontSession({
      ...{ line, cwd: workingDirectory(line), mayLackModel: true },
      ...servedPerson({ canAsk, callOf }),
    });
    opened.begin();
    const { notices, conductor } = opened.session;
    for (const notice of notices) process.stderr.write(noticeLine(notice));
    conductor.subscribe((event) => {
      if (event.kind === "tool_progress") this.#calls.get(event.callId)?.tell(event.tail);
      if (event.kind === "alert") process.stderr.write(noticeLine(event.text));
      if (event.kind === "fault") process.stderr.write(noticeLine(event.fault.message));
    });
    return opened;
  }
}
