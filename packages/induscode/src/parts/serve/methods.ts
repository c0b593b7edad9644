// What each method does.

import { isTime, type JsonValue } from "indusagi/core";
import { RpcError } from "../../addons/process/protocol/contract.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { VERSION } from "../../cli/version.ts";
import { promptProblem } from "../../conductor/turns/prompt-problem.ts";
import { chooseMode, chooseModel, chooseThinking } from "../../session/choices.ts";
import { indusHome } from "../../store/home.ts";
import {
  type ClientToServer,
  ERROR_CODES,
  METHODS,
  PROTOCOL_VERSION,
  type SessionState,
  shapeProblem,
} from "./protocol/serve-messages.ts";
import { commandsOf, modelsOf, permissionsOf } from "./served-facts.ts";
import type { ServedSession } from "./served-session.ts";
import type { ServedSessions } from "./served-sessions.ts";
import type { Client } from "./watchers.ts";

type Params<Name extends keyof ClientToServer> = ClientToServer[Name]["params"];
type Result<Name extends keyof ClientToServer> = ClientToServer[Name]["result"];
type Methods = {
  readonly [Name in keyof ClientToServer]: (
    params: Params<Name>,
    client: Client,
  ) => Result<Name> | Promise<Result<Name>>;
};

export interface Server {
  readonly sessions: ServedSessions;
  readonly line: Pick<Invocation, "env" | "startedIn">;
  readonly clients: () => number;
  readonly stop: (why: string) => void;
}

/** Answers one request of a client. Throws an {@link RpcError} that says what does not fit. */
export type AnswerRequest = (method: string, params: JsonValue, client: Client) => Promise<object>;

export function createAnswers(server: Server): AnswerRequest {
  const methods = createMethods(server);
  return async (method, params, client) => {
    if (!isMethod(method)) {
      const known = Object.keys(METHODS.clientToServer).join(", ");
      throw new RpcError(
        ERROR_CODES.method,
        `unknown method ${JSON.stringify(method.slice(0, 80))}; expected ${known}`,
      );
    }
    const problem = shapeProblem(METHODS.clientToServer[method]?.params ?? "", params, "params");
    if (problem !== undefined) throw new RpcError(ERROR_CODES.params, `${method}: ${problem}`);
    const run: (given: never, by: Client) => object | Promise<object> = methods[method];
    return run(params as never, client); // they have the method's shape
  };
}

function isMethod(name: string): name is keyof ClientToServer {
  return Object.hasOwn(METHODS.clientToServer, name);
}

function createMethods({ sessions, line, clients, stop }: Server): Methods {
  const at = (params: { readonly session: string }) => sessions.get(params.session);
  return {
    status: () => ({
      ...{ protocol: PROTOCOL_VERSION, version: VERSION, pid: process.pid, home: indusHome(line.env) },
      ...{ clients: clients(), sessions: sessions.all().map((session) => session.state()) },
    }),
    shutdown: () => {
      stop("a client asked for it");
      return {};
    },
    async "sessions/list"(wanted) {
      const { keptSessions } = await import("../../session/logs/kept-sessions.ts");
      const { sessions: kept, ...more } = keptSessions(wanted, line);
      const listed = kept.map(({ id, folder, title, lastAt }) => ({
        ...{
          id,
          cwd: folder,
          title,
          lastAt: isTime(lastAt) ? Math.trunc(lastAt) : 0,
          isOpen: sessions.find(id) !== undefined,
        },
      }));
      return { sessions: listed, ...more };
    },
    "sessions/open": async (wanted) => (await sessions.open(wanted)).state(),
    "sessions/resume": async ({ session, cwd }) => (await sessions.resume(session, cwd)).state(),
    "sessions/fork": async (params) => (await sessions.fork(at(params))).state(),
    "sessions/close": async (params) => ({
      problems: await sessions.close(at(params), "a client closed it"),
    }),
    "session/state": (params) => at(params).state(),
    submit: ({ content, ...params }) => at(params).submit(content, params),
    steer({ content, ...params }) {
      const problem = promptProblem(content);
      if (problem !== undefined) throw new RpcError(ERROR_CODES.params, `steer: ${problem}`);
      at(params).opened.session.conductor.steer(content);
      return {};
    },
    interrupt(params) {
      at(params).opened.session.conductor.abort();
      return {};
    },
    answer({ id, answer, ...params }) {
      at(params).answer(id, answer);
      return {};
    },
    subscribe: ({ from, ...params }, client) => at(params).subscribe(client, from),
    unsubscribe(params, client) {
      at(params).unsubscribe(client);
      return {};
    },
    rewind: ({ back, ...params }) => at(params).rewind(back),
    async jump({ to, summarise = false, ...params }) {
      const { conductor } = at(params).opened.session;
      return changed(at(params), (await conductor.jump(to, { summarise }))?.message);
    },
    models: (params) => modelsOf(at(params).opened),
    async setModel({ model, ...params }) {
      return changed(at(params), await chooseModel(at(params).opened.session.conductor, model));
    },
    setThinking: ({ thinking, ...params }) =>
      changed(at(params), chooseThinking(at(params).opened.session.conductor, thinking)),
    setMode: ({ mode, ...params }) => changed(at(params), chooseMode(at(params).opened.session, mode)),
    nextMode: (params) => at(params).nextMode(),
    permissions: (params) => permissionsOf(at(params).opened),
    commands: (params) => commandsOf(at(params).opened),
    run: ({ line: typed, lists = false, ...params }, client) =>
      at(params).run(typed, lists ? client : undefined),
    exec: ({ command, ...params }) => at(params).exec(command),
  };
}

/** The session as it is after a change; throws why it was not made. */
function changed(session: ServedSession, why: string | undefined): SessionState {
  if (why !== undefined) throw new RpcError(ERROR_CODES.refused, why);
  session.tellState();
  return session.state();
}
