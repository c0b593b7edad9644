import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JOBS, type JobTable, type JobView } from "indusagi/capabilities";
import { createSessionScope } from "indusagi/core";
import { expect, test } from "vitest";
import { PARTS } from "../../boot/parts.ts";
import type { EntryBody } from "../../conductor/contract.ts";
import { createLog } from "../../conductor/log.ts";
import type { ThemeSwitch } from "../../console/theme-switch.ts";
import type { SessionHandles } from "../../feature/services.ts";
import { SESSION_HERE, type SessionHere } from "../../session/session-here.ts";
import { settingsReport } from "../../settings/settings-report.ts";
import { SETTINGS, settingsOf } from "../../settings/table.ts";

const LOG = [
  {
    type: "prompt",
    model: "a/b",
    system: "You are ".repeat(400),
    tools: [{ name: "read", description: "reads", schema: {} }],
    params: {},
  },
  { type: "user", content: [{ kind: "text", text: "please" }], via: "submit" },
  {
    type: "assistant",
    message: {
      role: "assistant",
      content: [
        { kind: "text", text: "Here \u001b]52;c;aGFja2Vk\u0007 it is." },
        {
          kind: "tool_call",
          id: "c1",
          name: "todo_set",
          input: {
            items: [
              { text: "look", status: "done" },
              { text: "mend", status: "active" },
            ],
          },
        },
      ],
    },
    usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    stop: "tool_calls",
  },
  { type: "tool", callId: "c1", name: "todo_set", state: "ok", text: "set".repeat(500), durationMs: 1 },
];

interface Scene {
  readonly mask?: (text: string) => string;
  readonly window?: number | undefined;
  readonly tools?: readonly { readonly tool: { readonly name: string }; readonly feature: string }[];
  readonly jobs?: JobTable;
  readonly themes?: ThemeSwitch;
}

/** The commands of the parts, in a session with this log. */
function scene(facts: Scene = {}, log: readonly object[] = LOG) {
  const home = mkdtempSync(join(tmpdir(), "indus-commands-"));
  const logPath = join(home, "log.jsonl");
  const sessionLog = createLog({ id: "s", path: logPath, cwd: "/p", version: "0" });
  for (const body of log) sessionLog.append(body as EntryBody);
  sessionLog.close();
  const written: string[] = [];
  const { mask = (text) => text.replaceAll("please", "[secret WORD]"), tools = [] } = facts;
  const window = "window" in facts ? facts.window : 10_000;
  const session = createSessionScope();
  if (facts.jobs) session.put(JOBS, facts.jobs);
  session.put(SESSION_HERE, {
    ...{ home, cwd: "/p", rules: [], settingsTable: settingsOf(PARTS) },
    settings: { vi: true, providers: [{ id: "mine", kind: "anthropic", apiKey: "sk-secret-secret" }] },
    conductor: {
      status: () => ({ logPath, model: "a/b", contextTokens: 1200 }),
      countTokens: async () => undefined,
    },
    features: { registry: { tools, reports: [] } },
    outputStyles: { inForce: () => undefined },
    models: { resolve: async () => ({ ok: window !== undefined, card: { contextWindow: window } }) },
    front: {
      leave: () => undefined,
      line: { env: { TERM: "xterm" }, secrets: { text: mask } },
      themes: facts.themes,
      toTerminal: (sequence: string) => void written.push(sequence),
    },
  } as unknown as SessionHere);
  return {
    home,
    written,
    run: async (name: string, args = "", handles: SessionHandles = {}): Promise<string> => {
      const all = await Promise.all(PARTS.map(({ commands }) => commands?.() ?? []));
      const command = all.flat().find((each) => each.name === name);
      const said: string[] = [];
      await command?.run({
        ...{ args, cwd: "/p", say: (text) => void said.push(text) },
        handles: { ...handles, session },
      });
      return said.join("\n");
    },
  };
}

test("/context shows each part of the window as a bar, and what is free", async () => {
  const said = await scene().run("context");
  expect(said).toMatch(/^a\/b: 1\.2k of 10\.0k tokens/);
  for (const part of ["prompt", "built-in tools", "your lines", "answers", "tool results"])
    expect(said).toMatch(new RegExp(`^ {2}${part} +█+ +[\\d.]+k? +[\\d.]+ %$`, "m"));
  expect(said).toMatch(/^ {2}free +░+ /m);
  expect(await scene({}, []).run("context")).toBe("The model has seen nothing yet.");
  expect(await scene({ window: undefined }).run("context")).toContain("its window is unknown");
});

test("/context has a part for each addon, for documents and for notices", async () => {
  const entries = [
    {
      type: "prompt",
      model: "a/b",
      system: "You",
      tools: ["read", "deploy"].map((name) => ({ name, description: "x".repeat(90), parameters: {} })),
      params: {},
    },
    { type: "notice", origin: "host", text: "It is late." },
    {
      type: "notice",
      origin: "host",
      text: "Rules.",
      documents: [{ path: "/p/A", folder: "/p", digest: "1" }],
    },
  ];
  const more = [
    { type: "notice", origin: "project:safety", text: "Take care. ".repeat(40) },
    {
      type: "assistant",
      message: { role: "assistant", content: [{ kind: "tool_call", id: "c", name: "deploy", input: {} }] },
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      stop: "tool_calls",
    },
    {
      type: "tool",
      callId: "c",
      name: "deploy",
      state: "ok",
      text: "out".repeat(500),
      durationMs: 1,
      feature: "project:deploy",
    },
  ];
  const tools = [{ tool: { name: "deploy" }, feature: "project:deploy" }];
  const namesOf = (said: string): string[] =>
    said.split("\n").flatMap((row) => /^ {2}(\S.*?) +[█░]/.exec(row)?.[1] ?? []);
  const before = await scene({ tools }, entries).run("context");
  expect(namesOf(before)).toEqual([
    "prompt",
    "built-in tools",
    "addon project:deploy",
    "notices",
    "documents",
    "free",
  ]);
  const after = await scene({ tools }, [...entries, ...more]).run("context");
  expect(namesOf(after)).toContain("addon project:safety");
  expect(namesOf(after)).not.toContain("tool results");
});

test("/todo shows the checklist as the log has it", async () => {
  expect(await scene().run("todo")).toBe("  ✓ look\n  ▸ mend");
  expect(await scene({}, []).run("todo")).toBe("No checklist.");
});

test("/copy sends the last answer to the clipboard, without what a terminal would obey", async () => {
  const { run, written } = scene();
  expect(await run("copy")).toMatch(/^The last answer \(\d+ characters\) was sent/);
  const [sequence = ""] = written;
  const [, data = ""] = /^\x1b\]52;c;([A-Za-z0-9+/=]*)\x07$/.exec(sequence) ?? [];
  expect(Buffer.from(data, "base64").toString()).toBe("Here  it is.");
  expect(await scene({}, []).run("copy")).toBe("No answer to copy yet.");
});

test("/bug writes a file without secrets and without keys", async () => {
  const { run, home } = scene();
  const path = /Written: (\S+)/.exec(await run("bug"))?.[1] ?? "";
  expect(path.startsWith(join(home, "bugs"))).toBe(true);
  const text = readFileSync(path, "utf8");
  expect(text).not.toMatch(/please|sk-secret/);
  expect(JSON.parse(text)).toMatchObject({
    model: "a/b",
    terminal: { TERM: "xterm" },
    settings: { vi: true },
  });
});

test("/bug cuts no secret in two: what was hidden whole stays hidden", async () => {
  const secret = "tok-0123456789abcdef0123456789abcdef";
  const mask = (text: string): string => text.replaceAll(secret, "[secret T]");
  // Truncating an entry cuts each of these in the middle.
  const log = Array.from({ length: 60 }, (_, n) => ({
    type: "user",
    content: [{ kind: "text", text: `${"x".repeat(3_860 + 2 * n)}${secret}${"y".repeat(500)}` }],
    via: "submit",
  }));
  const { run } = scene({ mask }, log);
  const text = readFileSync(/Written: (\S+)/.exec(await run("bug"))?.[1] ?? "", "utf8");
  expect(text).not.toContain("tok-0");
  // The counterpart: if the text is truncated first, a partial secret is no longer recognised.
  const cutFirst = log.map((entry) => mask(JSON.stringify(entry).slice(0, 4_000))).join("");
  expect(cutFirst).toContain("tok-0");
});

test("/keys lists the keys, and what is wrong with the person's own", async () => {
  const { run, home } = scene();
  writeFileSync(join(home, "keybindings.json"), '{ "fold": "f2", "nonsense": "f3" }');
  const said = await run("keys");
  expect(said).toMatch(/^ {2}fold +F2 .*\(yours\)$/m);
  expect(said).toContain('! line 1: "nonsense" is not an action');
});

test("/settings says value, source and meaning of each, and shows no key", async () => {
  const said = await scene().run("settings");
  expect(said).toMatch(/^ {2}vi +true \(settings\.json\)\n +vi's normal/m);
  expect(said).toMatch(/^ {2}maxTurns +1000 \(default\)$/m);
  expect(said).not.toContain("sk-secret");
  expect(await scene().run("settings", "modl")).toBe('"modl" is not a setting. Did you mean "model"?');
});

test("every setting that a file may have is explained", () => {
  const table = settingsOf(PARTS);
  expect(table.length).toBeGreaterThan(SETTINGS.length);
  for (const { name } of table)
    expect(settingsReport({ settings: {}, table }, name)).not.toContain("is not a setting");
});

test("/thinking changes the level, and says what is wrong with another", async () => {
  const handles = {
    setThinking: (level: string) => (level === "high" ? undefined : `"${level}" is no thinking level`),
  };
  const { run } = scene();
  expect(await run("thinking", "high", handles)).toBe(
    'The thinking level is "high" from the next model call on.',
  );
  expect(await run("thinking", "huge", handles)).toBe('"huge" is no thinking level');
  expect(await run("thinking")).toMatch(/^Levels: off, low/);
});

const job = (id: string, exit?: JobView["exit"]): JobView => ({
  id,
  command: "sleep  9\n",
  pid: 7,
  ageMs: 61_000,
  exit,
});

function jobTable(...jobs: readonly JobView[]): JobTable {
  const said = { stdout: `${"x\n".repeat(50)}last \u001b[2J\u202e\n`, stderr: "" };
  return {
    list: () => jobs,
    peek: async (id: string) => ({ ...job(id), ...said }),
    stop: async (id: string) => jobs.find((each) => each.id === id),
  } as unknown as JobTable;
}

test("/jobs lists the background commands, shows what one says, and stops one", async () => {
  const table = jobTable(job("job-1"), job("job-2", { code: 3, signal: null }));
  const { run } = scene({ jobs: table });
  expect(await run("jobs")).toBe(
    "  job-1  running, started 1 min 1 s ago  sleep 9\n  job-2  ended, exit code 3, started 1 min 1 s ago  sleep 9",
  );
  expect(await run("jobs", "output job-1")).toMatch(
    /^ {2}job-1 {2}running[^\n]*\nstdout: \(11 earlier lines not shown\)\n( {2}x\n){39} {2}last \\u\{202e\}$/,
  );
  expect(await run("jobs", "stop job-1")).toBe("job-1 and all its processes are stopped.");
  expect(await run("jobs", "stop job-2")).toBe(
    "job-2 had already ended, exit code 3. It is removed from the list.",
  );
  expect(await run("jobs", "stop jb-1")).toBe('Job not found: "jb-1". Did you mean "job-1"?');
  for (const words of ["stop", "stop job-1 now", "start job-1"])
    expect(await run("jobs", words)).toBe(
      "Usage: /jobs, /jobs output ID, /jobs stop ID, or /jobs send DELEGATE WORDS.",
    );
  expect(await scene({ jobs: jobTable() }).run("jobs")).toBe("No jobs.");
  expect(await scene().run("jobs", "output job-1")).toBe('Job not found: "job-1".');
});

test("/theme shows the themes and takes one, where there are any", async () => {
  const themes = {
    names: () => ["dark", "mine"],
    why: () => undefined,
    current: () => "dark",
    choose: (name: string) => ({ said: `no ${name}`, isChosen: false }),
  };
  expect(await scene({ themes }).run("theme")).toBe("The theme is dark. Available: dark, mine.");
  const auto = { ...themes, current: () => "auto", why: () => "now dark: because" };
  expect(await scene({ themes: auto }).run("theme")).toBe(
    "The theme is auto, now dark: because. Available: dark, mine.",
  );
  expect(await scene({ themes }).run("theme", "mine")).toBe("no mine");
  expect(await scene().run("theme", "mine")).toMatch(/^This console has no themes/);
});
