// Hooks of the best-known agent, through the real command: what they say is heeded, what they may do is what their package may, and one that
// misbehaves costs nobody else anything.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { describe, expect, it } from "vitest";
import { openEditor } from "../support/acp-editor.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { openPlainConsole } from "../support/open-console.ts";
import {
  createServedShared,
  createServedWorkplace,
  type ServedWorkplace,
} from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

/** Whether some process has this word. */
const isStarted = (word: string): boolean =>
  readdirSync("/proc").some((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false; // gone
    }
  });

/** A model that makes these calls and then says that it is done. */
function calling(
  ...calls: readonly { readonly name: string; readonly input: object }[]
): Promise<ServedWorkplace> {
  return createServedShared((_, at) => {
    const call = calls[at];
    return call === undefined ? { text: "Done." } : { text: "On it.", calls: [call as never] };
  });
}

interface Hook {
  readonly command: string;
  readonly [key: string]: unknown;
}
const hooksFile = (event: string, matcher: string | undefined, ...hooks: readonly Hook[]): string =>
  JSON.stringify({
    hooks: { [event]: [{ matcher, hooks: hooks.map((hook) => ({ type: "command", ...hook })) }] },
  });

async function addHooks(place: Workplace, settings: string, ...flags: readonly string[]): Promise<string> {
  mkdirSync(join(place.cwd, ".claude"), { recursive: true });
  writeFileSync(join(place.cwd, ".claude/settings.json"), settings);
  const added = await place.run(["add", ".claude/settings.json", "--yes", ...flags]);
  expect(added).toMatchObject({ code: 0, stderr: "" });
  return added.stdout;
}
const go = (place: Workplace, ...flags: readonly string[]) =>
  place.run(["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass", ...flags]);
const outcomes = (place: Workplace) =>
  place.entries().flatMap((entry) => (entry.type === "tool" ? [entry] : []));
const asked = ({ server }: ServedWorkplace): string =>
  JSON.stringify(server.requests.map(({ body }) => body));

/** Prints its JSON. */
const says = (answer: object): string => `printf '%s' '${JSON.stringify(answer)}'`;
const decides = (permissionDecision: string, more: object = {}): string =>
  says({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...more } });
const ECHO = { name: "bash", input: { command: "echo plain" } };

describe("the hooks of settings", () => {
  it("are a package that says what it runs, what it asks for and what is not used", async () => {
    const place = await calling(ECHO);
    const report = await addHooks(
      place,
      JSON.stringify({
        hooks: {
          PreToolUse: [
            {
              matcher: "Bash",
              hooks: [
                { type: "command", command: "true" },
                { type: "prompt", prompt: "?" },
              ],
            },
          ],
          Notification: [{ hooks: [{ type: "command", command: "true" }] }],
          NoSuchEvent: [],
        },
      }),
    );
    expect(report).toContain("│ run the commands of hooks (PreToolUse Bash: true), in its own process");
    expect(report).toContain("│ 1 hooked event: PreToolUse\n");
    expect(report).toMatch(/^ {2}asks +│ files.*read/m);
    expect(report).toContain("│ Notification: a console's notifications are not events\n");
    expect(report).toContain("│ NoSuchEvent: unknown hook event\n");
    expect(report).toContain('│ PreToolUse: hook type prompt is not supported: only "command" hooks run\n');
    expect((await place.run(["show", "hooks"])).stdout).toContain("│ Notification:");
  });

  it.each(
    rows(
      [
        ["exit code 2", { command: "echo not today >&2; exit 2" }],
        ["deny", { command: decides("deny", { permissionDecisionReason: "not today" }) }],
        ["block, the older word", { command: says({ decision: "block", reason: "not today" }) }],
        ["continue: false", { command: says({ continue: false, stopReason: "not today" }) }],
        ["ask, where nobody is", { command: decides("ask", { permissionDecisionReason: "not today" }) }],
        ["a failure with onFailure: block", { command: "echo not today >&2; exit 3", onFailure: "block" }],
      ],
      theFirst,
    ),
  )("refuse a call by %s", async (_, hook) => {
    const place = await calling(ECHO);
    await addHooks(place, hooksFile("PreToolUse", "Bash", hook));
    await go(place);
    const [outcome] = outcomes(place);
    expect(outcome?.state).not.toBe("ok");
    if (!("onFailure" in hook)) expect(outcome?.text).toContain("not today");
  });

  it.each(
    rows(
      [
        ["exit code 0", "Bash", { command: "true" }],
        ["exit code 1", "Bash", { command: "exit 1" }],
        ["another tool", "Edit|Write", { command: "exit 2" }],
        ["a pattern that does not fit", "^mcp__.*", { command: "exit 2" }],
        ["a condition that does not fit", "Bash", { command: "exit 2", if: "Bash(git *)" }],
      ],
      theFirst,
    ),
  )("let a call pass by %s", async (_, matcher, hook) => {
    const place = await calling(ECHO);
    await addHooks(place, hooksFile("PreToolUse", matcher, hook));
    await go(place);
    expect(outcomes(place)[0]).toMatchObject({ state: "ok" });
  });

  it("deny wins over ask and allow, whatever the order", LONG_ONLY, async () => {
    const place = await calling(ECHO);
    const answers = ["allow", "ask", "deny"].map((word) => ({
      command: decides(word, { permissionDecisionReason: `because ${word}` }),
    }));
    await addHooks(place, hooksFile("PreToolUse", "Ba(sh|t)", ...answers));
    await go(place);
    expect(outcomes(place)[0]?.text).toContain("because deny");
  });

  it("hear the words of that agent on their standard input, and add to a result", LONG_ONLY, async () => {
    const place = await calling(ECHO);
    const echo = `read -r line; printf '{"hookSpecificOutput":{"additionalContext":"%s"}}' "$(printf '%s' "$line" | tr -d '"')"`;
    await addHooks(place, hooksFile("PostToolUse", "Bash", { command: echo }));
    await go(place);
    const text = outcomes(place)[0]?.text ?? "";
    expect(text).toMatch(/^stdout:\nplain/);
    for (const part of [
      `cwd:${place.cwd}`,
      "hook_event_name:PostToolUse",
      "tool_name:Bash",
      "tool_input:{command:echo plain",
      "tool_response:{success:true,stdout:stdout:",
      "session_id:",
    ])
      expect(text).toContain(part);
  });

  it("know their folders, and see of the workspace what the package may", async () => {
    const place = await calling(ECHO);
    place.file("note.txt", "from the project");
    const command = 'cat "$CLAUDE_PROJECT_DIR/note.txt"; touch "$CLAUDE_PROJECT_DIR/made" || echo unwritable';
    await addHooks(place, hooksFile("UserPromptSubmit", undefined, { command }));
    await go(place);
    expect(asked(place)).toContain("from the project");
    expect(asked(place)).toContain("unwritable");
  });

  it("give the model their text before the first request, and stop a line", async () => {
    const place = await calling();
    await addHooks(
      place,
      JSON.stringify({
        hooks: {
          SessionStart: [
            { matcher: "startup", hooks: [{ type: "command", command: "echo the branch is blue" }] },
          ],
          UserPromptSubmit: [
            {
              hooks: [
                { type: "command", command: "grep -q forbidden && { echo no such line >&2; exit 2; }; true" },
              ],
            },
          ],
        },
      }),
    );
    await go(place);
    expect(JSON.stringify(place.server.requests[0]?.body)).toContain("the branch is blue");
    const before = place.server.requests.length;
    const stopped = await place.run(["-p", "a forbidden line", "--model", "anthropic/scripted"]);
    expect(`${stopped.stdout}${stopped.stderr}`).toContain("no such line");
    expect(place.server.requests).toHaveLength(before);
  });
});

describe("a start that a hook blocks goes on, and its reason is read", () => {
  const SAID = "it blocks SessionStart, which goes on all the same: not on this branch";
  const BLOCKS: readonly (readonly [string, string])[] = [
    ["exit code 2", "echo not on this branch >&2; exit 2"],
    ["continue: false", says({ continue: false, stopReason: "not on this branch" })],
    ["block", says({ decision: "block", reason: "not on this branch" })],
  ];

  it.each(rows(BLOCKS, theFirst))("with -p, by %s", async (_, command) => {
    const place = await calling();
    await addHooks(place, hooksFile("SessionStart", undefined, { command }));
    const { code, stdout, stderr } = await go(place);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(stderr.split(SAID)).toHaveLength(2);
  });

  it.each(["json", "stream-json"])("with -p, as %s", async (format) => {
    const place = await calling();
    await addHooks(place, hooksFile("SessionStart", undefined, { command: BLOCKS[0]?.[1] ?? "" }));
    const form = format === "json" ? ["--json"] : ["--output-format", format];
    const { code, stdout, stderr } = await go(place, ...form);
    expect(code).toBe(0);
    expect(`${stdout}${stderr}`).toContain(SAID);
  });

  it("in a console", async () => {
    const place = createWorkplace();
    await addHooks(place, hooksFile("SessionStart", undefined, { command: BLOCKS[0]?.[1] ?? "" }));
    const { type, waitFor } = await openPlainConsole([{ text: "All done." }], { place });
    await waitFor(new RegExp(SAID.replaceAll(" ", "\\s+")));
    type("go\r");
    await waitFor("All done.");
  });

  it("in an editor", async () => {
    const place = await calling();
    await addHooks(place, hooksFile("SessionStart", undefined, { command: BLOCKS[0]?.[1] ?? "" }));
    const editor = await openEditor(place);
    const { sessionId } = await editor.agent.request(methods.agent.session.new, {
      cwd: place.cwd,
      mcpServers: [],
    });
    await editor.agent.request(methods.agent.session.prompt, {
      ...{ sessionId, prompt: [{ type: "text", text: "go" }] },
    });
    await editor.leave();
    expect(editor.said().split(SAID)).toHaveLength(2);
    expect(editor.said()).toContain("Done.");
  });
});

describe("the time of a hook", () => {
  // Longer than the session gives any other handler: 5 s.
  it("is its own: the session waits for what it says", async () => {
    const place = await calling(ECHO);
    await addHooks(place, hooksFile("PreToolUse", "Bash", { command: "sleep 6; echo late >&2; exit 2" }));
    await go(place);
    expect(outcomes(place)[0]?.text).toContain("late");
  });

  it("is named when it is added, if it is longer than the usual", async () => {
    const place = await calling();
    const report = await addHooks(
      place,
      hooksFile("PreToolUse", "Bash", { command: "true", timeout: 5 * 60 }),
    );
    expect(report).toContain("(PreToolUse Bash, up to 300 s: true)");
  });
});

describe("a hook that asks", () => {
  it.each([
    ["y", "ok"],
    ["n", "refused"],
  ])("has the person decide: %s", async (typed, state) => {
    const place = createWorkplace();
    await addHooks(
      place,
      hooksFile("PreToolUse", "Bash", {
        command: decides("ask", { permissionDecisionReason: "is it late?" }),
      }),
    );
    const { type, answer, waitFor } = await openPlainConsole(
      [{ text: "", calls: [ECHO] }, { text: "All done." }],
      { place },
    );
    type("go\r");
    await waitFor("A hook wants you to decide about Bash: is it late?");
    await answer(`${typed}\r`);
    await waitFor("All done.");
    expect(outcomes(place)[0]?.state === "ok").toBe(state === "ok");
  });
});

describe("a hook at the end", () => {
  const block = (reason: string): string => says({ decision: "block", reason });
  const lines = ({ server }: ServedWorkplace): number => server.requests.length;

  it("of a turn has the model go on with its reason, until it lets it end", async () => {
    const place = await calling();
    const once = `grep -q '"stop_hook_active":true' || ${block("now run the tests")}`;
    await addHooks(place, hooksFile("Stop", undefined, { command: once }));
    const run = await go(place);
    expect(run).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(lines(place)).toBe(2);
    expect(JSON.stringify(place.server.requests[1]?.body)).toContain(
      "Notice from user:hooks: now run the tests",
    );
    expect(place.problems()).toEqual([]);
  });

  it("of a turn that never lets it end is heard five times, and that is said", async () => {
    const place = await calling();
    await addHooks(place, hooksFile("Stop", undefined, { command: "echo more >&2; exit 2" }));
    const run = await go(place);
    expect(run.code).toBe(0);
    expect(lines(place)).toBe(6);
    expect(run.stderr).toContain("made the model continue 5 times in a row");
  });

  it("is told anew at each task that the model has not gone on yet, however the one before ended", async () => {
    const place = await calling();
    const tells = `read -r line; case "$line" in *'"stop_hook_active":true'*) echo more;; *) echo first;; esac >&2; exit 2`;
    await addHooks(place, hooksFile("Stop", undefined, { command: tells }));
    await place.run(["--model", "anthropic/scripted"], { stdin: "go\ngo on\n" });
    const last = JSON.stringify(place.server.requests.at(-1)?.body);
    expect(last.split("Notice from user:hooks: first")).toHaveLength(3);
    expect(last.split("Notice from user:hooks: more")).toHaveLength(9);
  });

  it.skipIf(!existsSync("/proc/self")).each(rows(["Stop", "UserPromptSubmit", "PreToolUse"], theFirst))(
    "of a task that is interrupted is ended with it: %s",
    async (event) => {
      const seconds = `${500 + Math.random()}`;
      const place = await calling(ECHO);
      await addHooks(place, hooksFile(event, undefined, { command: `exec sleep ${seconds}` }));
      const { code, stderr } = await place.runAlone(
        ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"],
        { onStart: (child) => void until(() => isStarted(seconds)).then(() => child.kill("SIGINT")) },
      );
      expect([code, stderr]).toEqual([130, expect.not.stringContaining("failed")]);
      expect(isStarted(seconds)).toBe(false);
    },
  );

  it("of a delegate has the delegate go on", async () => {
    const place = await createServedWorkplace((_, at) =>
      at === 0
        ? { text: "", calls: [{ name: "task", input: { agent: "scout", objective: "Look." } as never }] }
        : { text: "Done." },
    );
    place.file(".indus/agents/scout.md", "---\nname: scout\ndescription: Looks\n---\nLook.\n");
    const once = `grep -q '"stop_hook_active":true' || ${block("look again")}`;
    await addHooks(place, hooksFile("SubagentStop", "scout", { command: once }));
    await go(place);
    expect(lines(place)).toBe(4);
    expect(JSON.stringify(place.server.requests[2]?.body)).toContain("look again");
  });
});

describe("a changed input", () => {
  const rewrite = (updatedInput: object): Hook => ({ command: decides("allow", { updatedInput }) });

  it("is refused where the package may not do it itself, and runs where it may", async () => {
    const settings = hooksFile("PreToolUse", "Bash", rewrite({ command: "echo changed" }));
    const place = await calling(ECHO);
    await addHooks(place, settings);
    await go(place);
    expect(outcomes(place)[0]).not.toMatchObject({ state: "ok" });
    expect(outcomes(place)[0]?.text).toContain("files with execute");

    const other = await calling(ECHO);
    await addHooks(other, settings, "--files", "execute");
    await go(other);
    expect(outcomes(other)[0]).toMatchObject({ state: "ok", text: expect.stringContaining("changed") });
  });

  it("does not pass a deny rule of the person", LONG_ONLY, async () => {
    const place = await calling(ECHO);
    place.settings({ localServers: [], permissions: { deny: ["Bash(touch *)"] } });
    await addHooks(
      place,
      hooksFile("PreToolUse", "Bash", rewrite({ command: "touch made" })),
      "--files",
      "execute",
    );
    await go(place);
    expect(outcomes(place)[0]).not.toMatchObject({ state: "ok" });
  });

  it.each(
    rows(
      [
        ["a file next to the workspace", "Write", { file_path: "../outside.txt", content: "x" }],
        ["a file of the machine", "Write", { file_path: "/tmp/indus-hook-outside.txt", content: "x" }],
        ["what git runs", "Write", { file_path: ".git/hooks/pre-commit", content: "x" }],
        ["the repository's own settings", "Write", { file_path: ".indus/settings.json", content: "{}" }],
        ["what a person denied", "Write", { file_path: "denied.txt", content: "x" }],
        ["no arguments of the tool", "Write", { file_path: 5 }],
      ] as const,
      ([what]) => what !== "a file of the machine",
    ),
  )("passes all that a call passes: not to %s", async (_, matcher, input) => {
    const place = await calling({ name: "write", input: { path: "a.txt", content: "x" } });
    place.file(".git/HEAD", "ref: refs/heads/main\n");
    place.settings({ localServers: [], permissions: { deny: ["write(denied.txt)"] } });
    await addHooks(place, hooksFile("PreToolUse", matcher, rewrite(input)), "--files", "write");
    await go(place);
    const [outcome] = outcomes(place);
    expect(outcome).toBeDefined();
    expect(outcome?.state).not.toBe("ok");
    const path = String(input.file_path);
    expect(existsSync(path.startsWith("/") ? path : join(place.cwd, path))).toBe(false);
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(false);
  });

  it("is done where it passes: the twin", LONG_ONLY, async () => {
    const place = await calling({ name: "write", input: { path: "a.txt", content: "x" } });
    const settings = hooksFile("PreToolUse", "Write", rewrite({ file_path: "b.txt", content: "x" }));
    await addHooks(place, settings, "--files", "write");
    await go(place);
    expect(outcomes(place)[0]?.state).toBe("ok");
    expect(existsSync(join(place.cwd, "b.txt"))).toBe(true);
  });
});

describe("a hook that misbehaves", () => {
  it.each(
    rows(
      [
        ["hangs", "sleep 300", "it took longer than 1 s"],
        ["floods", "yes", "it wrote more than"],
        [
          "leaves a process that holds its output",
          "sleep 300 & echo '{'",
          "starts like JSON but is not a valid JSON object",
        ],
        ["prints invalid JSON", "echo '{\"decision\": '", "starts like JSON but is not a valid JSON object"],
        ["is not there", "/no/such/program", "it exited with code 127"],
      ],
      theFirst,
    ),
  )("and %s is ended, named once, and stops nothing", async (_, command, words) => {
    const place = await calling(ECHO, ECHO);
    await addHooks(place, hooksFile("PreToolUse", "Bash", { command, timeout: 1 }));
    const run = await go(place);
    expect(outcomes(place).map(({ state }) => state)).toEqual(["ok", "ok"]);
    expect(run.stderr.split(words)).toHaveLength(2);
  });

  it("says more to the model than it takes, and costs no call", LONG_ONLY, async () => {
    const place = await calling(...Array.from({ length: 25 }, () => ECHO));
    await addHooks(
      place,
      hooksFile("PreToolUse", "Bash", { command: decides("allow", { additionalContext: "again" }) }),
    );
    const run = await go(place);
    expect(outcomes(place).map(({ state }) => state)).toEqual(Array.from({ length: 25 }, () => "ok"));
    expect(run.stderr.split("could not be passed to the model")).toHaveLength(2);
  });

  it("with a matcher that no linear engine takes is left out, by name", LONG_ONLY, async () => {
    const place = await calling(ECHO);
    mkdirSync(join(place.cwd, ".claude"), { recursive: true });
    writeFileSync(
      join(place.cwd, ".claude/settings.json"),
      hooksFile("PreToolUse", "(a+)+\\1(?=b)", { command: "exit 2" }),
    );
    const added = await place.run(["add", ".claude/settings.json", "--yes"]);
    expect(added.stdout).toMatch(/hook PreToolUse .* is skipped: .*linear time/);
    await go(place);
    expect(outcomes(place)[0]).toMatchObject({ state: "ok" });
  });
});

describe("the hooks of a plugin", () => {
  it("find their own scripts, and are asked about again when one changes", async () => {
    const place = await calling(ECHO);
    const folder = join(dirname(place.cwd), "guard");
    const put = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    put(".claude-plugin/plugin.json", '{"name":"guard"}');
    put("hooks/hooks.json", hooksFile("PreToolUse", "Bash", { command: "sh $CLAUDE_PLUGIN_ROOT/no.sh" }));
    put("no.sh", "echo no more >&2; exit 2\n");
    expect(await place.run(["add", folder, "--yes"])).toMatchObject({ code: 0, stderr: "" });
    await go(place);
    expect(outcomes(place)[0]?.text).toContain("no more");

    writeFileSync(join(place.home, "packages/guard/no.sh"), "exit 0\n");
    const run = await go(place);
    expect(run.stderr).toContain("guard");
    put("no.sh", "exit 0\n");
    const asking = await place.run(["update", "guard"]);
    expect(asking.code).toBe(3);
    expect(asking.stderr).toContain("Update guard?");
  });
});
