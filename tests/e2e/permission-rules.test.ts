// Permission rules, with the real command: what a person forbids does not run, in either spelling and in every mode, and a
// rule that could not match ends the start.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finished, Workplace } from "../support/indus.ts";
import { firstOf, LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest, Script, ScriptedTurn } from "../support/model-server.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { createServedShared, createServedWorkplace } from "../support/served-workplace.ts";

const README = new URL("../../README.md", import.meta.url);
const BYPASS = ["--model", "anthropic/x", "--permission-mode", "bypass"] as const;
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);

/** Every way in which the model may try: a command, one in the background, each tool that reads or writes a file. */
const ATTEMPTS: readonly ScriptedTurn[] = [
  {
    calls: [
      { name: "bash", input: { command: "rm victim.txt" } },
      { name: "process", input: { action: "start", command: "rm victim.txt" } },
    ],
  },
  {
    calls: [
      { name: "read", input: { path: ".env" } },
      { name: "grep", input: { pattern: "hunter" } },
      { name: "grep", input: { pattern: "hunter", path: ".env" } },
      { name: "ls", input: { path: "secrets" } },
      { name: "find", input: { pattern: "*.txt", path: "secrets" } },
    ],
  },
  {
    calls: [
      { name: "write", input: { path: "locked/a.txt", content: "x" } },
      { name: "edit", input: { path: "locked/b.txt", oldText: "old", newText: "new" } },
    ],
  },
  { calls: [{ name: "webfetch", input: { url: "http://127.0.0.1:8009/" } }] },
  { text: "done" },
];

const RULES: readonly (readonly string[])[] = [
  ["Bash(rm:*)", "Read(**/.env)", "Read(./secrets/**)", "Edit(locked/**)", "WebFetch(domain:127.0.0.1)"],
  ["bash(rm:*)", "read(.env)", "read(secrets)", "write(locked/**)", "webfetch(127.0.0.1)"],
  ["shell(rm *)", "READ(.env)", "Read(/secrets)", "Write(//PLACE/locked/**)", "web_fetch(domain:127.*)"],
];

async function prepared(
  script: Script = ATTEMPTS,
): Promise<Workplace & { requests: readonly RecordedRequest[] }> {
  const { server, ...place } = await createServedShared(script);
  place.file("victim.txt", "precious");
  place.file(".env", "TOKEN=hunter2\n");
  place.file("secrets/plan.txt", "invade\n");
  place.file("locked/b.txt", "old\n");
  return { ...place, requests: server.requests };
}

/** What got through. */
function damage(place: Workplace & { requests: readonly RecordedRequest[] }): readonly string[] {
  const seen = sent(place.requests.at(-1));
  const open = {
    "rm ran": !existsSync(join(place.cwd, "victim.txt")),
    "a folder was listed": seen.includes("plan.txt"),
    "a file was read": seen.includes("hunter2"),
    "a file was written": existsSync(join(place.cwd, "locked/a.txt")),
    "a file was edited": readFileSync(join(place.cwd, "locked/b.txt"), "utf8") !== "old\n",
    "a host was asked": !seen.includes("webfetch was not run"),
  };
  return Object.entries(open).flatMap(([what, happened]) => (happened ? [what] : []));
}

const denied = (rules: readonly string[], { cwd }: Workplace): readonly string[] =>
  rules.flatMap((rule) => ["--deny", rule.replace("/PLACE", cwd)]);

const denials = RULES.map((rules) => [rules.join(" "), rules] as const);
describe.each(rows(denials, theFirst))("--deny %s", (_name, rules) => {
  const modes: readonly (readonly [
    string,
    (place: Workplace, flags: readonly string[]) => Promise<Finished>,
  ])[] = [
    ["-p", ({ run }, flags) => run(["-p", "go", ...BYPASS, ...flags])],
    ["--json", ({ run }, flags) => run(["--json", "go", ...BYPASS, ...flags])],
    ["the console", ({ run }, flags) => run([...BYPASS, ...flags], { stdin: "go\n" })],
  ];

  it.each(modes)("refuses in %s, where nothing else would", async (_mode, start) => {
    const place = await prepared();
    const { code } = await start(place, denied(rules, place));
    expect(place.requests).toHaveLength(ATTEMPTS.length);
    expect([code, damage(place)]).toEqual([0, []]);
    expect(sent(place.requests.at(-1)).match(/denies it/g)?.length).toBeGreaterThan(5);
  });
});

it("the twin: without the rules all of it happens", LONG_ONLY, async () => {
  const place = await prepared();
  await place.run(["-p", "go", ...BYPASS]);
  expect(damage(place)).toEqual(expect.arrayContaining(["rm ran", "a file was read", "a file was written"]));
});

it(
  "a rule on reading holds however a command mentions the file (twin: without the rule the model reads it)",
  LONG_ONLY,
  async () => {
    const commands = [
      "git show HEAD:.env",
      "git -C secrets show HEAD:../.env",
      "bash <<'END'\ncat .env\nEND",
      "echo 'cat .env' | sh",
      `node -p 'require("fs").readFileSync(".env", "utf8")'`,
      "awk 'BEGIN { while ((getline line < \".env\") > 0) print line }'",
      `cat \${G:-.env}`,
      "cat $(echo .env)",
      "for f in .e*; do cat $f; done",
      `cat .env #${"x".repeat(20_000)}`,
    ];
    const turns = [
      ...commands.map((command) => ({ calls: [{ name: "bash", input: { command } }] })),
      { text: "done" },
    ];
    for (const rules of [["--deny", "read(**/.env)"], []]) {
      const place = await prepared(turns);
      const git = ["init -q", "add -f .env", "-c user.name=x -c user.email=x@x.test commit -qm x"];
      for (const words of git) spawnSync("git", words.split(" "), { cwd: place.cwd });
      await place.run(["-p", "go", ...BYPASS, ...rules]);
      const read = sent(place.requests.at(-1));
      expect(read.split("hunter2").length - 1).toBe(rules.length > 0 ? 0 : commands.length);
      expect(read.split(/denies it|may apply to it/).length - 1).toBe(rules.length > 0 ? commands.length : 0);
    }
  },
);

it("a command that may read files that it does not name is refused under a rule on reading, outside of a sandbox (twin: without the rule the model reads it)", async () => {
  const commands = [
    "grep -r TOKEN .",
    "find . -type f -exec cat {} +",
    "tar c . | tr -d '\\0'",
    "cat .e*",
    "cp -r . ../copy && cat ../copy/.e*",
  ];
  const turns: readonly ScriptedTurn[] = [
    ...commands.map((command) => ({ calls: [{ name: "bash", input: { command } }] })),
    { calls: [{ name: "bash", input: { command: "grep invade secrets/plan.txt" } }] },
    { text: "done" },
  ];
  const ALLOWED = ["--model", "anthropic/x", "--sandbox", "off", "--allow", "bash"];
  for (const mode of [BYPASS, ALLOWED]) {
    const place = await prepared(turns);
    const { stderr } = await place.run(["-p", "go", ...mode, "--deny", "read(**/.env)"]);
    const read = sent(place.requests.at(-1));
    expect(read).not.toContain("hunter2");
    expect(read).toContain("invade"); // it names its file
    expect(read.split("may read files that it does not name")).toHaveLength(commands.length + 1);
    expect(stderr).toContain("read(**/.env)");
    const { stdout } = await place.run([
      "why",
      `bash(${commands[0]})`,
      ...mode.slice(2),
      "--deny",
      "read(**/.env)",
    ]);
    expect(stdout).toContain(
      `the rule "read(**/.env)" may apply to it: "${commands[0]}" may read files that it does not name`,
    );
    const twin = await prepared(turns);
    await twin.run(["-p", "go", ...mode]);
    expect(sent(twin.requests.at(-1)).split("TOKEN=hunter2")).toHaveLength(commands.length + 1);
  }
});

describe("the same rules from other places", () => {
  const [RULE_LIST = []] = RULES;
  const TRY_RM: Script = [
    { calls: [{ name: "bash", input: { command: "rm victim.txt" } }] },
    { text: "done" },
  ];

  it("from the person's settings and from the repository's", LONG_ONLY, async () => {
    for (const write of [
      (place: Workplace) => place.settings({ localServers: [], permissions: { deny: RULE_LIST } }),
      (place: Workplace) =>
        place.file(".indus/settings.json", JSON.stringify({ permissions: { deny: RULE_LIST } })),
    ]) {
      const place = await prepared();
      write(place);
      await place.run(["-p", "go", ...BYPASS]);
      expect(damage(place)).toEqual([]);
    }
  });

  it.each(["Bash(rm:*)", "bash(rm *)"])("as an ask rule: %s, with nobody to ask", async (rule) => {
    const place = await prepared(TRY_RM);
    place.settings({ localServers: [], permissions: { ask: [rule] } });
    await place.run(["-p", "go", ...BYPASS]);
    expect(sent(place.requests[1])).toContain("asks first");
    expect(existsSync(join(place.cwd, "victim.txt"))).toBe(true);
  });

  it("an allow rule in Claude's spelling allows what it says, and nothing more", async () => {
    const place = await prepared([
      { calls: [{ name: "bash", input: { command: "cp victim.txt copy.txt" } }] },
      { calls: [{ name: "bash", input: { command: "cp victim.txt other.txt; rm victim.txt" } }] },
      { text: "done" },
    ]);
    await place.run(["-p", "go", "--model", "anthropic/x", "--allow", "Bash(cp victim.txt:*)"]);
    expect(existsSync(join(place.cwd, "copy.txt"))).toBe(true);
    expect(existsSync(join(place.cwd, "other.txt"))).toBe(false);
    expect(existsSync(join(place.cwd, "victim.txt"))).toBe(true);
  });

  it("the README's own rule covers git diff, and no file that it writes or that lies elsewhere", async () => {
    const [, rule = ""] = /"(bash\(git diff \*\))"/.exec(readFileSync(README, "utf8")) ?? [];
    const commands = [
      "git diff --no-index --output=out.txt victim.txt .env",
      "git diff --no-index victim.txt .env",
    ];
    const script = [...commands, "git diff --stat"].map((command) => ({
      calls: [{ name: "bash", input: { command } }],
    }));
    const place = await prepared([...script, { text: "done" }]);
    await place.run(["-p", "go", "--model", "anthropic/x", "--allow", rule]);
    const seen = sent(place.requests.at(-1));
    expect(seen).toContain(
      'the rule \\"bash(git diff *)\\" does not cover --no-index, which it does not mention',
    );
    expect(seen.match(/Refused: bash/g)).toHaveLength(2);
    expect(existsSync(join(place.cwd, "out.txt"))).toBe(false);
    const twin = await prepared([...script.slice(0, 1), { text: "done" }]);
    await twin.run([
      "-p",
      "go",
      "--model",
      "anthropic/x",
      "--allow",
      "bash(git diff --no-index --output=* *)",
    ]);
    expect(readFileSync(join(twin.cwd, "out.txt"), "utf8")).toContain("hunter2");
  });

  it(
    "an allow rule with a star covers no command that runs another program or writes outside",
    LONG_ONLY,
    async () => {
      const commands = ["git submodule foreach 'touch ran'", "cp victim.txt ../copied.txt"];
      const script = commands.map((command) => ({ calls: [{ name: "bash", input: { command } }] }));
      const run = async (...allow: readonly string[]): Promise<readonly boolean[]> => {
        const place = await prepared([...script, { text: "done" }]);
        await place.run([
          "-p",
          "go",
          "--model",
          "anthropic/x",
          ...allow.flatMap((rule) => ["--allow", rule]),
        ]);
        const isTold = sent(place.requests.at(-1)).includes(
          "does not cover ../copied.txt, which it does not mention",
        );
        return [existsSync(join(place.cwd, "../copied.txt")), isTold];
      };
      expect(await run("bash(git *)", "bash(cp *)")).toEqual([false, true]);
      expect(await run("bash(git *)", "bash(cp * ../*)")).toEqual([true, false]);
    },
  );

  it("hold for a delegate, and task(name) keeps work from it", LONG_ONLY, async () => {
    const handOn: ScriptedTurn = {
      calls: [{ name: "task", input: { agent: "coder", objective: "clean up" } }],
    };
    const script: Script = ({ rawBody }) => {
      const isDelegate = rawBody.includes("You are the delegate coder");
      const isSecond = rawBody.includes('"tool_result"');
      if (isSecond) return { text: "done" };
      return isDelegate ? { calls: [{ name: "bash", input: { command: "rm victim.txt" } }] } : handOn;
    };
    const outcomes: Record<string, readonly [boolean, number]> = {};
    for (const rule of ["Bash(rm:*)", "Task(coder)", "agent(coder)", "Read(unrelated)"]) {
      const place = await prepared(script);
      await place.run(["-p", "go", ...BYPASS, "--deny", rule]);
      outcomes[rule] = [existsSync(join(place.cwd, "victim.txt")), place.requests.length];
    }
    expect(outcomes).toEqual({
      "Bash(rm:*)": [true, 4],
      "Task(coder)": [true, 2],
      "agent(coder)": [true, 2],
      "Read(unrelated)": [false, 4], // the twin
    });
  });

  it("hold in the rehearsal", async () => {
    const { run } = await prepared([]);
    const refused = await run(["--rehearse", "--deny", "Bash(node --test:*)"]);
    expect(refused.stdout).toContain("bash node --test  refused");
    const wrong = await run(["--rehearse", "--deny", "Bsh(node)"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('did you mean "Bash"')]);
  });
});

describe("a rule that can match nothing ends the start with exit code 2, before the model is asked", () => {
  const CASES: readonly (readonly [string, string])[] = [
    ["Bsh(rm:*)", 'unknown tool "Bsh"; did you mean "Bash"?'],
    ["bsh(rm)", 'unknown tool "bsh"; did you mean "bash"?'],
    ["Raed(.env)", 'did you mean "Read"?'],
    ["outsid(git push)", 'did you mean "outside"?'],
    ["Outside(git push)", 'did you mean "outside"?'],
    ["wefbetch", 'did you mean "webfetch"?'],
    ["task(codr)", 'unknown delegate "codr"; did you mean "coder"?'],
    ["Read(~root/x)", "only ~/ is supported"],
    ["WebFetch(https://example.com/a)", "write WebFetch(domain:example.com)"],
    ["todo_set(x)", "takes no pattern"],
    ["websearch(cats)", "write websearch"],
    ["Bash(rm:*),Read(.env)", "write one rule for each tool"],
    ["Bash(rm:*, ls:*)", "write one rule for each command"],
    ["Bash(/rm/)", "not a regular expression"],
    ["bash(", "is not a permission rule"],
  ];

  const MODES: readonly (readonly string[])[] = [["-p", "go"], ["--json", "go"], []];

  // Each rule meets one way to run in turn, and the first of them every way.
  it.each(
    rows(
      CASES.map((each, at) => [...each, at] as const),
      ([, , at]) => at % 8 === 0,
    ),
  )("--deny %s", async (rule, told, at) => {
    const represents = (_: unknown, of: number): boolean => at === 0 || of === at % MODES.length;
    for (const mode of rows(MODES, represents)) {
      const { run, requests } = await prepared();
      const { code, stdout, stderr } = await run([...mode, ...BYPASS, "--deny", rule], { stdin: "go\n" });
      expect([code, stdout, requests.length]).toEqual([2, "", 0]);
      expect(stderr.split("\n").filter(Boolean)).toEqual([expect.stringContaining(`--deny: "${rule}`)]);
      expect(stderr).toContain(told);
    }
  });

  const PLACES = [
    ["ask", "person"],
    ["deny", "person"],
    ["deny", "repository"],
    ["ask", "repository"],
  ] as const;
  // In the short form each place meets one rule.
  it.each(
    rows(
      PLACES.map((place, at) => [...place, at] as const),
      firstOf(([, whose]) => whose),
    ),
  )("permissions.%s in the settings of the %s", async (list, whose, at) => {
    for (const [rule, told] of rows(CASES, (_, index) => index === at)) {
      const place = await prepared();
      const value = { localServers: [], permissions: { [list]: ["bash(ls)", rule] } };
      if (whose === "person") place.settings(value);
      else place.file(".indus/settings.json", JSON.stringify({ permissions: value.permissions }));
      const { code, stderr } = await place.run(["-p", "go", ...BYPASS]);
      const file = whose === "person" ? join(place.home, "settings.json") : ".indus/settings.json";
      if (whose === "person") expect([code, place.requests.length]).toEqual([2, 0]);
      // A repository's mistake ends nobody's start, and takes the mode bypass away.
      else
        expect(stderr).toMatch(/the permission mode is (?:auto|acceptEdits): it is unknown what .* refuses/);
      expect(stderr).toContain(`${file}: permissions.${list}: "${rule}`);
      expect(stderr).toContain(told);
    }
  });

  it("an unknown name with nothing near: an error as a flag, one line for each list in settings", async () => {
    for (const name of ["deploy", "mcp__github__*", "Skill(review)"]) {
      const place = await prepared([{ text: "done" }]);
      const refused = await place.run(["-p", "go", ...BYPASS, "--deny", name]);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`"${name}": no tool "`)]);
      place.settings({ localServers: [], permissions: { deny: [name, "mcp__x__y"], allow: [name] } });
      const { code, stderr } = await place.run(["-p", "go", ...BYPASS]);
      expect(code).toBe(0);
      const lines = stderr.split("\n").filter((line) => line.includes(": no tool "));
      expect(lines).toHaveLength(2);
      expect(lines[0]).toContain(`"${name}"`);
    }
  });

  it("an allow rule that covers nothing is told, and the session starts: it lets nothing through", async () => {
    const place = await prepared([{ text: "done" }]);
    place.settings({ localServers: [], permissions: { allow: ["Bsh(ls)", "Bash(a && b:*)", "bash("] } });
    const { code, stderr } = await place.run(["-p", "go", ...BYPASS]);
    expect(code).toBe(0);
    for (const rule of ["Bsh(ls)", "Bash(a && b:*)", "bash("]) expect(stderr).toContain(`"${rule}"`);
  });

  it("the tools of addons count, once they are loaded", LONG_ONLY, async () => {
    const place = await prepared([{ calls: [{ name: "shout", input: {} }] }, { text: "done" }]);
    place.file(
      ".indus/addons/shout.ts",
      `export function register(s) { s.addTool({ name: "shout", description: "x", parameters: { type: "object" }, run: () => "HO" }); }\n`,
    );
    const { stderr } = await place.run(["-p", "go", ...BYPASS, "--grant", "shout", "--deny", "shout"]);
    expect(sent(place.requests[1])).toContain('the rule \\"shout\\" denies it');
    const pattern = await place.run(["-p", "go", ...BYPASS, "--grant", "shout", "--deny", "shout(HO)"]);
    expect([pattern.code, pattern.stderr]).toEqual([2, expect.stringContaining("write shout")]);
    const near = await place.run(["-p", "go", ...BYPASS, "--grant", "shout", "--deny", "shuot"]);
    expect([near.code, near.stderr]).toEqual([2, expect.stringContaining('did you mean "shout"')]);
    expect(stderr).not.toContain("no tool ");
  });
});

describe("settings whose rules cannot be known end the start", () => {
  it.each([
    ["a list that is none", { permissions: { deny: "Bash(rm:*)" } }],
    ["a list of something else", { permissions: { ask: [{ tool: "bash" }] } }],
    ["a misspelt list", { permissions: { denny: ["bash"] } }],
    ["a misspelt key", { permisions: { deny: ["bash"] } }],
    ["permissions that are a list", { permissions: ["bash"] }],
    ["a mode that is none", { permissions: { mode: "readonly" } }],
  ])("%s", async (_what, value) => {
    const place = await prepared();
    place.settings({ localServers: [], ...value });
    const { code, stderr } = await place.run(["-p", "go", "--model", "anthropic/x"]);
    expect([code, place.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain(`${join(place.home, "settings.json")}: "perm`);
  });

  it.each([
    [
      "broken in front of a deny rule",
      '{ "model": "anthropic/x", oops, "permissions": { "deny": ["bash"] } }',
    ],
    ["without the quotes of a name", '{ "permissions": { mode: "read-only" } }'],
    ["with a name twice", '{ "permissions": { "deny": ["bash"], "deny": ["ls"] } }'],
    ["a folder in its place", undefined],
  ])("%s", async (_what, text) => {
    const place = await prepared();
    const path = join(place.home, "settings.json");
    rmSync(path);
    if (text === undefined) mkdirSync(path);
    else writeFileSync(path, text);
    const { code, stderr } = await place.run(["-p", "go", "--model", "anthropic/x"]);
    expect([code, place.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain("No session and no addon starts until indus can read what it refuses");
  });
});

it.skipIf(lacks("git", isInstalled("git")))(
  "rm passes like an edit for a file that git has byte for byte, and not for what a filter made another one of",
  async () => {
    const lines = ["rm plain.txt", "rm large.bin"];
    const place = await createServedWorkplace((_, at) => {
      const command = lines[at];
      return command === undefined ? { text: "Done." } : { calls: [{ name: "bash", input: { command } }] };
    });
    place.file(".gitattributes", "*.bin filter=lossy\n");
    const [plain, large] = [place.file("plain.txt", "plain\n"), place.file("large.bin", "the content\n")];
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: place.cwd });
    git("init", "-q");
    git("-c", "filter.lossy.clean=wc -c", "add", "."); // it keeps the size alone
    const ended = await place.run([
      ...["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "acceptEdits"],
    ]);
    expect(ended.code).toBe(3); // nobody could be asked about the second one
    expect([existsSync(plain), existsSync(large)]).toEqual([false, true]);
  },
);
