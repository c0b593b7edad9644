import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { lineIn } from "../../../../tests/support/line-in.ts";
import { LONG_ONLY } from "../../../../tests/support/long-form.ts";
import { compileReply } from "../../../../tests/support/test-wasm.ts";
import { PARTS } from "../boot/parts.ts";
import type { ConductorEvent, Entry } from "../conductor/contract.ts";
import { openIndus } from "./open-indus.ts";

interface Person {
  readonly cwd: string;
  readonly entries: () => Promise<readonly Entry[]>;
}

/** A session with its own home, folder and environment, which has not started yet. */
function person(name: string, calls: readonly (readonly [tool: string, input: object])[]): Person {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-side-by-side-")));
  const [home, cwd] = [join(base, "home"), join(base, "work")];
  for (const folder of [home, cwd, join(home, ".indus")]) mkdirSync(folder);
  writeFileSync(join(home, "note.txt"), `the note of ${name}`);
  writeFileSync(join(home, ".indus/settings.json"), '{"localServers":[]}');
  const contents = calls.map(([tool, input], at) => ({ kind: "tool_call", id: `c${at}`, name: tool, input }));
  const replies = [...contents, { kind: "text", text: "done" }].map((content, at) => ({
    turn: at + 1,
    reply: { message: { role: "assistant", content: [content] } },
  }));
  const lines = [{ cassette: 1, about: "x" }, ...replies].map((line) => JSON.stringify(line));
  writeFileSync(join(cwd, "tape.jsonl"), `${lines.join("\n")}\n`);
  return {
    cwd,
    async entries() {
      const session = await openIndus({
        flags: {
          "permission-mode": "acceptEdits",
          cassette: "tape.jsonl",
          allow: ["read(~/note.txt)", "find(~/**)", "bash"],
        },
        cwd,
        home: join(home, ".indus"),
        env: { PATH: process.env.PATH, HOME: home, MINE: name },
      });
      const entries: Entry[] = [];
      session.conductor.subscribe((event) => void (event.kind === "entry" && entries.push(event.entry)));
      await session.conductor.submit({ content: [{ kind: "text", text: "go" }] });
      expect(await session.close()).toEqual([]);
      return entries;
    },
  };
}

const textsOf = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));

it("twenty sessions in one process have each their own folder, home and environment", async () => {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const people = Array.from({ length: 20 }, (_, at) => {
    const name = `person ${at}`;
    return {
      name,
      ...person(name, [
        ["read", { path: "~/note.txt" }],
        ["find", { query: "note", path: "~" }],
        ["bash", { command: 'pwd; echo "$MINE"; cat ~/note.txt', cwd: "." }],
      ]),
    };
  });
  const seen = await Promise.all(people.map(({ entries }) => entries()));
  people.forEach(({ name, cwd }, at) => {
    const [read, found, ran] = textsOf(seen[at] ?? []);
    expect(read).toContain(`the note of ${name}`);
    expect(found).toContain("note.txt");
    expect(ran).toContain(`${cwd}\n${name}\nthe note of ${name}`);
    expect(JSON.stringify(seen[at])).not.toMatch(new RegExp(`person (?!${at}\\b)\\d`));
  });
  expect({ cwd: process.cwd(), env: { ...process.env } }).toEqual(before);
}, 120_000);

// Probes everything that its session offers: files, environment, commands, notices, lines for the person, a secret, events.
const MATE_TS = `// /// indus-addon
// [[capability]]
// kind = "alert"
// reason = "speaks to its person"
// [[capability]]
// kind = "model_notification"
// reason = "speaks to its model"
// [[capability]]
// kind = "files"
// read = true
// execute = true
// reason = "looks at its folder"
// [[capability]]
// kind = "secret"
// id = "MATES_WORD"
// reason = "knows whose it is"
// ///
import { type AddonSurface, observe } from "induscode/addons";

export function register(surface: AddonSurface): void {
  const heard: string[] = [];
  surface.on("tool:before", observe(({ args }) => void heard.push(JSON.stringify(args))));
  surface.on("turn:start", observe(async () => surface.host.notify("a turn of " + (await surface.host.readFile("mine.txt")))));
  surface.addTool({
    name: "mate",
    description: "Looks around.",
    parameters: { type: "object", properties: {}, additionalProperties: true },
    async run(_args, { cwd }) {
      const mine = await surface.host.readFile("mine.txt");
      await surface.host.alert("called by " + mine);
      await surface.host.notify("called by " + mine);
      const { stdout } = await surface.handles.exec('echo "$MINE"; pwd; cat mine.txt');
      return [cwd, mine, stdout, await surface.host.secret("MATES_WORD"), ...heard].join(" | ");
    },
  });
  surface.addCommand("mine", { summary: "whose it is", run: async ({ say }) => say(await surface.host.readFile("mine.txt")) });
  surface.addTask({
    id: "beat",
    description: "Speaks from the start on.",
    run: async ({ signal }) => {
      await surface.host.alert("the heart of " + (await surface.host.readFile("mine.txt")));
      await new Promise((done) => signal.addEventListener("abort", done));
    },
  });
}
`;

const PAL_PY = `# /// indus-addon
# [[capability]]
# kind = "files"
# read = true
# reason = "looks at its folder"
# ///
from indusagi.agent import AgentTool


def register(surface):
    surface.add_tool(AgentTool("pal", "Looks around.", {"type": "object"}, lambda args: surface.host.read_file("mine.txt")))
`;

/** A module whose tool answers with everything it received, including its folder. */
const GEM_WASM = `
  if (message.includes('"method":"describe"'))
    return result(message, '{"protocol":1,"tools":[{"name":"gem","description":"Looks around.","parameters":{"type":"object"}}]}');
  if (message.includes('"method":"tool"'))
    return result(message, '{"content":[{"kind":"json","value":' + message + '}]}');
  return result(message, "{}");
`;

interface Seen {
  readonly cwd: string;
  /** The contents of the session's log, and those of its delegates. */
  readonly logs: readonly string[];
  readonly events: string;
  readonly asked: string;
  readonly said: string;
  readonly outcomes: readonly string[];
}

/** Where people wait for each other in the middle of their work. */
interface Meeting {
  /** Begins the work; few begin at once, since starting processes is what a busy machine is slow at. */
  readonly begin: () => Promise<void>;
  /** Lets the next one begin, and waits until all are here. */
  readonly arrive: () => Promise<void>;
  /** Nobody waits any longer. */
  readonly open: () => void;
}

function createMeeting(people: number, atOnce: number): Meeting {
  const waiting: (() => void)[] = [];
  let [beginning, here] = [0, 0];
  const everyone = Promise.withResolvers<void>();
  return {
    async begin() {
      if (beginning === atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      else beginning++;
    },
    async arrive() {
      const next = waiting.shift();
      if (next) next();
      else beginning--;
      if (++here === people) everyone.resolve();
      await everyone.promise;
    },
    open: everyone.resolve,
  };
}

const ALONE: Pick<Meeting, "begin" | "arrive"> = {
  begin: () => Promise.resolve(),
  arrive: () => Promise.resolve(),
};

/** A person with addons who works from start to end while others do. In the counterpart, `cwd` is somebody else's. */
async function work(at: number, gem: Uint8Array, meeting = ALONE, shared?: string): Promise<Seen> {
  const name = `person ${at}.`;
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-many-")));
  const home = join(base, "home");
  const cwd = shared ?? join(base, "work");
  const addons = join(cwd, ".indus/addons");
  const agents = join(cwd, ".indus/agents");
  for (const folder of [join(home, ".indus"), join(addons, "gem"), agents, join(cwd, "deep")])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, ".indus/settings.json"), '{"localServers":[]}');
  writeFileSync(join(home, "note.txt"), `the note of ${name}`);
  if (shared === undefined) writeFileSync(join(cwd, "mine.txt"), `the folder of ${name}`);
  writeFileSync(join(cwd, "deep/AGENTS.md"), `Words for ${name}`);
  writeFileSync(join(cwd, "deep/a.txt"), `deep in that of ${name}`);
  writeFileSync(join(agents, "scout.toml"), 'description = "Looks."\nprompt = "Be brief."\n');
  writeFileSync(join(addons, "mate.ts"), MATE_TS);
  const tools = ["mate", ...(at % 5 === 1 ? ["pal"] : []), ...(at % 5 === 2 ? ["gem"] : [])];
  if (tools.includes("pal")) writeFileSync(join(addons, "pal.py"), PAL_PY);
  if (tools.includes("gem")) {
    writeFileSync(join(addons, "gem/gem.wasm"), gem);
    writeFileSync(join(addons, "gem/manifest.toml"), 'id = "gem"\n[run]\nwasm = "gem.wasm"\n');
  }
  const calls: readonly (readonly [tool: string, input: object])[] = [
    ...tools.map((tool) => [tool, {}] as const),
    ["todo_set", { items: [{ id: "a", text: `the list of ${name}`, status: "active" }] }],
    ["process", { action: "start", command: 'echo "a job of $MINE"' }],
    ["bash", { command: `echo "asked by ${name}"; cat ~/note.txt` }],
    ["bash", { command: `echo "asked by ${name}"; cat ~/note.txt` }],
    ["read", { path: "deep/a.txt" }],
    ["write", { path: "made.txt", content: `made by ${name}` }],
    ["task", { agent: "scout", objective: `look for ${name}` }],
    // what the delegate does
    ["mate", {}],
    ["todo_read", {}],
    ["todo_set", { items: [{ id: "b", text: `the delegate of ${name}`, status: "active" }] }],
  ];
  const after: readonly (readonly [tool: string, input: object])[] = [
    ["todo_read", {}],
    ["process", { action: "list" }],
  ];
  const call = ([tool, input]: readonly [string, object], index: number) => ({
    kind: "tool_call",
    id: `c${index}`,
    name: tool,
    input,
  });
  const contents = [
    ...calls.map(call),
    { kind: "text", text: `found ${name}` },
    ...after.map((each, index) => call(each, 100 + index)),
    { kind: "text", text: "done" },
  ];
  const replies = contents.map((content, index) => ({
    turn: index + 1,
    reply: { message: { role: "assistant", content: [content] } },
  }));
  writeFileSync(
    join(base, "tape.jsonl"),
    `${[{ cassette: 1, about: "x" }, ...replies].map((line) => JSON.stringify(line)).join("\n")}\n`,
  );
  const asked: unknown[] = [];
  const events: ConductorEvent[] = [];
  const outcomes: string[] = [];
  const said: string[] = [];
  const mayAsk = at % 2 === 0;
  await meeting.begin();
  const env = { PATH: process.env.PATH, HOME: home, MINE: name, MATES_WORD: `word-that-${at}-knows-alone` };
  const session = await openIndus({
    flags: {
      "permission-mode": "acceptEdits",
      cassette: join(base, "tape.jsonl"),
      allow: [...tools, "read", "write", "process", "task", 'bash(echo "$MINE"; pwd; cat mine.txt)'],
      grant: ["mate", "pal", "gem"].filter((each) => tools.includes(each)),
    },
    cwd,
    home: join(home, ".indus"),
    env,
    front: { leave: () => undefined, line: lineIn(cwd, env) },
    parts: PARTS,
    ask: async (question) => {
      if (asked.push(question) === 1) await meeting.arrive();
      return mayAsk ? { kind: "session" } : { kind: "no", reason: `${name} says no` };
    },
  });
  session.conductor.subscribe((event) => {
    events.push(event);
    if (event.kind === "entry" && event.entry.type === "tool")
      outcomes.push(`${event.entry.name} ${event.entry.state}`);
  });
  await session.conductor.submit({ content: [{ kind: "text", text: `work for ${name}` }] });
  for (const typed of ["mine", "tasks", "help"])
    await session.commands
      .find((command) => command.name === typed)
      ?.run({ args: "", cwd, say: (text) => void said.push(text), handles: session.handles });
  const { logPath } = session.conductor.status();
  const problems = await session.close();
  const delegates = join(dirname(logPath), "delegates");
  const logs = [logPath, ...readdirSync(delegates).map((file) => join(delegates, file))];
  return {
    cwd,
    outcomes,
    asked: JSON.stringify(asked),
    said: JSON.stringify(said),
    events: JSON.stringify([events, problems, session.notices]),
    logs: logs.filter((path) => path.endsWith(".jsonl")).map((path) => readFileSync(path, "utf8")),
  };
}

/** Everything in a session that names a person other than `at`. */
function strangers({ logs, events, asked, said }: Seen, at: number): readonly string[] {
  const other = new RegExp(`person (?!${at}\\.)\\d+\\.|word-that-(?!${at}-)\\d+-knows`, "g");
  return [...logs, events, asked, said].flatMap((text) => text.match(other) ?? []);
}

it("twenty sessions with addons, jobs and delegates side by side: none sees anything of another's", {
  ...LONG_ONLY,
  timeout: 300_000,
}, async () => {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const gem = await compileReply(GEM_WASM);
  const meeting = createMeeting(20, 3);
  const all = await Promise.all(Array.from({ length: 20 }, (_, at) => work(at, gem, meeting))).finally(
    meeting.open,
  );
  all.forEach((seen, at) => {
    const { cwd, logs, events, asked, said, outcomes } = seen;
    expect(strangers(seen, at)).toEqual([]);
    const answer = at % 2 === 0 ? "ok" : "refused"; // what was allowed for a session was allowed only for that one
    expect(outcomes).toEqual([
      "mate ok",
      ...(at % 5 === 1 ? ["pal ok"] : []),
      ...(at % 5 === 2 ? ["gem ok"] : []),
      ...["todo_set ok", "process ok", `bash ${answer}`, `bash ${answer}`, "read ok", "write ok", "task ok"],
      ...["todo_read ok", "process ok"],
    ]);
    expect(JSON.parse(asked)).toHaveLength(at % 2 === 0 ? 1 : 2);
    // Each one sees only its own.
    const name = `person ${at}.`;
    for (const part of [
      `${cwd} | the folder of ${name} | ${name}\\n${cwd}\\nthe folder of ${name} | [secret MATES_WORD]`,
      `> called by the folder of ${name}`,
      `> a turn of the folder of ${name}`,
      `[~] a: the list of ${name}`,
      `Words for ${name}`,
      `job-1`,
      at % 2 === 0 ? `the note of ${name}` : `${name} says no`,
      at % 5 === 2 ? `\\"cwd\\":\\"${cwd}` : "mate",
    ])
      expect(logs.join("\n")).toContain(part);
    expect(events).toContain(`called by the folder of ${name}`);
    expect(events).toContain(`the heart of the folder of ${name}`);
    expect(said).toContain(`the folder of ${name}`);
    // What the addon tells the model about its caller reaches only that caller: once the session's model, once its delegate's.
    expect(logs.map((log) => log.split("> called by the folder of").length - 1)).toEqual([1, 1]);
    // Each one's delegate has its own checklist.
    expect(logs.join("\n")).toContain("The checklist is empty.");
    expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe(`made by ${name}`);
  });
  expect({ cwd: process.cwd(), env: { ...process.env } }).toEqual(before);
});

it("the twin: one who is given another's folder is found to meet the other there", {
  ...LONG_ONLY,
  timeout: 300_000,
}, async () => {
  const gem = await compileReply(GEM_WASM);
  const { cwd } = await work(0, gem);
  const second = await work(3, gem, ALONE, cwd);
  expect(new Set(strangers(second, 3))).toEqual(new Set(["person 0."]));
});
