// Every combination of feature × grants × deed × mode × way, compared with an independent implementation of the paragraph "Deeds" of
// ARCHITECTURE.md that shares nothing with the first one (`feature/deeds.ts`).

import { defineTool, makeMemoryContext, memoryFs, textResult } from "indusagi/capabilities";
import type { JsonObject, JsonValue } from "indusagi/core";
import { describe, expect, it } from "vitest";
import { LONG_ONLY, rows, theFirst } from "../../../../tests/support/long-form.ts";
import { PATIENCE_MS } from "../../../../tests/support/until.ts";
import { createAuthority } from "../feature/authority.ts";
import type { HostCapability } from "../feature/descriptor.ts";
import { createHooks } from "../feature/dispatch/hooks.ts";
import { createServices, createSinks, type SessionHost } from "../feature/host.ts";
import type { FeatureModule } from "../feature/install.ts";
import { installFeatures } from "../feature/registry.ts";
import type { SessionRight } from "../feature/sessions-service.ts";
import type { Access } from "../feature/tool.ts";
import type { UiPart } from "../feature/ui.ts";
import { createDeck } from "./deck.ts";
import { START_MODES, type StartMode } from "./permissions/modes.ts";
import { createPermissions } from "./permissions/permissions.ts";

const ROOT = "/ws";
const files = (...rights: readonly string[]): HostCapability => ({
  kind: "files",
  read: rights.includes("read"),
  write: rights.includes("write"),
  execute: rights.includes("execute"),
});

const GRANTS: Readonly<Record<string, readonly HostCapability[]>> = {
  nothing: [],
  read: [files("read")],
  write: [files("write")],
  "read and write": [files("read"), files("write")],
  execute: [files("execute")],
  "a host": [{ kind: "network", purpose: "p", hosts: ["example.com"] }],
  "hosts below": [{ kind: "network", purpose: "p", hosts: ["*.example.com"] }],
  secret: [{ kind: "secret", id: "TOKEN" }],
  "reading work items": [{ kind: "work_items", read: true, write: false }],
  "writing work items": [{ kind: "work_items", read: false, write: true }],
  "reading memory": [{ kind: "memory", read: true, write: false }],
  "writing memory": [{ kind: "memory", read: false, write: true }],
  "beginning sessions": [{ kind: "sessions", spawn: true, message: false, restore: false }],
  "speaking to sessions": [{ kind: "sessions", spawn: false, message: true, restore: true }],
  words: [{ kind: "alert" }, { kind: "model_notification" }],
  "the status line": [{ kind: "ui", status: true, render: false, ask: false }],
  "showing and asking": [{ kind: "ui", status: false, render: true, ask: true }],
  everything: [
    files("read", "write", "execute"),
    { kind: "network", purpose: "p", hosts: ["example.com", "api.example.com"] },
    { kind: "secret", id: "TOKEN" },
    { kind: "alert" },
    { kind: "model_notification" },
    { kind: "ui", status: true, render: true, ask: true },
  ],
};

/** What is done: an access of a tool, or a request to the host. */
type Done =
  | Access
  | { readonly kind: "variable"; readonly name: string; readonly value: string }
  | { readonly kind: "secret"; readonly id: string }
  | { readonly kind: "ui"; readonly part: UiPart }
  | { readonly kind: "work_items" | "memory"; readonly right: "read" | "write" }
  | { readonly kind: "sessions"; readonly right: SessionRight }
  | { readonly kind: "alert" | "notify" | "opaque" };

const file = (kind: "read" | "write", path: string): Access => ({ kind, path });
const variable = (name: string, value: string): Done => ({ kind: "variable", name, value });
const DEEDS: readonly Done[] = [
  file("read", "/ws/a.txt"),
  file("read", "/ws/.git/config"),
  file("read", "/ws-evil/a.txt"),
  file("read", "/home/me/.ssh/id_rsa"),
  file("write", "/ws/a.txt"),
  file("write", "/ws/deep/.git/hooks/pre-commit"),
  file("write", "/ws/AGENTS.md"),
  file("write", "/ws/.indus/addons/x.ts"),
  file("write", "/ws/notes/rules.md"), // a document of this session
  file("write", "/home/me/.bashrc"),
  { kind: "execute", command: "id", cwd: ROOT },
  { kind: "network", host: "example.com" },
  { kind: "network", host: "api.example.com" },
  { kind: "network", host: "evil.example" },
  { kind: "delegate", agent: "coder" },
  variable("TERM", "dumb"),
  variable("LC_ALL", "C.UTF-8"),
  variable("TZ", "Europe/Berlin"),
  variable("ADDON_X_MODE", "$(anything at all)"),
  variable("ADDON_Y_MODE", "another's"),
  variable("LANG", "../../evil"),
  variable("TZ", "/etc/shadow"),
  ...[
    "PATH",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "GIT_SSH_COMMAND",
    "BASH_ENV",
    "ENV",
    "PYTHONSTARTUP",
    "PERL5OPT",
  ].map((name) => variable(name, "x")),
  ...[
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "npm_config_script_shell",
    "EDITOR",
    "PAGER",
    "SHELLOPTS",
    "PS4",
    "IFS",
  ].map((name) => variable(name, "x")),
  ...["PROMPT_COMMAND", "LESSOPEN", "HOME", "LC_ALL_x", "lang", "X_MODE", "toString"].map((name) =>
    variable(name, "x"),
  ),
  { kind: "secret", id: "TOKEN" },
  { kind: "secret", id: "OTHER" },
  { kind: "work_items", right: "read" },
  { kind: "work_items", right: "write" },
  { kind: "ui", part: "status" },
  { kind: "ui", part: "render" },
  { kind: "ui", part: "ask" },
  { kind: "memory", right: "read" },
  { kind: "memory", right: "write" },
  { kind: "sessions", right: "spawn" },
  { kind: "sessions", right: "message" },
  { kind: "sessions", right: "restore" },
  { kind: "alert" },
  { kind: "notify" },
  { kind: "opaque" },
];

// ---- the second reading -------------------------------------------------------------------------------------------

interface Cell {
  readonly builtin: boolean;
  readonly grants: readonly HostCapability[];
  readonly done: Done;
  readonly mode: StartMode;
}

const changesNothing = (mode: StartMode): boolean => mode === "read-only" || mode === "plan";

/** "Built in or not, a feature may do what its own grants cover … The mode `read-only` takes away writing, executing and hosts." */
function mayDo({ grants, done, mode }: Cell): boolean {
  if (done.kind === "work_items" || done.kind === "memory") {
    const held = grants.some((grant) => grant.kind === done.kind && grant[done.right]);
    return held && (done.right === "read" || !changesNothing(mode));
  }
  const asText = JSON.stringify(grants);
  const ofFiles = JSON.stringify(grants.filter(({ kind }) => kind === "files"));
  const right = (name: string): boolean => ofFiles.includes(`"${name}":true`);
  const changes = !changesNothing(mode);
  if (done.kind === "read") return right("read") && done.path.startsWith("/ws/");
  if (done.kind === "write") {
    const acts = /\/(\.git|\.indus|AGENTS\.md)(\/|$)/.test(done.path) || done.path === "/ws/notes/rules.md";
    return right("write") && changes && done.path.startsWith("/ws/") && !acts;
  }
  if (done.kind === "execute") return right("execute") && changes;
  if (done.kind === "network") {
    const named = asText.includes(`"${done.host}"`);
    return changes && (named || (done.host === "api.example.com" && asText.includes('"*.example.com"')));
  }
  if (done.kind === "sessions") return asText.includes(`"${done.right}":true`);
  if (done.kind === "delegate") return asText.includes('"spawn":true');
  if (done.kind === "secret") return asText.includes(`"id":"${done.id}"`);
  if (done.kind === "ui") return asText.includes(`"${done.part}":true`);
  if (done.kind === "alert") return asText.includes('"alert"');
  if (done.kind === "notify") return asText.includes('"model_notification"');
  if (done.kind === "variable")
    return right("execute") || /^(TERM=dumb|LC_ALL=C|TZ=Europe|ADDON_X_)/.test(`${done.name}=${done.value}`);
  return right("read") && asText.includes('"TOKEN"');
}

/** "What is covered and done through a call is then judged as if the model had made the call"; nobody is there to ask. */
function passesAsTheModels({ done, mode }: Cell): boolean {
  if (mode === "bypass" || done.kind === "delegate" || done.kind === "opaque") return true;
  if (done.kind === "read") return done.path.startsWith("/ws/");
  if (changesNothing(mode) || mode === "ask") return false;
  const isPlain = done.kind === "write" && done.path.startsWith("/ws/");
  return isPlain && !/\.git|\.indus|AGENTS|rules/.test(done.path);
}

const cells = (deeds: readonly Done[]): readonly (Cell & { readonly name: string })[] =>
  Object.entries(GRANTS).flatMap(([held, grants]) =>
    deeds.flatMap((done) =>
      START_MODES.flatMap((mode) =>
        [true, false].map((builtin) => ({
          builtin,
          grants,
          done,
          mode,
          name: `${builtin ? "built in" : "an addon"} with ${held}, ${mode}: ${JSON.stringify(done)}`,
        })),
      ),
    ),
  );

const isDocument = (path: string): boolean => path === "/ws/notes/rules.md";
const keepsOff = (path: string): boolean =>
  /\/(\.git|\.indus|AGENTS\.md)(\/|$)/.test(path) || isDocument(path);
const never = new AbortController().signal;

/** The cells that contradict the paragraph. */
async function wrong(
  list: readonly (Cell & { readonly name: string })[],
  expected: (cell: Cell) => boolean,
  actual: (cell: Cell) => Promise<boolean>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const cell of list) {
    const did = await actual(cell);
    if (did !== expected(cell)) found.push(`${cell.name}: ${did ? "passes" : "is refused"}`);
  }
  return found;
}

// ---- the ways -----------------------------------------------------------------------------------------------------

function feature(
  id: FeatureModule["descriptor"]["id"],
  capabilities: readonly HostCapability[],
  install: FeatureModule["install"],
): FeatureModule {
  const hooks = ["tool:before", "shell:env", "intercept:*"];
  return {
    descriptor: {
      id,
      displayName: id,
      runtime: "builtin",
      requestedCapabilities: [
        ...capabilities,
        ...hooks.map((point) => ({ kind: "contribute_hook" as const, point })),
        ...["touch", "deploy"].map((name) => ({ kind: "contribute_tool" as const, name })),
      ].map((capability) => ({ capability, required: false, reason: "test" })),
      declaredTools: ["touch", "deploy"],
      declaredCommands: [],
      declaredHooks: hooks,
      declaredTasks: [],
    },
    install,
  };
}

const tool = (name: string, accesses: (input: JsonValue) => readonly Access[]) => ({
  tool: defineTool({ name, description: "", parameters: {}, run: async () => textResult("content") }),
  accesses,
});

type Way = "interceptor" | "transform" | "deck without authority";

/** Whether a call that a feature changed to this deed runs. */
async function throughCall({ builtin, grants, done, mode }: Cell, way: Way): Promise<boolean> {
  const id = builtin ? "builtin:x" : "project:x";
  const name = done.kind === "opaque" ? "deploy" : "touch";
  const args: JsonObject = { done: done as unknown as JsonValue };
  const features = await installFeatures(
    [
      feature("builtin:tools", [], ({ tools }) => {
        tools.register(
          tool("touch", (input) => [(input as { done?: Access }).done ?? file("read", "/ws/b")]),
        );
      }),
      feature("project:deploy", [files("read"), { kind: "secret", id: "TOKEN" }], ({ tools }) => {
        tools.register(tool("deploy", () => []));
      }),
      feature(id, grants, ({ hooks }) => {
        if (way === "transform") hooks.on("tool:before", { kind: "transform", run: () => ({ args }) });
        else hooks.interceptTool("*", { enter: () => ({ args }) });
      }),
    ],
    ({ requestedCapabilities }) => requestedCapabilities.map(({ capability }) => capability),
  );
  const realPath = async (path: string): Promise<string> => path;
  const context = await makeMemoryContext(ROOT, { signal: never });
  const deck = createDeck({
    tools: features.tools,
    permissions: createPermissions({
      policy: { mode: mode === "plan" ? "bypass" : mode, allow: [], ask: [], deny: [] },
      isPlanning: () => mode === "plan",
      root: ROOT,
      realPath,
      isDocument,
    }),
    hooks: createHooks(features, {
      deadlineMs: PATIENCE_MS,
      onGateFailure: "allow",
      onFault: () => undefined,
    }),
    authority:
      way === "deck without authority"
        ? { deedsOf: async () => [], refusal: () => undefined, scopeOf: () => ANYWHERE }
        : createAuthority({
            reports: () => features.reports,
            root: ROOT,
            realPath,
            keepsOff,
            isReadOnly: mode === "read-only",
            isPlanning: mode === "plan",
          }),
    context: () => context,
  });
  return (await deck.run({ id: "c", name, input: {} }, never)).state === "ok";
}

const ANYWHERE = { mayRead: () => true, mayWrite: () => true };

/** Whether the same deed passes as a request to the host, or as a variable for a command. */
async function byItself({ builtin, grants, done, mode }: Cell): Promise<boolean> {
  const holder = { feature: builtin ? "builtin:x" : "project:x", grants };
  const heard: string[] = [];
  const fs = memoryFs(
    Object.fromEntries(DEEDS.flatMap((each) => ("path" in each ? [[each.path, "x"]] : []))),
  );
  const host: SessionHost = {
    notifyModel: (_feature, text) => void heard.push(text),
    alert: (_feature, text) => void heard.push(text),
    diagnostic: () => undefined,
    fs,
    root: ROOT,
    isReadOnly: mode === "read-only",
    isPlanning: mode === "plan",
    env: { TOKEN: "t", OTHER: "o" },
    exec: async () => ({ stdout: "", stderr: "", code: 0 }),
    fetch: async () => ({ kind: "failed", message: "" }),
    workItems: () => new Promise(() => undefined),
    ui: {
      status: () => undefined,
      render: () => undefined,
      ask: async () => undefined,
      clear: () => undefined,
    },
    memory: () => new Promise(() => undefined),
    sessions: () => new Promise(() => undefined),
  };
  const services = createServices(host, holder);
  const sinks = createSinks(host, holder);
  switch (done.kind) {
    case "read":
    case "write": {
      const answer = services.files({ keepsOff });
      if (!answer.ok) return false;
      const work =
        done.kind === "read" ? answer.service.readText(done.path) : answer.service.writeFile(done.path, "y");
      return work.then(
        () => true,
        () => false,
      );
    }
    case "execute":
      return services.exec().ok;
    case "network":
      return services.network(done.host).ok;
    case "secret":
      return services.secret(done.id).ok;
    case "work_items":
      return services.workItems(done.right).ok;
    case "ui":
      return services.ui(done.part).ok;
    case "memory":
      return services.memory(done.right).ok;
    case "sessions":
      return services.sessions(done.right).ok;
    case "alert":
      sinks.alert("a");
      return heard.length > 0;
    case "notify":
      sinks.notifyModel("a");
      return heard.length > 0;
    case "variable": {
      const handler = { kind: "transform", run: () => ({ env: { [done.name]: done.value } }) } as const;
      const subscriptions = [
        { feature: holder.feature as "project:x", grants, event: "shell:env", handler },
      ] as const;
      const { dispatcher } = createHooks(
        { subscriptions: subscriptions as never, interceptors: [] },
        { deadlineMs: PATIENCE_MS, onGateFailure: "allow", onFault: () => undefined },
      );
      const { payload } = await dispatcher.dispatch(
        "shell:env",
        { command: "ls", env: {} },
        { signal: never },
      );
      return Object.hasOwn(payload.env, done.name);
    }
    default:
      throw new Error(`${done.kind} is nothing that a feature asks for`);
  }
}

// ---- the table ----------------------------------------------------------------------------------------------------

const REQUESTS = new Set([
  "read",
  "write",
  "execute",
  "network",
  "secret",
  "alert",
  "notify",
  "variable",
  "work_items",
  "ui",
  "memory",
  "sessions",
]);
const CALLS = new Set(["read", "write", "execute", "network", "delegate", "opaque"]);
const requests = cells(DEEDS.filter(({ kind }) => REQUESTS.has(kind)));
const calls = cells(DEEDS.filter(({ kind }) => CALLS.has(kind)));
/** Each grant meets each deed in one mode or two. */
const some = (list: typeof calls): typeof calls => rows(list, (_, at) => at % 7 === 0);

describe("a deed", () => {
  it("asked of the host passes where the paragraph says so, and nowhere else", async () => {
    expect(requests.length).toBeGreaterThan(1_000);
    expect(await wrong(some(requests), mayDo, byItself)).toEqual([]);
  });

  it.each(rows(["interceptor", "transform"] as const, theFirst))(
    "done through a call (%s) passes where it does both ways",
    async (way) => {
      const both = (cell: Cell): boolean => mayDo(cell) && passesAsTheModels(cell);
      expect(await wrong(some(calls), both, (cell) => throughCall(cell, way))).toEqual([]);
    },
  );

  it(
    "through a call is never more than by itself (twin: without the authority it is)",
    LONG_ONLY,
    async () => {
      const more: string[] = [];
      for (const cell of calls.filter(({ builtin, done }) => !builtin && REQUESTS.has(done.kind)))
        if ((await throughCall(cell, "interceptor")) && !(await byItself(cell))) more.push(cell.name);
      expect(more).toEqual([]);
      const open = await wrong(calls, mayDo, (cell) => throughCall(cell, "deck without authority"));
      const inBypass = open.filter((name) => name.includes("bypass") && name.endsWith("passes"));
      for (const kind of CALLS) expect(inBypass.some((name) => name.includes(`"kind":"${kind}"`))).toBe(true);
      expect(open.some((name) => name.includes("acceptEdits") && name.includes('"write"'))).toBe(true);
    },
  );
});
