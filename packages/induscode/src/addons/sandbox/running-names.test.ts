// What a background job in the sandbox, or what a command left running, makes under a protected name is moved away as after a command, and reported; what approved work
// elsewhere makes stays, and so does what an unconfined job makes (the twin).

import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localShell, type Shell } from "indusagi/capabilities";
import { describe, expect, it, onTestFinished } from "vitest";
import { processesOf } from "../../../../../tests/isolation/processes.ts";
import { rows, theFirst } from "../../../../../tests/support/long-form.ts";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { createCommandScene } from "../../../../../tests/support/test-command-scene.ts";
import { levelOf, strongAt } from "../../../../../tests/support/test-levels.ts";
import { until } from "../../../../../tests/support/until.ts";
import { confineCommands } from "./command-sandbox.ts";
import { createRunningNames } from "./running-names.ts";

const JOB =
  "mkdir src/.vscode && echo 1 > src/.vscode/tasks.json; echo x > src/later.md; echo x > src/other.md; touch src/began; " +
  "until test -e src/go; do sleep 0.05; done; echo registry=x > src/.npmrc; echo done";

/** A job and its output, up to the moment when it has made the first name. */
async function startJob(shell: Shell, root: string) {
  let said = "";
  let hasEnded = false;
  const handle = shell.spawn(JOB, {
    cwd: root,
    onOutput: (_stream, chunk) => {
      said += chunk.toString();
    },
  });
  handle.onExit(() => {
    hasEnded = true;
  });
  onTestFinished(() => handle.kill("SIGKILL"));
  await until(() => existsSync(join(root, "src/began")));
  return {
    async end(): Promise<string> {
      writeFileSync(join(root, "src/go"), "");
      await until(() => hasEnded);
      return said;
    },
  };
}

async function sceneHere() {
  const scene = await createCommandScene();
  onTestFinished(() => scene.close());
  return { ...scene, at: (name: string) => existsSync(join(scene.root, "src", name)) };
}

describe.each(rows(["bubblewrap", "landlock"] as const, theFirst))("a job at the level %s", (level) => {
  const isThere = strongAt(level)?.level === levelOf(level);

  it.skipIf(lacksLevel(level, isThere))("leaves nothing new under a protected name", async () => {
    const { root, home, env, at } = await sceneHere();
    const strong = strongAt(level);
    if (strong === undefined) throw new Error("it was there a moment ago");
    const facts = { root, personHome: home, env, withhold: [], isWritable: true, network: "off" } as const;
    const imported = ["later.md", "agreed.md", "never.md"].map((name) => join(root, "src", name));
    const refuses = { documents: () => imported };
    const { shell, outside, close } = confineCommands(strong, { ...facts, refuses });
    onTestFinished(async () => void (await close()));
    const job = await startJob(shell, root);
    expect(at(".vscode")).toBe(true);
    const { note } = await shell.exec("true", { cwd: root, signal: new AbortController().signal });
    expect(note).toMatch(
      /src\/\.vscode was moved to \S+put-away-1-\.vscode, because it takes effect automatically later/,
    );
    expect([at(".vscode"), at("put-away-1-.vscode")]).toEqual([false, true]);
    // What instructions import and was not there; what nothing imports stays.
    expect(note).toMatch(/src\/later\.md was moved to .* takes effect automatically later/);
    expect([at("later.md"), at("put-away-1-later.md"), at("other.md")]).toEqual([false, true, true]);
    await outside(async () => {
      for (const name of [".envrc", "agreed.md"]) writeFileSync(join(root, "src", name), "agreed to");
    }, ["src/.envrc", "src/agreed.md"]);
    expect(await job.end()).toMatch(/^done\nsandbox: \S+src\/\.npmrc was moved to/);
    expect([at(".npmrc"), at(".envrc"), at("agreed.md")]).toEqual([false, true, true]);
  });
});

/** Makes the name again and again; `"$0"` names the process. */
const LOOP = "while :; do echo evil >src/AGENTS.md; done";
const MADE = "until test -e src/AGENTS.md; do :; done";

/** Ways to go on writing, each with the level at which it is ended surely; absent: at both. */
const WRITERS = {
  "a job": { spawn: `sh -c '${LOOP}' MARKER` },
  "what a job leaves when it ends": { spawn: `sh -c '${LOOP}' MARKER >/dev/null 2>&1 & ${MADE}` },
  "a job that left its group": { spawn: `setsid sh -c '${LOOP}' MARKER & wait` },
  "what a command leaves": { exec: `sh -c '${LOOP}' MARKER >/dev/null 2>&1 & ${MADE}` },
  "a job that hides its environment": {
    spawn: `env -i setsid sh -c '${LOOP}' MARKER >/dev/null 2>&1 & wait`,
    only: "bubblewrap",
  },
} as const;

describe.each(rows(["bubblewrap", "landlock"] as const, theFirst))(
  "at the end of a session at the level %s",
  (level) => {
    const isThere = strongAt(level)?.level === levelOf(level);
    const writers = Object.entries(WRITERS).filter(([, how]) => !("only" in how) || how.only === level);

    it.skipIf(lacksLevel(level, isThere)).each(writers)(
      "%s is ended before what it made is moved away",
      async (name, how) => {
        const { root, home, env, at } = await sceneHere();
        const strong = strongAt(level);
        if (strong === undefined) throw new Error("it was there a moment ago");
        const facts = {
          root,
          personHome: home,
          env,
          withhold: [],
          isWritable: true,
          network: "off",
        } as const;
        const { shell, close } = confineCommands(strong, facts);
        const marker = join(root, "loop");
        if ("spawn" in how) shell.spawn(how.spawn.replace("MARKER", marker), { cwd: root });
        else
          await shell.exec(how.exec.replace("MARKER", marker), {
            ...{ cwd: root, signal: new AbortController().signal },
          });
        if ("spawn" in how) await until(() => at("AGENTS.md") || at("put-away-1-AGENTS.md"));
        const told = await close();
        expect([at("AGENTS.md"), processesOf(marker)]).toEqual([false, []]);
        if (name === "a job") expect(told.join()).toMatch(/src\/AGENTS\.md was moved to/);
      },
    );

    it.skipIf(lacksLevel(level, isThere))(
      "(the twin) a sweep before that leaves what it makes next",
      async () => {
        const { root, home, env, at } = await sceneHere();
        const strong = strongAt(level);
        if (strong === undefined) throw new Error("it was there a moment ago");
        const facts = {
          root,
          personHome: home,
          env,
          withhold: [],
          isWritable: true,
          network: "off",
        } as const;
        const { shell, outside, close } = confineCommands(strong, facts);
        onTestFinished(async () => void (await close()));
        shell.spawn(LOOP, { cwd: root });
        await until(() => at("AGENTS.md"));
        await outside(async () => undefined, []); // sweeps
        await until(() => at("AGENTS.md"));
      },
    );
  },
);

it("the twin: without a sandbox all of it stays", async () => {
  const { root, env, at } = await sceneHere();
  const shell = localShell({ env });
  const job = await startJob(shell, root);
  await shell.exec("true", { cwd: root, signal: new AbortController().signal });
  expect(await job.end()).toBe("done\n");
  expect([at(".vscode"), at(".npmrc")]).toEqual([true, true]);
});

describe("while approved work runs elsewhere", () => {
  function jobIn() {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "indus-job-")));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const names = createRunningNames({ root, isWritable: true, dyingMs: 0 });
    names.begin();
    const job = localShell({ onStarted: names.started }).spawn("exec sleep 600", { cwd: root });
    onTestFinished(() => job.kill("SIGKILL"));
    const make = (name: string) => writeFileSync(join(root, name), "");
    return { ...names, make, at: (name: string) => existsSync(join(root, name)), root };
  }

  it("what a job makes meanwhile is put away, and what the work says that it writes stays", async () => {
    const { outside, sweep, told, make, at, root } = jobIn();
    await outside(async () => {
      make(".npmrc"); // by the job
      make(".envrc");
    }, [".envrc"]);
    sweep();
    expect([at(".npmrc"), at(".envrc")]).toEqual([false, true]);
    expect(told()).toEqual([{ from: join(root, ".npmrc"), to: join(root, "put-away-1-.npmrc") }]);
  });

  it("of a command, which may write anything, it stays and is reported (without a job, nothing is)", async () => {
    const { outside, sweep, told, make, at, root } = jobIn();
    await outside(async () => make(".npmrc"), undefined);
    sweep();
    expect(at(".npmrc")).toBe(true);
    expect(told()).toEqual([{ from: join(root, ".npmrc"), isAnybodys: true }]);
    expect(told()).toEqual([]);
    const idle = createRunningNames({ root, isWritable: true, dyingMs: 0 });
    await idle.outside(async () => make(".envrc"), undefined);
    expect(idle.told()).toEqual([]);
  });
});
