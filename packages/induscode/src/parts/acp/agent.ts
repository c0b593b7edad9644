// What an editor can ask for, and what it is told that it can.

import {
  type AgentApp,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  methods,
  RequestError,
} from "@agentclientprotocol/sdk/unstable";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { Problem } from "../../cli/problem.ts";
import type { EditorSessions } from "./editor-sessions.ts";
import { AUTH_METHODS, helloAnswer } from "./hello.ts";

/** `onHello` is called when an editor begins. */
export function createAgent(
  sessions: EditorSessions,
  line: Invocation<Flags>,
  onHello: () => void,
): AgentApp {
  let client: ClientCapabilities = {};
  const { session } = methods.agent;
  return agent({ name: "indus" })
    .onRequest(methods.agent.initialize, ({ params }): InitializeResponse => {
      client = params.clientCapabilities ?? {};
      onHello();
      return helloAnswer(client);
    })
    .onRequest(methods.agent.authenticate, async ({ params: { methodId } }) => {
      if (!AUTH_METHODS.includes(methodId))
        throw RequestError.invalidParams(
          { methodId },
          `unknown method "${methodId}"; expected ${AUTH_METHODS.join(" or ")}`,
        );
      // Both leave something behind that the next session finds, or does not, and then says what it looked for.
      return {};
    })
    .onRequest(session.new, ({ params, client: editor }) =>
      inWords(() => sessions.open({ ...params, editor, client })),
    )
    .onRequest(session.load, ({ params, client: editor }) =>
      inWords(() => sessions.open({ ...params, editor, client, resume: params.sessionId, retells: true })),
    )
    .onRequest(session.resume, ({ params, client: editor }) =>
      inWords(() => sessions.open({ ...params, editor, client, resume: params.sessionId })),
    )
    .onRequest(session.fork, ({ params, client: editor }) =>
      inWords(() => sessions.open({ ...params, editor, client, resume: params.sessionId, forks: true })),
    )
    .onRequest(session.list, ({ params }) =>
      inWords(async () => (await import("./editor-listing.ts")).listSessionsFor(params, line)),
    )
    .onRequest(session.delete, ({ params: { sessionId } }) =>
      inWords(async () => {
        await sessions.close(sessionId);
        (await import("./editor-listing.ts")).deleteSession(sessionId, line);
        return {};
      }),
    )
    .onRequest(session.close, async ({ params: { sessionId } }) => {
      await sessions.close(sessionId);
      return {};
    })
    .onRequest(session.prompt, ({ params: { sessionId, prompt } }) => sessions.get(sessionId).prompt(prompt))
    .onNotification(session.cancel, ({ params: { sessionId } }) => sessions.find(sessionId)?.cancel())
    .onRequest(session.setMode, ({ params: { sessionId, modeId } }) => {
      sessions.get(sessionId).setMode(modeId);
      return {};
    })
    .onRequest(session.setConfigOption, async ({ params: { sessionId, configId, ...given } }) => {
      const configOptions = await sessions.get(sessionId).setOption(configId, given.value);
      return { configOptions };
    });
}

/** What the person must act on first is an answer in words; without a model it is that they must log in. */
async function inWords<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (/^no model is configured/.test(error.message))
      throw RequestError.authRequired(undefined, error.message);
    throw new RequestError(INVALID_PARAMS, error.message);
  }
}

const INVALID_PARAMS = -32602;
