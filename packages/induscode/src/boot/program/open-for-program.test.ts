import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, textResult } from "indusagi/capabilities";
import { cardFor, createCassettePlayer } from "indusagi/llmgateway";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../conductor/contract.ts";
import type { ResolvedModel } from "../../conductor/model-in-use.ts";
import { createCommandFeature } from "../../deck/builtins/command-feature.ts";
import type { FeatureModule } from "../../feature/install.ts";
import { openIndus } from "./open-for-program.ts";
import type { ProgramOptions, ProgramSession } from "./program-session.ts";

const TOUCH = { kind: "tool_call", id: "c_1", name: "bash", input: { command: "mkfifo new.txt" } };
const DONE = { kind: "text", text: "done" };

function recorded(...contents: readonly object[]): ResolvedModel {
  const turns = contents.map((content, at) => ({
    turn: at + 1,
    reply: { message: { role: "assistant", content: [content] } },
  }));
  const text = [{ cassette: 1, about: "x" }, ...turns].map((line) => JSON.stringify(line)).join("\n");
  const provider = createCassettePlayer({ source: { text } });
  return { provider, model: "recording", card: cardFor("cassette", "recording") };
}

/** Least options, in a folder and a home of their own. */
function place(): Pick<ProgramOptions, "cwd" | "env"> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-program-")));
  const [cwd, home] = [join(base, "work"), join(base, "home")];
  for (const folder of [cwd, home, join(home, ".indus")]) mkdirSync(folder);
  writeFileSync(join(home, ".indus/settings.json"), '{"localServers":[]}');
  return { cwd, env: { PATH: process.env.PATH, HOME: home } };
}

/** Submits one task and closes; returns what the tools' outcomes were. */
async function outcomes(session: ProgramSession): Promise<readonly string[]> {
  const entries: Entry[] = [];
  session.subscribe((event) => void (event.kind === "entry" && entries.push(event.entry)));
  expect(await session.submit("go")).toMatchObject({ kind: "complete", text: "done" });
  expect(await session.close()).toEqual([]);
  return entries.flatMap((entry) => (entry.type === "tool" ? [`${entry.name} ${entry.state}`] : []));
}

describe("a program's session", () => {
  it.each([
    ["nobody to ask", {}, "bash refused"],
    ["the answer no", { ask: async () => ({ kind: "no" }) as const }, "bash refused"],
    ["the answer once", { ask: async () => ({ kind: "once" }) as const }, "bash ok"],
    ["a rule", { allow: ["bash(mkfifo new.txt)"] }, "bash ok"],
    ["a rule that is overridden", { allow: ["bash"], deny: ["bash"] }, "bash refused"],
    ["a mode", { mode: "bypass" }, "bash ok"],
  ] as const)("decides about a call by %s", async (_by, more, outcome) => {
    const model = recorded(TOUCH, DONE);
    const session = await openIndus({ ...place(), mode: "acceptEdits", model, ...more });
    expect(await outcomes(session)).toEqual([outcome]);
  });

  it("has the program's own tools", async () => {
    const seen: unknown[] = [];
    const own: FeatureModule = {
      descriptor: {
        id: "builtin:own",
        displayName: "Own",
        runtime: "builtin",
        requestedCapabilities: [
          { capability: { kind: "contribute_tool", name: "note" }, required: true, reason: "notes words" },
        ],
        declaredTools: ["note"],
        declaredCommands: [],
        declaredHooks: [],
        declaredTasks: [],
      },
      install({ tools }) {
        const tool = defineTool({
          name: "note",
          description: "Notes a word.",
          parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
          run: async (input) => {
            seen.push(input);
            return textResult("noted");
          },
        });
        tools.register({ tool, accesses: () => [] });
      },
    };
    const call = { kind: "tool_call", id: "c_1", name: "note", input: { word: "hello" } };
    const session = await openIndus({
      ...place(),
      mode: "read-only",
      model: recorded(call, DONE),
      features: [own],
    });
    expect(await outcomes(session)).toEqual(["note ok"]);
    expect(seen).toEqual([{ word: "hello" }]);
  });

  it("runs what people type: what is said, what is for the model, what fails, what is no command", async () => {
    const own = createCommandFeature("builtin:own", "Own", [
      { name: "shout", summary: "s", run: ({ args, say }) => say(args.toUpperCase()) },
      { name: "tell", summary: "t", run: ({ args, handles }) => handles.sendMessage?.(`do ${args}`) },
      {
        name: "break",
        summary: "b",
        run: () => {
          throw new Error("no luck");
        },
      },
    ]);
    const session = await openIndus({ ...place(), model: recorded(DONE), features: [own] });
    const said = { kind: "done", said: "", task: undefined, leaves: false };
    expect(await session.run("/shout a b")).toEqual({ ...said, said: "A B" });
    expect(await session.run("/tell it")).toEqual({ ...said, task: "do it" });
    expect(session.conductor.waiting()).toEqual([]);
    expect(await session.run("/exit")).toEqual({ ...said, leaves: true });
    expect(await session.run("/break")).toMatchObject({
      kind: "faulted",
      fault: { kind: "command", message: "/break of builtin:own failed: no luck" },
    });
    expect(await session.run("/shuot")).toMatchObject({
      kind: "unknown",
      message: expect.stringContaining("Did you mean /shout?"),
    });
    expect(await session.run("shout")).toMatchObject({ kind: "unknown" });
    await session.close();
  });

  it("has the parts of a console's session, with their settings and commands", async () => {
    const here = place();
    writeFileSync(join(here.cwd, "../home/.indus/settings.json"), '{"localServers":[],"checkpoints":"off"}');
    const session = await openIndus({ ...here, model: recorded(DONE) });
    expect(session.notices).toEqual([]); // the setting of a part is known
    const names = session.commands().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["compact", "rewind", "memory", "model", "resume"]));
    expect(await session.run("/settings checkpoints")).toMatchObject({
      said: expect.stringContaining('"off" (settings.json)'),
    });
    await session.close();
  });

  it("asks its own model, whatever name is set, and continues by id", async () => {
    const here = place();
    const first = await openIndus({ ...here, model: recorded(DONE) });
    expect(await first.conductor.setModel("anthropic/other")).toBeUndefined();
    expect(await outcomes(first)).toEqual([]);
    const { sessionId, model } = first.conductor.status();
    expect(model).toBe("cassette/recording");
    const second = await openIndus({ ...here, model: recorded(DONE), resume: sessionId });
    expect(second.resumed.filter(({ type }) => type === "user")).toHaveLength(1);
    expect(second.conductor.status().sessionId).toBe(sessionId);
    await second.close();
  });

  it.each<readonly [string, (here: ReturnType<typeof place>) => Partial<ProgramOptions>, RegExp]>([
    ["folder", () => ({ cwd: "/no/such/folder" }), /working directory \/no\/such\/folder cannot be used/],
    ["home", ({ cwd }) => ({ env: { HOME: cwd } }), /HOME is .* inside the working directory/],
    ["mode", () => ({ mode: "yolo" as "auto" }), /^mode takes read-only, .*bypass; got "yolo"$/],
    ["cost", () => ({ maxCost: 0 }), /^maxCost takes an amount in dollars above 0; got 0$/],
    ["model", () => ({ model: undefined }), /no model is configured/],
    ["rule", () => ({ allow: ["nonsense("] }), /nonsense/],
    ["session", () => ({ resume: "gone" }), /gone/],
    [
      "option",
      () => ({ grants: [] }) as object,
      /^openIndus: unknown option "grants"; did you mean grant\?$/,
    ],
    ["list", () => ({ grant: "a" as never }), /^grant takes a list of texts; got "a"$/],
  ])("is refused with a problem for a bad %s", async (_what, bad, message) => {
    const here = place();
    const refused = openIndus({ ...here, model: recorded(DONE), ...bad(here) });
    await expect(refused).rejects.toMatchObject({ name: "Problem", message: expect.stringMatching(message) });
  });
});
