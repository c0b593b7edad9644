// The protocol's side: lists the tools, and runs calls in rounds.

import { randomUUID } from "node:crypto";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type Implementation,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { BUILTIN_TOOLS } from "indusagi/capabilities";
import { abortable, beginningOf, describeError, type JsonValue } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llmgateway";
import { VERSION } from "../../../cli/version.ts";
import { printableLine } from "../../../console/printable-line.ts";
import { type Filled, OpenCall } from "./open-call.ts";
import { runTask, TASK_TOOL, TASK_TOOL_NAME } from "./run-task.ts";
import type { ServedTools } from "./served-tools.ts";
import { resultOf, taskResult } from "./tool-results.ts";

type Call = OpenCall<CallToolResult>;

/** What each request of the newest revision says of its client. */
interface Envelope {
  readonly [CLIENT_INFO_META_KEY]?: Implementation;
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

/** A client that asks for more at once is stuck or hostile. */
const MAX_CALLS = 64;
/** How long a question may wait for a client that does not come back. */
const MAX_QUESTION_MS = 600_000;
/** Of a client's name, in characters. */
const MAX_NAME = 100;
const QUESTION = "question";
const OBSERVERS: ReadonlySet<string> = new Set(
  BUILTIN_TOOLS.flatMap(({ name, observes }) => (observes ? [name] : [])),
);

export class ToolServer {
  readonly #tools: ServedTools;
  readonly #calls = new Map<string, Call>();
  /** What ends the calls whose client may bring an answer. */
  readonly #lapses = new Map<string, NodeJS.Timeout>();
  /** The sessions of its tasks. */
  readonly #sessions = new Set<string>();

  constructor(tools: ServedTools) {
    this.#tools = tools;
  }

  /** One connection's. */
  readonly create = (): Server => {
    const server = new Server(
      { name: "indus", title: "indus", version: VERSION },
      {
        capabilities: { tools: {} },
        instructions:
          "The tools work in one folder, with the permissions of the person who started this server: a refused call says what would let it pass.",
      },
    );
    server.setRequestHandler("tools/list", async (_, context) => ({
      tools: [...(await this.#tools.list(this.#client(server, context).canAsk)), TASK_TOOL].map(toolOf),
    }));
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      const call = this.#resumed(context) ?? this.#begun(params, this.#client(server, context));
      return this.#round(call, context);
    });
    // The library's own answer names neither.
    server.fallbackRequestHandler = async ({ method }) => {
      throw new ProtocolError(
        ProtocolErrorCode.MethodNotFound,
        `unknown method ${JSON.stringify(beginningOf(method, MAX_NAME))}; expected tools/list or tools/call`,
      );
    };
    return server;
  };

  /** Ends what runs. */
  async close(): Promise<void> {
    const calls = [...this.#calls.values()];
    for (const call of calls) call.abort();
    await Promise.all(calls.map((call) => call.ended()));
  }

  #client(server: Server, { mcpReq }: ServerContext): { readonly name: string; readonly canAsk: boolean } {
    // The library names no fields for it, and has checked them by now.
    const envelope: Envelope = mcpReq.envelope ?? {};
    const info = envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
    const { elicitation } = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities() ?? {};
    const canAsk =
      elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
    const name = beginningOf(printableLine(`${info?.name ?? ""} ${info?.version ?? ""}`.trim()), MAX_NAME);
    return { name: name || "a program", canAsk };
  }

  #begun(
    {
      name,
      arguments: input = {},
    }: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
    client: { readonly name: string; readonly canAsk: boolean },
  ): readonly [string, Call] {
    if (this.#calls.size >= MAX_CALLS)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `${MAX_CALLS} calls are already running: wait until one ends`,
      );
    const given = input as JsonValue; // it came as JSON
    const { canAsk } = client;
    const call: Call = new OpenCall(async (open) =>
      name === TASK_TOOL_NAME
        ? taskResult(
            await runTask(given, await abortable(this.#tools.line(), open.signal), {
              canAsk,
              open,
              begun: this.#sessions,
            }),
          )
        : resultOf(await this.#tools.call({ name, input: given, client: client.name }, canAsk, open)),
    );
    const id = randomUUID();
    this.#calls.set(id, call);
    return [id, call];
  }

  /** Nobody will ask for its result. */
  #leave(id: string, call: Call): void {
    call.abort();
    void call.ended().then(() => this.#calls.delete(id));
  }

  /** The call that waits for the answer in this request. */
  #resumed({ mcpReq }: ServerContext): readonly [string, Call] | undefined {
    const state = mcpReq.requestState<string>();
    if (state === undefined) return undefined;
    const [id = "", number] = state.split(" ");
    const call = this.#calls.get(id);
    if (call === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "this answer is for a call that ended");
    clearTimeout(this.#lapses.get(id));
    this.#lapses.delete(id);
    const answer = inputResponse(mcpReq.inputResponses, QUESTION);
    call.answer(Number(number), answer.kind === "elicit" ? filledIn(answer) : undefined);
    return [id, call];
  }

  async #round(
    [id, call]: readonly [string, Call],
    { mcpReq }: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const progressToken = mcpReq._meta?.progressToken;
    let progress = 0;
    const tell = (message: string): void => {
      if (progressToken === undefined) return;
      const params = { progressToken, progress: ++progress, message };
      void mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined); // the client is gone
    };
    try {
      for (;;) {
        const round = await call.round(mcpReq.signal, tell);
        if (round.kind === "ended") {
          this.#calls.delete(id);
          return round.result;
        }
        const { number, form, over } = round;
        const { message, schema } = form;
        const requestedSchema = schema as ElicitRequestFormParams["requestedSchema"];
        const asked = { mode: "form", message, requestedSchema } as const;
        if (mcpReq.envelope !== undefined) {
          this.#lapses.set(id, setTimeout(() => this.#leave(id, call), MAX_QUESTION_MS).unref());
          return inputRequired({
            inputRequests: { [QUESTION]: inputRequired.elicit(asked) },
            requestState: `${id} ${number}`,
          });
        }
        // The library's own rounds for earlier revisions leave the call waiting where a client answers with an error.
        const signal = AbortSignal.any([mcpReq.signal, over]);
        const answer = await mcpReq
          .elicitInput(asked, { signal, timeout: MAX_QUESTION_MS })
          .catch(() => undefined);
        call.answer(number, answer && filledIn(answer));
      }
    } catch (error) {
      this.#calls.delete(id);
      throw new ProtocolError(ProtocolErrorCode.InternalError, describeError(error));
    }
  }
}

/** A form that was left has nothing. */
function filledIn({ action, content }: { readonly action: string; readonly content?: Filled }): Filled {
  return action === "accept" ? content : undefined;
}

function toolOf({ name, description, parameters }: ToolDescriptor): Tool {
  const annotations = OBSERVERS.has(name) ? { readOnlyHint: true } : undefined;
  return { name, description, inputSchema: { ...parameters, type: "object" }, annotations };
}
