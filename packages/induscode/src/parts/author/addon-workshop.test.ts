import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { lineIn } from "../../../../../tests/support/line-in.ts";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { authorFolder } from "../../../../../tests/support/test-author.ts";
import { untilHolds } from "../../../../../tests/support/until.ts";
import { addonAt } from "../../addons/author/addon-at.ts";
import { createAddonVersions } from "../../addons/author/addon-versions.ts";
import { type AddonSource, addonId } from "../../addons/contract.ts";
import { PARTS } from "../../boot/parts.ts";
import { createSecrets } from "../../cli/secrets.ts";
import { type IndusSession, openIndus } from "../../session/open-indus.ts";
import { type AddonWorkshop, createAddonWorkshop } from "./addon-workshop.ts";
import { startDev } from "./run-addon-dev.ts";

interface Shop {
  readonly workshop: AddonWorkshop;
  readonly session: IndusSession;
  readonly save: (code: string) => Promise<void>;
  /** What the person was told. */
  readonly told: readonly string[];
  /** Runs a command as the console does; returns its output. */
  readonly run: (name: string) => Promise<string>;
}

/** A real session with an addon; its model answers "Done." to each line, after calling `tool` first if one is named. */
async function openShop(code: string, tool?: string): Promise<Shop> {
  const { cwd, home, file } = authorFolder();
  file("a.ts", code);
  const call = { kind: "tool_call", id: "c1", name: tool, input: {} };
  const done = { kind: "text", text: "Done." };
  const contents = tool === undefined ? [done, done, done] : [call, done, done];
  const turns = contents.map((content, at) => ({
    turn: at + 1,
    reply: { message: { role: "assistant", content: [content] } },
  }));
  const lines = [{ cassette: 1, about: "x" }, ...turns];
  const cassette = file("tape.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"));
  const session = await openIndus({
    flags: { cassette },
    cwd,
    home,
    env: process.env,
    front: { leave: () => undefined, line: lineIn(cwd, process.env) },
    parts: PARTS,
  });
  const found = addonAt("a.ts", { workspace: cwd, home });
  if (!found.ok) throw new Error(found.problem);
  const versions = createAddonVersions(found.source, {
    workspace: cwd,
    home,
    env: process.env,
    requireSandbox: false,
  });
  const workshop = createAddonWorkshop({ source: found.source, versions, session });
  const told: string[] = [];
  session.conductor.subscribe((event) => {
    if (event.kind === "alert") told.push(event.text);
    if (event.kind === "fault") told.push(`fault: ${event.fault.message}`);
  });
  onTestFinished(async () => {
    await workshop.close();
    await session.close();
    versions.dispose();
  });
  await workshop.reload();
  return {
    workshop,
    session,
    told,
    save(next) {
      file("a.ts", next);
      return workshop.reload();
    },
    async run(name) {
      const command = session.commands.find((each) => each.name === name);
      if (!command) throw new Error(`there is no /${name} in ${join(cwd, "a.ts")}`);
      const said: string[] = [];
      await command.run({ args: "", cwd, say: (text) => void said.push(text), handles: session.handles });
      return said.join("\n");
    },
  };
}

const COMMAND = (name: string, run: string): string =>
  `surface.addCommand("${name}", { summary: "x", run: async ({ say }) => { ${run} } });`;
const ADDON = (body: string): string => `export function register(surface) {\n${body}\n}\n`;

it("a command ends with the version it began with, and the save waits for it", async () => {
  const slow = ADDON(
    'surface.addCommand("go", { summary: "x", run: async ({ say, handles }) => { await handles.setModel("x"); say("old"); } });',
  );
  const { run, save, told, session } = await openShop(slow);
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  vi.spyOn(session.handles, "setModel").mockImplementation(async () => {
    asked.resolve();
    await release.promise;
    return undefined;
  });
  const answer = run("go");
  await asked.promise;
  await save(ADDON(COMMAND("go", "say('new');") + COMMAND("more", "say('x');")));
  expect(told).toEqual(["a is loaded: + command /go"]); // not yet
  release.resolve();
  expect(await answer).toBe("old");
  expect(await run("go")).toBe("new");
  expect(told.at(-1)).toBe("a is reloaded: + command /more");
});

it("a first version without contributions contributes nothing, and not the same as before", async () => {
  const { told, save } = await openShop(ADDON(""));
  await save(ADDON("// again"));
  expect(told).toEqual([
    "a is loaded: it contributes nothing",
    "a is reloaded: it contributes the same as before",
  ]);
});

it("a command that is typed while a version is loaded is run by that version", async () => {
  const { run, save, session } = await openShop(ADDON(COMMAND("go", "say('old');")));
  const loading = save(ADDON(COMMAND("go", "say('new');")));
  expect(await run("go")).toBe("new");
  await loading;
  const gone = session.commands.find(({ name }) => name === "go");
  const removing = save(ADDON(COMMAND("other", "say('x');")));
  const context = { args: "", cwd: "/", say: () => undefined, handles: {} };
  await expect(gone?.run(context)).rejects.toThrow("the version of a that was just loaded has no /go");
  await removing;
});

it("a turn has the tools and the hooks of one version, the next turn those of the saved one", async () => {
  const tool =
    'surface.addTool({ name: "shout", description: "x", parameters: { type: "object" }, run: () => "X" });';
  const hook =
    'surface.on("input:submit", { kind: "transform", run: ({ text }) => ({ text: text + "!" }) });';
  const { workshop, save, session } = await openShop(ADDON(tool + hook));
  const texts: string[] = [];
  const tools: string[] = [];
  session.conductor.subscribe((event) => {
    if (event.kind !== "entry") return;
    if (event.entry.type === "user") texts.push(JSON.stringify(event.entry.content));
    if (event.entry.type === "prompt") tools.push(event.entry.tools.map(({ name }) => name).join(" "));
  });
  const line = (text: string) => workshop.conductor.submit({ content: [{ kind: "text", text }] });
  const first = line("one");
  await save(ADDON(hook.replace('"!"', '"?"')));
  expect((await first).kind).toBe("complete");
  expect((await line("two")).kind).toBe("complete");
  expect(texts.join()).toMatch(/one!.*two\?/);
  expect(tools).toEqual([expect.stringMatching(/ shout$/), expect.not.stringContaining("shout")]);
});

it("a version hears the start of the session; its tasks begin with it and end with it", async () => {
  const version = (name: string): string =>
    ADDON(`
      let heard = "nothing";
      surface.on("session:start", { kind: "observe", run: ({ sessionId }) => { heard = sessionId; } });
      surface.addTask({ id: "${name}", description: "waits", run: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())) });
      ${COMMAND("heard", "say(heard);")}`);
  const { run, save, session, told } = await openShop(version("one"));
  expect(await run("heard")).toBe(session.conductor.status().sessionId);
  const states = () =>
    session.tasks
      .report()
      .filter(({ feature }) => !feature.startsWith("builtin:"))
      .map(({ id, state }) => `${id} ${state}`);
  expect(states()).toEqual(["one running"]);
  await save(version("two"));
  expect(told.at(-1)).toBe("a is reloaded: + task two, - task one");
  expect(states()).toEqual(["two running"]);
  expect(await run("heard")).toBe(session.conductor.status().sessionId);
  expect(told.filter((text) => text.startsWith("fault"))).toEqual([]);
});

it("names that the session has are left to it, and what is skipped is said", async () => {
  const { told, session } = await openShop(
    ADDON(COMMAND("tasks", "say('mine');") + COMMAND("hi", "say('x');")),
  );
  expect(told).toEqual([
    "a is loaded: + command /hi",
    'a: command tasks is skipped: the command name "/tasks" is taken by builtin:session',
  ]);
  expect(session.commands.filter(({ name }) => name === "tasks")).toMatchObject([
    { feature: "builtin:session" },
  ]);
});

it(
  "an addon that is removed while its tool runs: its tasks end, the call ends as it would have, and then its process",
  LONG_ONLY,
  async () => {
    const temporary = join(authorFolder().cwd, "temporary");
    mkdirSync(temporary);
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const code = ADDON(`
    surface.addTool({ name: "slow", description: "x", parameters: { type: "object" }, run: () => new Promise((resolve) => setTimeout(() => resolve("old"), 5_000)) });
    surface.addTask({ id: "watch", description: "waits", run: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())) });
    surface.interceptTool("*", { exit: ({ result }) => ({ content: result.content[0].text + ", seen" }) });
    ${COMMAND("go", "say('x');")}`);
    const { session, told } = await openShop(code, "slow");
    const versions = (): readonly string[] =>
      readdirSync(temporary).flatMap((name) =>
        name.startsWith("indus-dev-") ? readdirSync(join(temporary, name)) : [],
      );
    const outcomes: string[] = [];
    let removed: string[] = [];
    session.conductor.subscribe((event) => {
      if (event.kind === "tool_start") void remove();
      if (event.kind === "entry" && event.entry.type === "tool")
        outcomes.push(`${event.entry.state}: ${event.entry.text}`);
    });
    expect((await session.conductor.submit({ content: [{ kind: "text", text: "go" }] })).kind).toBe(
      "complete",
    );
    expect(outcomes).toEqual(["ok: old, seen"]);
    expect(removed).toEqual([
      "Removed user:a from this session; no longer guarded: intercept:*. To add it again: /addons trust a.",
      "tasks: 0, commands: 0, versions: 1",
    ]);
    await untilHolds(() => expect(versions()).toEqual([]));
    expect(told.filter((text) => text.startsWith("fault"))).toEqual([]);

    async function remove(): Promise<void> {
      const say: string[] = [];
      const { handles } = session;
      const addons = session.commands.find(({ name }) => name === "addons");
      await addons?.run({ args: "remove a", cwd: "/", say: (text) => void say.push(text), handles });
      const tasks = session.tasks.report().filter(({ feature }) => feature === "user:a").length;
      const commands = session.commands.filter(({ name }) => name === "go").length;
      removed = [...say, `tasks: ${tasks}, commands: ${commands}, versions: ${versions().length}`];
    }
  },
);

it("a version that does not register leaves the one before, which still starts from its own copy", async () => {
  const { told, save, run, session } = await openShop(ADDON(COMMAND("go", "say('old');")));
  await save("this is no module");
  expect(told.at(-1)).toMatch(
    /^a was not loaded: .*a\.ts, line 1, column \d+.*The previous version stays loaded\.$/s,
  );
  // Its process is new, although its old location now holds other text.
  const addons = session.commands.find(({ name }) => name === "addons");
  await addons?.run({ args: "restart a", cwd: "/", say: () => undefined, handles: session.handles });
  expect(await run("go")).toBe("old");
  await save(ADDON(COMMAND("go", "say('old');")));
  expect(told.at(-1)).toBe("a matches the loaded version again.");
});

it("an addon that cannot be watched leaves no folder for its versions behind", async () => {
  const { session } = await openShop(ADDON(""));
  const { cwd, home } = authorFolder();
  const temporary = join(cwd, "temporary");
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const gone = join(cwd, "gone/a.ts");
  const source: AddonSource = { id: addonId("a"), path: gone, root: gone, scope: "project" };
  await expect(
    startDev(source, { session, cwd, home, env: process.env, secrets: createSecrets(), parts: [] }),
  ).rejects.toThrow("ENOENT");
  expect(readdirSync(temporary)).toEqual([]);
});
