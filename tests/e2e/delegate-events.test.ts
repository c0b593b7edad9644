// What features meet of delegates, in a live session over a real provider's wire: every event with the delegate's name, gates
// that hold, an end that comes before the session's own.

import { existsSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PARTS } from "../../packages/induscode/src/boot/parts.ts";
import type { SubmitEnd } from "../../packages/induscode/src/conductor/contract.ts";
import { readEntries } from "../../packages/induscode/src/conductor/log-reader.ts";
import type { HookEvent } from "../../packages/induscode/src/feature/events.ts";
import { HOOK_EVENTS } from "../../packages/induscode/src/feature/events.ts";
import { type IndusSession, openIndus } from "../../packages/induscode/src/session/open-indus.ts";
import { modelEnvironment } from "../support/indus.ts";
import {
  type ModelServer,
  type Script,
  type ScriptedTurn,
  startModelServer,
} from "../support/model-server.ts";
import { type Handlers, probe } from "../support/probe.ts";

interface Live {
  readonly session: IndusSession;
  readonly server: ModelServer;
  readonly say: (text: string) => Promise<SubmitEnd>;
  /** Of the only delegate. */
  readonly delegateLog: () => string;
}

async function live(script: Script, handlers: Parameters<typeof probe>[1]): Promise<Live> {
  const server = await startModelServer(script);
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-delegates-")));
  writeFileSync(join(base, "settings.json"), JSON.stringify({ localServers: [] }));
  const session = await openIndus({
    flags: { model: "anthropic/scripted", "permission-mode": "bypass" },
    cwd: base,
    home: base,
    env: { ...process.env, ...modelEnvironment(server.url) },
    parts: PARTS,
    features: [probe(HOOK_EVENTS, handlers)],
  });
  onTestFinished(() => server.close());
  let delegate = "";
  session.conductor.subscribe((event) => {
    if (event.kind === "delegate") delegate = event.sessionId;
  });
  return {
    session,
    server,
    say: (text) => session.conductor.submit({ content: [{ kind: "text", text }] }),
    delegateLog: () => join(dirname(session.conductor.status().logPath), "delegates", `${delegate}.jsonl`),
  };
}

/** The main session hands work to `agent`; the delegate makes one call and ends. */
function handOn(
  agent: string,
  call: { readonly name: string; readonly input: unknown },
): Exclude<Script, readonly ScriptedTurn[]> {
  let delegateTurns = 0;
  let turns = 0;
  return (request) => {
    if (JSON.stringify(request.body.system).includes("You are the delegate"))
      return delegateTurns++ === 0 ? { calls: [call] } : { text: "did it" };
    return turns++ === 0 ? { calls: [{ name: "task", input: { agent, objective: "x" } }] } : { text: "done" };
  };
}

it("every event fires for a delegate alike, compaction included, and names it", async () => {
  const seen: [HookEvent, string | undefined][] = [];
  const observers = Object.fromEntries(
    HOOK_EVENTS.map((event) => [
      event,
      {
        kind: "observe",
        run: (payload: { readonly delegate?: string }) => void seen.push([event, payload.delegate]),
      },
    ]),
  ) as Handlers;
  const play = handOn("coder", { name: "bash", input: { command: "true" } });
  const { say, session } = await live((request, index) => {
    const turn = play(request, index);
    // The delegate's first reply leaves no room for the next one.
    return turn?.calls?.[0]?.name === "bash" ? { ...turn, usage: { input: 10_000_000 } } : turn;
  }, observers);
  await say("go");
  await session.close();
  const of = (who: string | undefined): readonly HookEvent[] =>
    seen.filter(([, delegate]) => delegate === who).map(([event]) => event);
  const call = ["chat:params", "context:build", "chat:message"] as const;
  expect(of("coder")).toEqual([
    ...["session:start", "input:submit", "turn:start", ...call],
    ...["tool:before", "shell:env", "tool:after", "chat:params", "compact:before", "compact:build", ...call],
    ...["turn:end", "session:end"],
  ]);
  expect(new Set(of("coder")).size).toBe(HOOK_EVENTS.length);
  expect(of(undefined)).toEqual([
    ...["session:start", "input:submit", "turn:start", ...call],
    ...["tool:before", "tool:after", ...call, "turn:end", "session:end"],
  ]);
});

it.each([
  ["that may write", "coder"],
  ["that has no tool for commands itself", "researcher"],
])("a gate that runs a command holds for a delegate %s", async (_what, agent) => {
  const { say, session, delegateLog } = await live(
    handOn(agent, { name: "read", input: { path: "settings.json" } }),
    (services) => ({
      "tool:before": {
        kind: "gate",
        run: async ({ name, delegate }, context) => {
          if (delegate === undefined || name !== "read") return undefined;
          const exec = services(context).exec();
          if (!exec.ok) throw new Error(exec.reason);
          const { stdout } = await exec.service("echo never", []);
          return { stop: true, reason: stdout.trim() };
        },
      },
    }),
  );
  await say("go");
  await session.close();
  const [call] = readEntries(delegateLog()).entries.filter(({ type }) => type === "tool");
  expect(call).toMatchObject({ name: "read", state: "refused", text: expect.stringContaining("never") });
});

it("an aborted delegate ends before its session does, and leaves no lock", async () => {
  const ends: (string | undefined)[] = [];
  const release = Promise.withResolvers<void>();
  let begun = (): void => undefined;
  const working = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const script = handOn("coder", { name: "bash", input: { command: "sleep 60" } });
  const { say, session, delegateLog } = await live(script, () => ({
    "shell:env": { kind: "observe", run: () => begun() },
    // A gate, because nobody waits for an observer.
    "turn:end": {
      kind: "gate",
      run: async ({ delegate }) => {
        if (delegate !== undefined) await release.promise;
        return undefined;
      },
    },
    "session:end": { kind: "observe", run: ({ delegate }) => void ends.push(delegate) },
  }));
  const end = say("go");
  await working;
  session.conductor.abort();
  expect((await end).kind).toBe("aborted"); // its own end takes longer, and nobody waits for that here
  expect(ends).toEqual([]);
  release.resolve();
  await session.close();
  expect(ends).toEqual(["coder", undefined]);
  expect([existsSync(delegateLog()), existsSync(`${delegateLog()}.lock`)]).toEqual([true, false]);
});

it("a delegate thinks as hard as the session does now", async () => {
  const { say, session, server } = await live(handOn("coder", { name: "ls", input: {} }), () => ({}));
  session.conductor.setThinking("high");
  await say("go");
  await session.close();
  const [main, delegate] = server.requests.map(({ body }) => body.thinking);
  expect(main).toBeDefined();
  expect(delegate).toEqual(main);
});

it("a transform that returns a payload of its own counts in a delegate as well; giving it another name is refused", async () => {
  const named: (string | undefined)[] = [];
  const faults: string[] = [];
  const { say, session, delegateLog } = await live(handOn("coder", { name: "ls", input: {} }), () => ({
    "input:submit": {
      kind: "transform",
      run: ({ text, delegate }) => ({ text: `${text}!`, ...(delegate ? { delegate } : {}) }),
    },
    "tool:before": {
      kind: "transform",
      run: ({ name, callId, args, delegate }) => ({
        name,
        callId,
        args,
        ...(delegate ? { delegate: "boss" } : {}),
      }),
    },
    "tool:after": { kind: "observe", run: ({ delegate }) => void named.push(delegate) },
  }));
  session.conductor.subscribe((event) => {
    if (event.kind === "fault") faults.push(event.fault.message);
  });
  await say("go");
  await session.close();
  const [user] = readEntries(delegateLog()).entries.filter(({ type }) => type === "user");
  expect(user).toMatchObject({
    content: [{ kind: "text", text: "x!" }],
    changes: [{ feature: "project:probe" }],
  });
  expect(named).toEqual(["coder", undefined]);
  expect(faults).toEqual([
    'project:probe failed at tool:before: it changed "delegate", which only the host sets; at tool:before it may change args',
  ]);
});

it("a rewrite cannot put a delegate that may write beside another", async () => {
  let turns = 0;
  const script: Script = (request) => {
    if (JSON.stringify(request.body.system).includes("You are the delegate")) return { text: "did it" };
    const call = { name: "task", input: { agent: "researcher", objective: "x" } };
    return turns++ === 0 ? { calls: [call] } : { text: "done" };
  };
  const { say, session } = await live(script, () => ({
    "tool:before": {
      kind: "transform",
      run: (payload) => ({ ...payload, args: { agent: "coder", objective: "x" } }),
    },
  }));
  await say("go");
  const { logPath } = session.conductor.status();
  await session.close();
  const [task] = readEntries(logPath).entries.filter(({ type }) => type === "tool");
  expect(task).toMatchObject({
    state: "refused",
    text: expect.stringContaining("a feature changed it into a call that must run alone"),
  });
});

it("a feature that may start no session sends work to nobody else, also in bypass", async () => {
  const { say, session } = await live(handOn("coder", { name: "ls", input: {} }), () => ({
    "tool:before": {
      kind: "transform",
      run: (payload) => ({ ...payload, args: { agent: "reviewer", objective: "x" } }),
    },
  }));
  await say("go");
  const { logPath } = session.conductor.status();
  await session.close();
  const [task] = readEntries(logPath).entries.filter(({ type }) => type === "tool");
  expect(task).toMatchObject({
    state: "refused",
    text: expect.stringContaining(
      "project:probe changed it to hand work to reviewer, and may not do that itself: it lacks the grant sessions",
    ),
  });
});
