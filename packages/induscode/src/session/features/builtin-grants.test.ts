// Each built-in feature declares what it uses: its tools and tasks run against a session that records what is reached through
// it, with every grant there is, and none may reach more than its feature declares.

import {
  createTodoStore,
  JOBS,
  type JobTable,
  type MemoryContext,
  makeMemoryContext,
  TODOS,
} from "indusagi/capabilities";
import { createSessionScope, type JsonValue, type SessionScope } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { PARTS } from "../../boot/parts.ts";
import { personFeature } from "../../deck/builtins/person.ts";
import { PERSON } from "../../deck/builtins/person-desk.ts";
import { capabilityInWords, covers, EVERY_HOST } from "../../feature/capabilities.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import { createTaskSupervisor } from "../../feature/dispatch/tasks.ts";
import { SESSION_HOST, type SessionHost } from "../../feature/host.ts";
import type { FeatureModule } from "../../feature/install.ts";
import type { MemoryStore } from "../../feature/memory-service.ts";
import { type FeatureRegistry, installFeatures } from "../../feature/registry.ts";
import type { Access } from "../../feature/tool.ts";
import type { WorkItems } from "../../feature/work-items-service.ts";
import {
  type BackgroundDelegate,
  DELEGATES,
  type DelegateDesk,
} from "../../parts/delegates/delegate-desk.ts";
import { memoryFeature } from "../../parts/memory/memory-tool.ts";
import { builtinFeatures } from "./builtin-features.ts";

const files = (right: "read" | "write" | "execute"): HostCapability => ({
  ...{ kind: "files", read: false, write: false, execute: false },
  [right]: true,
});
const sessions = (right: "spawn" | "message" | "restore"): HostCapability => ({
  ...{ kind: "sessions", spawn: false, message: false, restore: false },
  [right]: true,
});
const kept = (kind: "memory" | "work_items", right: "read" | "write"): HostCapability => ({
  ...{ kind, read: false, write: false },
  [right]: true,
});
const ui = (part: "status" | "render" | "ask"): HostCapability => ({
  ...{ kind: "ui", status: false, render: false, ask: false },
  [part]: true,
});

/** Everything that can be granted besides contributing. */
const EVERYTHING: readonly HostCapability[] = [
  ...(["read", "write", "execute"] as const).map(files),
  ...(["spawn", "message", "restore"] as const).map(sessions),
  ...(["read", "write"] as const).flatMap((right) => [kept("memory", right), kept("work_items", right)]),
  ...(["status", "render", "ask"] as const).map(ui),
  { kind: "network", purpose: "", hosts: [EVERY_HOST] },
  { kind: "alert" },
  { kind: "model_notification" },
];

/** Calls of each tool, by its name: together they take every way through it. */
const CALLS: Readonly<Record<string, readonly JsonValue[]>> = {
  read: [{ path: "a.txt" }],
  write: [{ path: "new.txt", content: "x" }],
  edit: [{ path: "a.txt", oldText: "one", newText: "two" }],
  ls: [{}],
  grep: [{ pattern: "one" }],
  find: [{ pattern: "*" }],
  bash: [{ command: "true" }],
  process: [
    { action: "start", command: "true" },
    { action: "list" },
    { action: "poll", id: "job-1" },
    { action: "stop", id: "job-1" },
  ],
  todo_set: [{ items: [] }],
  todo_read: [{}],
  websearch: [{ query: "x" }],
  webfetch: [{ url: "https://pages.example/" }],
  task: [
    { agent: "scout", objective: "x" },
    { action: "start", agent: "scout", objective: "x" },
    { action: "list" },
    { action: "read", id: "delegate-1" },
    { action: "send", id: "delegate-1", message: "x" },
    { action: "stop", id: "delegate-1" },
    { action: "wait", id: "delegate-1" },
  ],
  memory: [{ action: "search" }, { action: "add", text: "x" }, { action: "replace", old: "x", text: "y" }],
  WorkItemList: [{}],
  WorkItemCreate: [{ title: "x" }],
  WorkItemComment: [{ id: "1", text: "x" }],
  WorkItemMove: [{ id: "1", to: "done" }],
  WorkItemDepend: [{ id: "1", on: ["2"] }],
  enter_plan_mode: [{}],
  exit_plan_mode: [{ plan: "x" }],
  ask_user: [{ question: "x", choices: ["a", "b"] }],
};

describe("what a built-in feature uses", () => {
  it("is what it declares, and no more", async () => {
    const found = await undeclared(await builtIns());
    expect(found).toEqual([]);
  });

  it("the twin: what it does not declare is found, whatever it is", async () => {
    const without = async (kind: HostCapability["kind"]): Promise<readonly string[]> =>
      undeclared((await builtIns()).map((module) => lessening(module, kind)));
    expect(await without("ui")).toEqual(
      expect.arrayContaining([
        "builtin:memory uses ui (ask)",
        "builtin:person uses ui (ask)",
        "builtin:person uses ui (render)",
      ]),
    );
    expect(await without("memory")).toEqual([
      "builtin:memory uses memory (read)",
      "builtin:memory uses memory (write)",
    ]);
    expect(await without("work_items")).toHaveLength(2);
    expect(await without("sessions")).toHaveLength(3);
    expect(await without("network")).toEqual([
      "builtin:web uses network (html.duckduckgo.com)",
      "builtin:web uses network (pages.example)",
    ]);
    expect(await without("model_notification")).toHaveLength(2);
    expect(await without("alert")).toEqual(["builtin:work-item uses alert"]);
    expect(await without("files")).toEqual(
      expect.arrayContaining([
        "builtin:files uses files (read)",
        "builtin:files uses files (write)",
        "builtin:processes uses files (execute)",
        "builtin:search uses files (read)",
        "builtin:shell uses files (execute)",
      ]),
    );
  });

  it("is refused by the services where it is not granted: the name built-in opens nothing", async () => {
    const registry = await installFeatures([memoryFeature()], ({ requestedCapabilities }) =>
      requestedCapabilities.map(({ capability }) => capability).filter(({ kind }) => kind !== "ui"),
    );
    const { session } = recording([]);
    const context = await makeMemoryContext("/ws", { framework: { session } });
    const [memory] = registry.tools;
    const input = { action: "add", text: "x" };
    expect(await memory?.tool.invoke({ id: "1", name: "memory", input }, context)).toMatchObject({
      isError: true,
      output: "nobody is here to approve it, so nothing was remembered",
    });
  });
});

async function builtIns(): Promise<readonly FeatureModule[]> {
  const shipped = await builtinFeatures(
    {
      ...{ settings: { memory: true, workItems: true } as object, folder: "/ws", home: "/home/.indus" },
      ...{ personHome: "/home", delegates: [{ name: "scout", toolCollection: "read-only" }] },
    },
    PARTS,
    {},
  );
  return [...shipped, personFeature({ isHere: true })];
}

function lessening(module: FeatureModule, kind: HostCapability["kind"]): FeatureModule {
  const { descriptor } = module;
  const requestedCapabilities = descriptor.requestedCapabilities.filter(
    ({ capability }) => capability.kind !== kind,
  );
  return { ...module, descriptor: { ...descriptor, requestedCapabilities } };
}

/** What the features use without declaring it, sorted. */
async function undeclared(modules: readonly FeatureModule[]): Promise<readonly string[]> {
  const found = new Set<string>();
  const names: string[] = [];
  for (const module of modules) {
    const { id, requestedCapabilities } = module.descriptor;
    const declared = requestedCapabilities.map(({ capability }) => capability);
    const registry = await installFeatures([module], () => [...declared, ...EVERYTHING]);
    names.push(...registry.tools.map(({ tool }) => tool.name));
    for (const used of await usedBy(registry))
      if (!covers(declared, used)) found.add(`${id} uses ${capabilityInWords(used)}`);
  }
  expect(names.sort()).toEqual(Object.keys(CALLS).sort());
  return [...found].sort();
}

async function usedBy({ tools, tasks }: FeatureRegistry): Promise<readonly HostCapability[]> {
  const used: HostCapability[] = [];
  const { session, around } = recording(used);
  const context = around(
    await makeMemoryContext("/ws", { files: { "/ws/a.txt": "one" }, framework: { session } }),
  );
  for (const { tool, accesses } of tools)
    for (const input of CALLS[tool.name] ?? []) {
      const touched = accesses(input, "/ws", "/home/me");
      used.push(...touched.map(needOf));
      if (touched.some(({ kind }) => kind === "network")) continue; // nothing here leaves the machine
      await tool.invoke({ id: "1", name: tool.name, input }, context);
    }
  for (const scope of [session, recording(used, { isBroken: true }).session]) {
    const supervisor = createTaskSupervisor({ tasks, session: scope, onFault: () => undefined });
    supervisor.start();
    await new Promise((resolve) => setImmediate(resolve));
    await supervisor.dispose();
  }
  return used;
}

function needOf(access: Access): HostCapability {
  if (access.kind === "network") return { kind: "network", purpose: "", hosts: [access.host] };
  return access.kind === "delegate" ? sessions("spawn") : files(access.kind);
}

/** A session in which everything is there, or its work items are broken, and which records what its features reach. */
function recording(used: HostCapability[], { isBroken = false } = {}) {
  const session = createSessionScope();
  const note = (capability: HostCapability): void => void used.push(capability);
  /** Records the need of each method that is called. */
  const noting = <T extends object>(target: T, needs: Partial<Record<keyof T, HostCapability>>): T =>
    new Proxy(target, {
      get(from, name) {
        const need = needs[name as keyof T];
        if (need) note(need);
        return Reflect.get(from, name);
      },
    });
  const delegate: BackgroundDelegate = {
    ...{ id: "delegate-1", agent: "scout", sessionId: "s", objective: "x" },
    state: "done",
    ...{ turns: 1, tokens: 1, cost: 0, ageMs: 1, said: "x" },
  };
  const desk: DelegateDesk = {
    check: async () => undefined,
    run: async () => ({ ok: true, report: "x", turns: 1, cost: 0 }),
    start: async () => [delegate],
    list: () => [delegate],
    get: () => delegate,
    send() {
      note(sessions("restore")); // it had ended
      return delegate;
    },
    stop: async () => delegate,
    wait: async () => delegate,
  };
  const job = { id: "job-1", command: "true", pid: 1, ageMs: 1, exit: { code: 0, signal: null } } as const;
  const jobs = {
    start: async () => job,
    list: () => [job],
    poll: async () => undefined,
    stop: async () => job,
    onEnd(listener: (ended: typeof job) => void) {
      listener(job);
      return () => undefined;
    },
  } as unknown as JobTable;
  const memory: MemoryStore = {
    search: async () => [],
    add: async () => undefined,
    replace: async () => undefined,
  };
  let looks = 0;
  const workItems = {
    name: "me",
    list: async () => [],
    async changes() {
      looks += 1;
      if (isBroken) throw new Error("the board is gone"); // what the watcher warns the person of
      return looks === 1 ? [] : [{ step: 2, at: "", by: "another", id: "1", what: "created" }];
    },
    create: async () => "1",
    comment: async () => undefined,
    move: async () => undefined,
    depend: async () => undefined,
  } as unknown as WorkItems;
  const host: SessionHost = {
    notifyModel: () => note({ kind: "model_notification" }),
    alert: () => note({ kind: "alert" }),
    diagnostic: () => undefined,
    fs: {} as SessionHost["fs"],
    root: "/ws",
    env: {},
    ui: {
      status: () => note(ui("status")),
      render: () => note(ui("render")),
      ask: async (_feature, { kind }) => {
        note(ui("ask"));
        return kind === "confirm" ? true : kind === "select" ? 0 : "x";
      },
      clear: () => undefined,
    },
    memory: async () =>
      noting(memory, {
        search: kept("memory", "read"),
        add: kept("memory", "write"),
        replace: kept("memory", "write"),
      }),
    workItems: async () => {
      const write = kept("work_items", "write");
      const read = kept("work_items", "read");
      return noting(workItems, {
        ...{ list: read, changes: read },
        ...{ create: write, comment: write, move: write, depend: write },
      });
    },
  };
  let planning = false;
  session.put(SESSION_HOST, host);
  session.put(TODOS, createTodoStore());
  session.put(JOBS, noting(jobs, { start: files("execute"), stop: files("execute") }));
  session.put(
    DELEGATES,
    noting(desk, {
      ...{ run: sessions("spawn"), start: sessions("spawn"), stop: sessions("spawn") },
      ...{ send: sessions("message"), wait: sessions("spawn") },
    }),
  );
  session.put(PERSON, {
    isPlanning: () => planning,
    beginPlan: () => {
      planning = true;
    },
    waysOn: () => [],
    endPlan: () => {
      planning = false;
    },
  });
  const around = (context: MemoryContext) => {
    const [read, write] = [files("read"), files("write")];
    return {
      ...context,
      fs: noting(context.fs, {
        ...{ readText: read, readBytes: read, readDir: read, search: read },
        ...{ writeFile: write, mkdir: write, rm: write },
      }),
      shell: noting(context.shell, { exec: files("execute"), spawn: files("execute") }),
    };
  };
  return { session: session as SessionScope, around };
}
