// `indus session cassette` and `indus session replay`, by the real command: a session is played again offline, in a copy of its folder,
// and the first thing that is another one now is reported with who caused it.

import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const MODEL = ["--model", "anthropic/scripted", "--permission-mode", "bypass"] as const;
const call = (name: string, input: unknown) => ({ calls: [{ name, input }] }) as never;
const DONE = { text: "Done." };

const GUARD = `export const register = (s) => s.interceptTool("bash", {
  enter: ({ args }) => (String(args.command).includes("deploy") ? { stop: true, reason: "no deploys" } : undefined),
});
`;

const SECRET = "violet-harbour-4417-lantern-58";

const PROGRAM = `answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$1"; }
while IFS= read -r message; do
  id=\${message#*\\"id\\":}
  id=\${id%%[!0-9]*}
  case $message in
    *'"method":"describe"'*) answer '{"protocol":1,"handlers":[{"event":"tool:before","kind":"gate"}]}' ;;
    *'"method":"event"'*) answer '{"stop":true,"reason":"guarded"}' ;;
    *'"method":"cancel"'*) ;;
    *) answer '{}' ;;
  esac
done
`;

async function recorded(checkpoints = "all") {
  const place = await createServedShared([
    call("write", { path: "notes.txt", content: "first" }),
    call("bash", { command: "date +%N > stamp.txt; cat stamp.txt" }),
    DONE,
    call("edit", { path: "notes.txt", oldText: "first", newText: "second" }),
    call("bash", { command: "echo deploy; touch deployed" }),
    DONE,
  ]);
  place.settings({ localServers: [], checkpoints });
  place.file("kept.txt", "as it was");
  await place.run(["-p", "write a note", ...MODEL]);
  await place.run(["-p", "-c", "and deploy", ...MODEL]);
  const log = place.logs()[0] ?? "";
  const id = basename(log, ".jsonl");
  const files = () =>
    readdirSync(place.cwd, { recursive: true, encoding: "utf8" })
      .filter((name) => !name.startsWith(".indus"))
      .sort()
      .map((name) => [name, readFileSync(join(place.cwd, name), "utf8")]);
  return { ...place, log, id, files };
}

describe("indus session replay", () => {
  it("plays a session as it was, with its files and its folder untouched; then an addon or a setting makes it another, and is named", async () => {
    const place = await recorded();
    const [before, logBefore] = [place.files(), readFileSync(place.log, "utf8")];
    const asked = place.server.requests.length;
    const temporary = join(dirname(place.cwd), "tmp");
    mkdirSync(temporary);
    const own = { env: { TMPDIR: temporary } };
    const same = await place.run(["session", "replay", place.id], own);
    expect([same.stdout, same.stderr, same.code]).toEqual([
      `${place.id}: 2 lines replayed offline in a copy of ${place.cwd} as it was before the session, as far as its checkpoints record it\nNo difference: each request, answer, call, decision and outcome is as recorded.\n`,
      "",
      0,
    ]);

    const guard = place.file("guard.mjs", GUARD);
    const guarded = await place.run(["session", "replay", place.id, "--addon", guard], own);
    expect(guarded.stdout).toContain("First difference: line 2, entry ");
    expect(guarded.stdout).toContain("no deploys (user:guard)\n");
    expect(guarded.stdout).toContain("caused by  user:guard");
    expect(guarded.code).toBe(1);

    const strict = place.file(
      "strict.json",
      JSON.stringify({ localServers: [], permissions: { deny: ["bash(echo deploy)"] } }),
    );
    const denied = await place.run(["session", "replay", place.id, "--settings", strict, "--json"], own);
    expect(JSON.parse(denied.stdout)).toMatchObject({
      first: { line: 2, what: "decision", of: "bash" },
      cause: expect.stringContaining("permissions.deny: bash(echo deploy)"),
    });
    expect([guarded.stderr, denied.stderr, denied.code]).toEqual(["", "", 1]);

    rmSync(guard);
    rmSync(strict);
    expect(place.files()).toEqual(before); // nothing outside of the copy
    expect(readFileSync(place.log, "utf8")).toBe(logBefore);
    expect(place.logs()).toEqual([place.log]);
    expect(place.server.requests).toHaveLength(asked);
    expect(readdirSync(temporary).filter((name) => name.startsWith("indus-replay-"))).toEqual([]);
  });

  it("settings that cannot be read are named as the person's own, not as the copy", LONG_ONLY, async () => {
    const place = await createServedShared([DONE]);
    await place.run(["-p", "go", "--model", "anthropic/x"]);
    const id = basename(place.logs()[0] ?? "", ".jsonl");
    const given = place.file("given.json", "{ oops }");
    writeFileSync(join(place.home, "settings.json"), "{ oops }");
    for (const [path, args] of [
      [join(place.home, "settings.json"), []],
      [given, ["--settings", given]],
    ] as const)
      expect((await place.run(["session", "replay", id, ...args])).stderr).toMatch(
        `indus: ${path}, line 1, `,
      );
  });

  it("a line for which the person chose another thinking is played with it", LONG_ONLY, async () => {
    const place = await createServedShared([DONE, DONE]);
    place.settings({ localServers: [] });
    await place.run(["-p", "one", ...MODEL, "--thinking", "low"]);
    await place.run(["-p", "-c", "two", ...MODEL, "--thinking", "high"]);
    const id = basename(place.logs()[0] ?? "", ".jsonl");
    const { stdout, code } = await place.run(["session", "replay", id]);
    expect(stdout).toContain("No difference:");
    expect(code).toBe(0);
  });

  it("a line that a kill ended is as it was: stopped there", LONG_ONLY, async () => {
    const place = await createServedShared([{ text: "One", trouble: { kind: "silence", after: 0 } }, DONE]);
    place.settings({ localServers: [] });
    const children: ChildProcess[] = [];
    const onStart = (child: ChildProcess): void => void children.push(child);
    const ended = place.runAlone(["-p", "one", ...MODEL], { onStart });
    await until(() => place.server.requests.length === 1);
    children[0]?.kill("SIGKILL");
    await ended;
    await place.run(["-p", "-c", "two", ...MODEL]);
    const { stdout } = await place.run(["session", "replay", basename(place.logs()[0] ?? "", ".jsonl")]);
    expect(stdout).toMatch(/: 2 lines replayed .*\nNo difference: /);
  });

  it(
    "without checkpoints says that the folder is as it is now, and names a document that changed since as a difference of nobody's",
    LONG_ONLY,
    async () => {
      const place = await recorded("off");
      writeFileSync(join(place.cwd, "AGENTS.md"), "Always say please.\n");
      const { stdout, code } = await place.run(["session", "replay", place.id]);
      expect(stdout).toContain("as it is now: the session has no checkpoints");
      expect(stdout).toMatch(/First difference: line 1, entry \d+: request, system prompt\n/);
      expect(code).toBe(1);
      const guard = place.file("guard.mjs", GUARD);
      const guarded = await place.run(["session", "replay", place.id, "--addon", guard]);
      expect(guarded.stdout).toContain("caused by  user:guard"); // the document is not its doing
    },
  );
});

describe("indus addon test --session", () => {
  // Each stops the same call with the same words, so the session with one of them is the test of every other.
  const KINDS: readonly (readonly [string, string, string, ((place: Workplace) => unknown) | undefined])[] = [
    [
      "TypeScript",
      "guard.ts",
      `export const register = (s: any) => s.interceptTool("bash", { enter: () => ({ stop: true, reason: "REASON" }) });`,
      undefined,
    ],
    [
      "Python",
      "guard.py",
      `from induscode.addons import GateDecision, InterceptorStage
def register(surface):
    surface.intercept_tool("bash", InterceptorStage(enter=lambda c: GateDecision(stop=True, reason="REASON")))
`,
      undefined,
    ],
    [
      "a manifest",
      "guard/manifest.toml",
      'id = "guard"\n[[gate]]\nevent = "tool:before"\nmatch-tool = "bash"\nreason = "REASON"\n',
      undefined,
    ],
    [
      "a program",
      "guard/manifest.toml",
      'id = "guard"\n[run]\ncommand = ["sh", "guard.sh"]\n',
      (place) => place.file(".indus/addons/guard/guard.sh", PROGRAM),
    ],
  ];

  it.each(rows(KINDS, theFirst))(
    "%s: passes as it was, and names the call that a changed one decides otherwise",
    async (_kind, file, text, more) => {
      const place = await createServedShared([call("bash", { command: "echo ran" }), DONE]);
      const at = `.indus/addons/${file}`;
      place.file(at, text.replace("REASON", "guarded"));
      more?.(place);
      await place.run(["-p", "go", ...MODEL, "--grant", "guard"]);
      expect(place.entries().find(({ type }) => type === "tool")).toMatchObject({
        state: "refused",
        text: expect.stringContaining("guarded (project:guard)"),
      });
      const id = basename(place.logs()[0] ?? "", ".jsonl");
      const path = `.indus/addons/${file.split("/")[0]}`;
      const same = await place.run(["addon", "test", path, "--session", id]);
      expect([same.stdout, same.code]).toEqual([expect.stringContaining("No difference: "), 0]);
      if (more) place.file(".indus/addons/guard/guard.sh", PROGRAM.replace("guarded", "changed"));
      else place.file(at, text.replace("REASON", "changed"));
      const other = await place.run(["addon", "test", path, "--session", id, "--json"]);
      expect(other.code).toBe(1);
      expect(JSON.parse(other.stdout)).toMatchObject({
        first: { line: 1, of: "bash", now: expect.stringContaining("changed (project:guard)") },
        cause: "project:guard",
      });
    },
  );
});

it("an addon that does not run is no session that is as it was", LONG_ONLY, async () => {
  const place = await createServedShared([call("bash", { command: "echo ran" }), DONE]);
  await place.run(["-p", "go", ...MODEL]);
  const id = basename(place.logs()[0] ?? "", ".jsonl");
  const broken = place.file("broken.mjs", "export const register = (s) => s.noSuchCall();");
  for (const args of [
    ["addon", "test", broken, "--session", id],
    ["session", "replay", id, "--addon", broken, "--json"],
  ]) {
    const { code, stdout, stderr } = await place.run(args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain('nothing was replayed: the addon "broken" does not run: ');
    expect(stderr).toContain("noSuchCall");
  }
});

it.each(
  rows(
    [
      [
        "from the fact, whatever the words are",
        (line: string) => line.replaceAll("the permission mode is bypass", "x"),
        false,
      ],
      [
        "from the words, in a log without the fact",
        (line: string) => line.replaceAll(',"mode":"bypass"', ""),
        false,
      ],
      [
        "from neither where there is none (the twin)",
        (line: string) =>
          line.replaceAll("the permission mode is bypass", "x").replaceAll(',"mode":"bypass"', ""),
        true,
      ],
    ] as const,
    theFirst,
  ),
)("a session is played in the mode that it had, %s", async (_from, change, isAnother) => {
  const { run, log, id } = await recorded();
  const before = readFileSync(log, "utf8");
  writeFileSync(log, change(before));
  expect(readFileSync(log, "utf8")).not.toBe(before);
  const { stdout } = await run(["session", "replay", id, "--json"]);
  const { differences } = JSON.parse(stdout) as { readonly differences: readonly { readonly now: string }[] };
  expect(differences.some(({ now }) => now.includes("the permission mode is acceptEdits"))).toBe(isAnother);
});

describe("indus session cassette", () => {
  it("makes a cassette of a log that plays the same answers, without the secrets that are known", async () => {
    const place = await createServedShared([
      call("write", { path: "notes.txt", content: `token ${SECRET}` }),
      DONE,
    ]);
    await place.run(["-p", "write a note", ...MODEL]);
    const id = basename(place.logs()[0] ?? "", ".jsonl");
    const secret = { MY_TOKEN: SECRET };
    const made = await place.run(["session", "cassette", id, "-o", "a.jsonl"], { env: secret });
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toContain("The cassette contains the model's 2 answers to your 1 prompt.");
    const tape = readFileSync(join(place.cwd, "a.jsonl"), "utf8");
    expect(tape).not.toContain(SECRET);
    rmSync(join(place.cwd, "notes.txt"));
    const played = await place.run([
      "-p",
      "write a note",
      "--cassette",
      "a.jsonl",
      "--permission-mode",
      "bypass",
    ]);
    expect([played.stdout, played.code]).toEqual(["Done.\n", 0]);
    const printed = await place.run(["session", "cassette", id, "-o", "-"]);
    expect(printed.stdout).toContain(SECRET);
    expect(existsSync(join(place.cwd, `${id}.cassette.jsonl`))).toBe(false);
  });
});

it(
  "indus session verify says since when a request is not explained, which entries and bytes that are, and which addon had a hand in it",
  LONG_ONLY,
  async () => {
    const place = await createServedShared([
      call("bash", { command: "echo ran" }),
      call("bash", { command: "echo again" }),
      DONE,
    ]);
    place.file(
      ".indus/addons/note.mjs",
      `export const register = (s) => s.interceptTool("bash", { exit: ({ result }) => ({ ...result, content: [{ kind: "text", text: "noted" }] }) });`,
    );
    await place.run(["-p", "go", ...MODEL, "--grant", "note"]);
    const [log = ""] = place.logs();
    const lines = readFileSync(log, "utf8").split("\n");
    const at = lines.findIndex((line) => line.includes('"noted"'));
    const whole = await place.run(["session", "verify"]);
    expect([whole.code, whole.stdout]).toEqual([0, expect.stringContaining("Every request is explained")]);
    writeFileSync(
      log,
      lines.map((line, each) => (each === at ? line.replace('"noted"', '"forged"') : line)).join("\n"),
    );
    const { code, stdout } = await place.run(["session", "verify"]);
    const from = Buffer.byteLength(lines.slice(0, at).join("\n")) + 1;
    expect(code).toBe(1);
    expect(stdout).toMatch(/The request at entry \d+ matches; the request at entry \d+ does not match: /);
    expect(stdout).toContain(`  entry ${at}, tool, bytes ${from} to `);
    expect(stdout).toContain("changed by project:note");
  },
);
