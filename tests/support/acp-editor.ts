// An editor for `indus acp`, by the protocol's own client library: it records what it is told and answers as the test says.

import { once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import type { Finished, Workplace } from "./indus.ts";

export interface EditorOptions {
  readonly args?: readonly string[];
  /** Default: the scripted one. */
  readonly model?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
  /** The name of the option to choose; undefined: the person leaves the question. Default: the first. */
  readonly onPermission?: (
    asked: RequestPermissionRequest,
  ) => string | undefined | Promise<string | undefined>;
  readonly onElicitation?: (asked: CreateElicitationRequest) => CreateElicitationResponse;
  /** Before it answers about a file; what it throws is its refusal. */
  readonly onFile?: (does: "read" | "write", path: string) => void | Promise<void>;
  /** Files that are open in it and not saved, by their paths. */
  readonly buffers?: Map<string, string>;
}

export interface Editor {
  readonly agent: ClientContext;
  readonly initialized: InitializeResponse;
  readonly updates: { readonly session: string; readonly update: SessionUpdate }[];
  readonly asked: RequestPermissionRequest[];
  /** Everything that the model said, of all sessions or of one. */
  readonly said: (session?: string) => string;
  /** Updates of one kind. */
  readonly of: <Kind extends SessionUpdate["sessionUpdate"]>(
    kind: Kind,
  ) => readonly Extract<SessionUpdate, { readonly sessionUpdate: Kind }>[];
  /** Resolves once an update fulfils the condition. */
  readonly until: (condition: (update: SessionUpdate) => boolean) => Promise<void>;
  /** Closes the connection and resolves to how the process ended. */
  readonly leave: () => Promise<Finished>;
  readonly kill: (signal: NodeJS.Signals) => Promise<Finished>;
}

export async function openEditor(place: Workplace, options: EditorOptions = {}): Promise<Editor> {
  const { args = [], env, capabilities = {}, buffers = new Map<string, string>() } = options;
  const model = "model" in options ? options.model : "anthropic/scripted";
  const toAgent = new PassThrough();
  const fromAgent = new PassThrough();
  let kill = (_signal: NodeJS.Signals): void => undefined;
  const ended = place.runAlone(["acp", ...(model ? ["--model", model] : []), ...args], {
    holdsStdin: true,
    ...(env ? { env } : {}),
    onStart(child) {
      if (!child.stdin || !child.stdout) throw new Error("no pipes to indus acp");
      toAgent.pipe(child.stdin);
      child.stdin.on("error", () => undefined); // the process ended first, which its end tells
      child.stdout.on("data", (chunk: Buffer) => fromAgent.write(chunk));
      child.stdout.on("close", () => fromAgent.end());
      kill = (signal) => void child.kill(signal);
    },
  });
  const updates: { session: string; update: SessionUpdate }[] = [];
  const asked: RequestPermissionRequest[] = [];
  const heard = new PassThrough({ objectMode: true });
  heard.setMaxListeners(100);
  const app = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => {
      updates.push({ session: sessionId, update });
      heard.emit("update");
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const [first] = params.options;
      const name = options.onPermission ? await options.onPermission(params) : first?.name;
      const chosen = params.options.find((option) => option.name === name);
      return chosen
        ? { outcome: { outcome: "selected", optionId: chosen.optionId } }
        : { outcome: { outcome: "cancelled" } };
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      if (!options.onElicitation) throw new Error("not expected");
      return options.onElicitation(params);
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params: { path } }) => {
      await options.onFile?.("read", path);
      const content = buffers.get(path);
      if (content === undefined) throw new Error(`not open: ${path}`);
      return { content };
    })
    .onRequest(methods.client.fs.writeTextFile, async ({ params: { path, content } }) => {
      await options.onFile?.("write", path);
      buffers.set(path, content);
      return {};
    });
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(toAgent), Readable.toWeb(fromAgent) as ReadableStream<Uint8Array>),
  );
  const initialized = await connection.agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: capabilities,
  });
  return {
    agent: connection.agent,
    initialized,
    updates,
    asked,
    said: (session) =>
      updates
        .filter((each) => session === undefined || each.session === session)
        .flatMap(({ update }) =>
          update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
            ? [update.content.text]
            : [],
        )
        .join(""),
    of: <Kind extends SessionUpdate["sessionUpdate"]>(kind: Kind) =>
      updates.flatMap(({ update }) =>
        update.sessionUpdate === kind
          ? [update as Extract<SessionUpdate, { readonly sessionUpdate: Kind }>]
          : [],
      ),
    async until(condition) {
      while (!updates.some(({ update }) => condition(update))) await once(heard, "update");
    },
    async leave() {
      toAgent.end();
      return ended;
    },
    async kill(signal) {
      kill(signal);
      return ended;
    },
  };
}
