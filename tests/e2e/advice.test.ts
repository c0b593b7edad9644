// What a message tells a person to write works when they write it.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest, Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/x"] as const;
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);

/** The words of a command line, as a shell reads them; escapes need one that a person types into. */
function wordsOf(line: string): readonly string[] {
  const { stdout } = spawnSync(line.includes("$'") ? "bash" : "sh", ["-c", `printf '%s\\0' ${line}`], {
    encoding: "utf8",
  });
  return stdout.split("\0").slice(0, -1);
}

const ADDON = (name: string): string =>
  `// /// indus-addon
// [[capability]]
// kind = "network"
// purpose = "test"
// hosts = ["api.example.com"]
// reason = "test"
// ///
export function register(s) {
  s.addCommand("${name}", { summary: "x", run: (c) => c.say("hello from ${name}") });
  s.addTool({ name: "${name}_tool", description: "x", parameters: { type: "object" }, run: () => "it ran" });
}\n`;

describe("a call that is refused because nobody is there to ask names a rule", () => {
  const CALLS: Readonly<Record<string, (cwd: string) => { readonly name: string; readonly input: object }>> =
    {
      "a command": () => ({
        name: "bash",
        input: { command: "mkfifo pipe; echo 'it is' > out.txt; cat out.txt" },
      }),
      "a command of many words": () => ({
        name: "bash",
        input: { command: `env -u X echo ${"word ".repeat(40)}` },
      }),
      "a command of many lines": () => ({
        name: "bash",
        input: { command: "echo 'it'\\''s \\\\n'\nenv -u X echo\ttwo" },
      }),
      "a command in another folder": () => ({ name: "bash", input: { command: "env -u X pwd", cwd: "sub" } }),
      "a background job": () => ({
        name: "process",
        input: { action: "start", command: "env -u X echo started" },
      }),
      "a file outside": (cwd) => ({
        name: "read",
        input: { path: join(cwd, "../outside [1]/a {b,c}*.txt") },
      }),
      "writing outside": (cwd) => ({ name: "write", input: { path: join(cwd, "../new.txt"), content: "x" } }),
      "editing a file that acts later": () => ({ name: "write", input: { path: ".npmrc", content: "x" } }),
      "an addon's tool": () => ({ name: "far_tool", input: {} }),
    };

  it.each(rows(Object.entries(CALLS), ([what]) => what === "a command"))(
    "%s: with it the call passes",
    async (_what, call) => {
      const script: Script = ({ rawBody }) =>
        rawBody.includes('"tool_result"') ? { text: "done" } : { calls: [call(cwd)] };
      const { run, file, server, cwd } = await createServedShared(script);
      mkdirSync(join(cwd, "sub"));
      mkdirSync(join(cwd, "../outside [1]"));
      writeFileSync(join(cwd, "../outside [1]/a {b,c}*.txt"), "found");
      file("far.ts", ADDON("far"));
      const flags = [...MODEL, "--addon", "far.ts", "--grant", "far"];
      await run(["-p", "go", ...flags]);
      const [, rule = ""] =
        /--allow (\S.*?)(?: or --permission-mode bypass)? to permit it\./.exec(
          JSON.parse(
            `"${/"(Refused: [^"\\]*(?:\\.[^"\\]*)*)"/.exec(sent(server.requests[1]))?.[1]}"`,
          ) as string,
        ) ?? [];
      expect(rule).not.toBe("");
      await run(["-p", "go", ...flags, "--allow", ...wordsOf(rule)]);
      expect(server.requests).toHaveLength(4);
      expect(sent(server.requests[3])).not.toContain("Refused");
    },
  );

  it("but where an ask rule asks, which no flag answers", async () => {
    const { run, settings, server } = await createServedShared([
      { calls: [{ name: "bash", input: { command: "ls" } }] },
      { text: "done" },
    ]);
    settings({ localServers: [], permissions: { ask: ["bash(ls)"] } });
    await run(["-p", "go", ...MODEL]);
    expect(sent(server.requests[1])).toContain("No flag overrides it: start on a terminal");
    expect(sent(server.requests[1])).not.toContain("--allow");
  });

  it("an ask rule on a tool that touches nothing asks as well", async () => {
    const { run, settings, server } = await createServedShared([
      { calls: [{ name: "todo_read", input: {} }] },
      { text: "done" },
    ]);
    settings({ localServers: [], permissions: { ask: ["TodoRead"] } });
    await run(["-p", "go", ...MODEL, "--permission-mode", "bypass"]);
    expect(sent(server.requests[1])).toContain('the rule \\"TodoRead\\" asks first');
  });
});

describe("an addon from any place", () => {
  it("is loaded with --addon after the usual question, and with the flag that its absence names", async () => {
    const { run, cwd } = await createServedShared([]);
    const path = join(cwd, "../elsewhere/far.ts");
    mkdirSync(join(cwd, "../elsewhere"));
    writeFileSync(path, ADDON("far"));
    const untrusted = await run(["-p", "/far", "--addon", "../elsewhere/far.ts"]);
    expect(untrusted.stderr).toContain(`user:far at ${path} is not trusted yet`);
    const [, grant = ""] = /pass (--grant \S+)/.exec(untrusted.stderr) ?? [];
    const trusted = await run(["-p", "/far", "--addon", "../elsewhere/far.ts", ...wordsOf(grant)]);
    expect([trusted.code, trusted.stdout]).toEqual([0, "hello from far\n"]);
    expect((await run(["-p", "/far", ...wordsOf(grant)])).stdout).toBe(""); // the twin
    const listed = await run(["addons", "--addon", path, "--grant", "far"]);
    expect(listed.stdout).toContain("user:far  enabled");
    const helped = await run(["--help", "--addon", path, "--grant", "far"]);
    expect(helped.stdout).toContain("/far");
    const checked = await run(["doctor", "--addon", path]);
    expect(checked.stdout).toContain(`user:far  ${path}`);
  });

  it.each(rows(["pkg", "pkg/manifest.toml", "link"], theFirst))(
    "as the folder %s, whole, by the content of its real place",
    async (named) => {
      const { run, file, cwd } = await createServedShared([]);
      file("pkg/manifest.toml", 'id = "pack"\n[[command]]\nname = "pack"\nsummary = "x"\n');
      symlinkSync("pkg", join(cwd, "link"));
      const { stdout } = await run(["addons", "--addon", named, "--grant", "pack"]);
      expect(stdout).toContain("user:pack  enabled");
      expect(stdout).toContain("/pack");
    },
  );

  it(
    "with the setting addons.paths; a path that leads nowhere is told, and the others are loaded",
    LONG_ONLY,
    async () => {
      const { run, settings, cwd, home } = await createServedShared([]);
      writeFileSync(join(home, "mine.ts"), ADDON("mine"));
      writeFileSync(join(cwd, "../far.ts"), ADDON("far"));
      const paths = ["~/mine.ts", join(cwd, "../far.ts"), "/nowhere/x.ts"];
      settings({ localServers: [], addons: { paths, grant: ["mine", "far"] } });
      const byName = await run(["-p", "/far"]);
      const pinned = [...byName.stderr.matchAll(/for the one at \S+ use "(\S+)"/g)].map(([, grant]) => grant);
      expect(pinned).toHaveLength(2); // a name reaches what lies in the home folder only
      settings({ localServers: [], addons: { paths, grant: pinned } });
      for (const command of ["mine", "far"]) {
        const { stdout, stderr } = await run(["-p", `/${command}`]);
        expect(stdout).toBe(`hello from ${command}\n`);
        expect(stderr).toContain("/nowhere/x.ts not found");
      }
      expect((await run(["--help"])).stdout).toContain("/mine");
      settings({ localServers: [], addons: { paths: ["relative.ts"] } });
      expect((await run(["addons"])).stdout).toContain('"addons.paths" must be a list of paths');
    },
  );

  it("is an error of the command line where there is none", async () => {
    const { run, server } = await createServedShared([{ text: "unused" }]);
    const { code, stderr } = await run(["-p", "go", ...MODEL, "--addon", "nothing.ts"]);
    expect([code, server.requests.length]).toEqual([1, 0]);
    expect(stderr).toMatch(/^indus: --addon: .*nothing\.ts not found/);
  });

  it("that is found and named is one addon", LONG_ONLY, async () => {
    const { run, file } = await createServedShared([]);
    file(".indus/addons/far.ts", ADDON("far"));
    const { stdout } = await run(["addons", "--addon", ".indus/addons/far.ts", "--grant", "far"]);
    expect(stdout.match(/:far {2}/g)).toEqual([":far  "]);
    expect(stdout).not.toContain("is taken by");
  });

  it(
    "that is a link among the addons is loaded by the path that its message asks for",
    LONG_ONLY,
    async () => {
      const { run, file, cwd } = await createServedShared([]);
      const real = file("elsewhere/far.ts", ADDON("far"));
      mkdirSync(join(cwd, ".indus/addons"), { recursive: true });
      symlinkSync(real, join(cwd, ".indus/addons/far.ts"));
      expect((await run(["addons"])).stdout).toContain("--addon PATH");
      const { stdout } = await run(["-p", "/far", "--addon", real, "--grant", "far"]);
      expect(stdout).toBe("hello from far\n");
    },
  );
});

describe("paths of indus addon are those of where the person stands", () => {
  it.each(rows([["check"], ["test"], ["dev"]], theFirst))("%s PATH --cwd FOLDER", async (verb) => {
    const { run, file, cwd } = await createServedShared([]);
    mkdirSync(join(cwd, "project"));
    file("lib/far.ts", ADDON("far"));
    file("lib/far.expect.toml", '[[expect]]\nrun = "/far"\nsays = "hello from far"\n');
    const options = verb === "dev" ? { stdin: "/far\n/quit\n" } : {};
    const { code, stdout, stderr } = await run(["addon", verb, "lib/far.ts", "--cwd", "project"], options);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("far");
    if (verb === "dev") expect(stdout).toContain(`${cwd}/project`);
  });

  it("what indus addon new and check say comes next can be typed there", LONG_ONLY, async () => {
    const { run, cwd, file } = await createServedShared([]);
    mkdirSync(join(cwd, "my project"));
    let told = await run(["addon", "new", "far", "--kind", "ts", "--cwd", "my project"]);
    const seen: string[] = [];
    for (let step = 0; step < 2; step++) {
      const [, next = ""] = /^next: indus (.*)$/m.exec(told.stdout) ?? [];
      seen.push(next.split(" ")[1] ?? "");
      told = await run(wordsOf(next));
      expect([next, told.code]).toEqual([next, 0]);
    }
    expect(seen).toEqual(["check", "test"]);
    file("bare.ts", ADDON("bare"));
    const missing = await run(["addon", "test", "bare.ts"]);
    const [, flags = ""] = /indus -p "TASK" (--addon .*?);/.exec(missing.stderr) ?? [];
    const recorded = await createServedShared([{ text: "done" }]);
    const { code } = await recorded.run(["-p", "go", ...MODEL, ...wordsOf(flags)]);
    expect(code).toBe(0);
    expect(existsSync(join(cwd, "bare.cassette.jsonl"))).toBe(true);
    expect((await run(["addon", "test", "bare.ts"])).code).toBe(0);
    expect(readFileSync(join(cwd, "bare.cassette.jsonl"), "utf8")).toContain("done");
  });
});
