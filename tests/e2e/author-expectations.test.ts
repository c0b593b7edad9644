// What examples let an author expect of names, through the real command: tools by the names that others give them, modules where
// the Python examples import them from, the workspace as a folder that can be listed.

import { describe, expect, it } from "vitest";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted", "--permission-mode", "bypass"];
const RUN: Script = [
  { text: "Working.", calls: [{ name: "bash", input: { command: "echo ran" } }] },
  { text: "Done." },
];

describe("a matcher that gives the tool bash another of its names", () => {
  it.each<readonly [string, string, string]>(
    rows(
      [
        [
          "TypeScript",
          "guard.ts",
          `export const register = (s: any) => s.interceptTool("shell", { enter: () => ({ stop: true, reason: "guarded" }) });`,
        ],
        [
          "Python",
          "guard.py",
          `from induscode.addons import GateDecision, InterceptorStage
def register(surface):
    surface.intercept_tool("shell", InterceptorStage(enter=lambda c: GateDecision(stop=True, reason="guarded")))
`,
        ],
        [
          "a manifest",
          "guard/manifest.toml",
          'id = "guard"\n[[gate]]\nevent = "tool:before"\nmatch-tool = "shell"\nreason = "guarded"\n',
        ],
      ],
      theFirst,
    ),
  )("stops it (%s)", async (_kind, file, text) => {
    const place = await createServedShared(RUN);
    place.file(`.indus/addons/${file}`, text);
    const { stderr } = await place.run(["-p", "go", ...MODEL, "--grant", "guard"]);
    expect(stderr).not.toContain("it matches the tool");
    expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({
      state: "refused",
      text: expect.stringContaining("guarded (project:guard)"),
    });
  });

  it.each<readonly [string, string, string]>(
    rows(
      [
        [
          "an interceptor",
          "guard.mjs",
          `export const register = (s) => s.interceptTool("bahs", { enter() {} });`,
        ],
        [
          "a gate of a manifest",
          "guard/manifest.toml",
          'id = "guard"\n[[gate]]\nevent = "tool:before"\nmatch-tool = "bahs"\nreason = "guarded"\n',
        ],
      ],
      theFirst,
    ),
  )("the twin: a misspelt name guards nothing, and the session says so (%s)", async (_kind, file, text) => {
    const place = await createServedShared(RUN);
    place.file(`.indus/addons/${file}`, text);
    const { stderr } = await place.run(["-p", "go", ...MODEL, "--grant", "guard"]);
    expect(stderr).toContain(
      'project:guard: it matches the tool "bahs", which this session does not have: did you mean "bash"?',
    );
    expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({ state: "ok" });
    const check = await place.run(["addon", "check", `.indus/addons/${file.split("/")[0]}`]);
    expect(check.stdout).toContain(
      'it matches the tool "bahs", which this session does not have: did you mean "bash"?',
    );
  });

  it(
    "another twin: an argument that the tool does not have guards nothing, and the session and the check say so",
    LONG_ONLY,
    async () => {
      const place = await createServedShared(RUN);
      const gate =
        '[[gate]]\nevent = "tool:before"\nmatch-tool = "bash"\nmatch-arg = "cmd"\ncontains = ""\nreason = "guarded"\n';
      place.file(".indus/addons/guard/manifest.toml", `id = "guard"\n${gate}`);
      const { stderr } = await place.run(["-p", "go", ...MODEL, "--grant", "guard"]);
      const warning = 'it matches the argument "cmd", which the tool "bash" does not have: it has "command"';
      expect(stderr).toContain(`project:guard: ${warning}`);
      expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({ state: "ok" });
      const check = await place.run(["addon", "check", ".indus/addons/guard"]);
      expect(check.stdout).toContain(`warning: ${warning}`);
    },
  );
});

it("a Python addon finds the names that examples import from indusagi", async () => {
  const place = await createServedShared([]);
  place.file(
    ".indus/addons/names.py",
    `from indusagi.agent import AgentTool, AgentToolResult, ThinkingLevel
from indusagi.ai import AgentMessage, Model
from indusagi.tui import Component, KeyId
from induscode.addons import CommandSpec
import induscode.addons as addons

def register(surface):
    same = AgentTool is addons.AgentTool and AgentMessage is addons.AgentMessage and KeyId is addons.KeyId
    surface.add_command("names", CommandSpec(summary="s", run=lambda ctx: print("the same:", same)))
`,
  );
  const { stdout, stderr } = await place.run(["-p", "/names", "--grant", "names"]);
  expect({ stdout, stderr }).toEqual({ stdout: "the same: True\n", stderr: "" });
});

describe("an addon with the grant to read files lists the workspace itself", () => {
  const ASK = ["[[capability]]", 'kind = "files"', "read = true", 'reason = "looks"'];
  const block = (comment: string): string =>
    ["/// indus-addon", ...ASK, "///"].map((line) => `${comment} ${line}`).join("\n");
  const TYPESCRIPT = `import { readdirSync } from "node:fs";
export const register = (s: any) => s.addCommand("list", {
  summary: "s",
  run({ cwd, say }: any) {
    try { say(readdirSync(cwd).join()); } catch (error: any) { say(error.code); }
  },
});
`;
  const PYTHON = `import os
from induscode.addons import CommandSpec

def register(surface):
    surface.add_command("list", CommandSpec(summary="s", run=lambda ctx: print(",".join(sorted(os.listdir(ctx.cwd))))))
`;

  it.each(
    rows(
      [
        ["ts", `${block("//")}\n${TYPESCRIPT}`],
        ["py", `${block("#")}\n${PYTHON}`],
      ],
      theFirst,
    ),
  )("in %s", async (ending, text) => {
    const place = await createServedShared([]);
    place.file("a.txt", "a");
    place.file(`.indus/addons/list.${ending}`, text);
    const { stdout } = await place.run(["-p", "/list", "--grant", "list"]);
    expect(stdout).toBe(".indus,a.txt\n");
  });

  it("the twin: without the grant it does not", LONG_ONLY, async () => {
    const place = await createServedShared([]);
    place.file("a.txt", "a");
    place.file(".indus/addons/list.ts", TYPESCRIPT);
    const { stdout } = await place.run(["-p", "/list", "--grant", "list"]);
    expect(stdout).not.toContain("a.txt");
  });
});
