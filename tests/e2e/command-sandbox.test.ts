// The model's commands in the sandbox, through the real command: the mode auto runs them unasked, confined; what fails because of that is
// explained; a call may ask to run outside. Each with its twin without the sandbox.

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findBubblewrap } from "../../packages/induscode/src/addons/sandbox/bubblewrap.ts";
import { writeLevelRecord } from "../../packages/induscode/src/addons/sandbox/level-record.ts";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { homePath } from "../../packages/induscode/src/store/home-files.ts";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";
import { lacks } from "../support/needs.ts";

const isConfined = createSandbox().strong() !== undefined;

interface Played {
  readonly place: Workplace;
  readonly code: number | null;
  readonly stderr: string;
  /** What the model read of each call. */
  readonly results: readonly string[];
}

/** One run in which the model makes these calls, one after the other. */
async function play(
  calls: readonly object[],
  args: readonly string[],
  prepare: (place: Workplace) => void = () => undefined,
  mode: "acceptEdits" | "default" = "acceptEdits",
): Promise<Played> {
  const server = await startModelServer([
    ...calls.map((input) => ({
      calls: [
        {
          name: "name" in input ? String(input.name) : "bash",
          input: "input" in input ? (input.input as object) : input,
        },
      ],
    })),
    { text: "Done." },
  ]);
  onTestFinished(() => server.close());
  const place = createSharedWorkplace(server.url, { mode });
  mkdirSync(join(place.cwd, ".git/hooks"), { recursive: true });
  place.file(".git/config", "[core]\n");
  place.file("src/a.txt", "a\n");
  prepare(place);
  const { code, stderr } = await place.run(["-p", "go", "--model", "anthropic/x", ...args]);
  const results = place.entries().flatMap((entry) => (entry.type === "tool" ? [JSON.stringify(entry)] : []));
  return { place, code, stderr, results };
}

const AUTO = ["--permission-mode", "auto"];
const BYPASS = ["--permission-mode", "bypass"];

describe.skipIf(lacks("Landlock", isConfined))("a command in the mode auto", () => {
  it("runs unasked and writes in the working directory; the twin in acceptEdits asks", async () => {
    const command = "mkfifo src/made.txt && echo made";
    const auto = await play([{ command }], AUTO);
    expect(auto.results[0]).toContain("made");
    expect(existsSync(join(auto.place.cwd, "src/made.txt"))).toBe(true);
    const twin = await play([{ command }], []);
    expect(twin.results[0]).toContain("nobody is here to ask");
    expect(existsSync(join(twin.place.cwd, "src/made.txt"))).toBe(false);
  });

  it("plants nothing that acts later, reads no credential and says why it failed; the twin in bypass does all of it", async () => {
    const command =
      'echo x > .git/hooks/pre-commit; echo "[x]" >> .git/config; cat "$HOME/.netrc" && touch "$HOME/planted"';
    const prepare = (place: Workplace): void => {
      writeFileSync(join(place.home, ".netrc"), "canary-of-netrc");
      symlinkSync(place.home, join(place.cwd, ".vscode")); // a repository's link opens nothing
    };
    const { place, results } = await play([{ command }], AUTO, prepare);
    expect(results[0]).not.toContain("canary-of-netrc");
    expect(results[0]).toContain("sandbox: the command ran confined");
    expect(existsSync(join(place.cwd, ".git/hooks/pre-commit"))).toBe(false);
    expect(readFileSync(join(place.cwd, ".git/config"), "utf8")).toBe("[core]\n");
    expect(existsSync(join(place.home, "planted"))).toBe(false);
    const twin = await play([{ command }], BYPASS, prepare);
    expect(twin.results[0]).toContain("canary-of-netrc");
    expect(existsSync(join(twin.place.cwd, ".git/hooks/pre-commit"))).toBe(true);
    expect(existsSync(join(twin.place.home, "planted"))).toBe(true);
  });

  it(
    "says so, too, of a part of a command that ends well, once; the twin in bypass met nothing",
    LONG_ONLY,
    async () => {
      const command = "echo x > .git/hooks/pre-commit || true; echo done";
      const { results } = await play([{ command }, { command }], AUTO);
      expect(results[0]).toContain("the command succeeded but ran confined");
      expect(results[0]).toContain("done");
      expect(results[1]?.match(/succeeded but ran confined/g)).toBeNull();
      expect((await play([{ command }], BYPASS)).results[0]).not.toContain("confined");
    },
  );

  it(
    "asks to run outside, with its reason, and a rule lets it; without one nobody is there to ask",
    LONG_ONLY,
    async () => {
      const command = 'touch "$HOME/reached"';
      const call = { command, outside: "it installs for the person" };
      const { place, results } = await play([call], AUTO);
      expect(results[0]).toContain(
        "it asks to run outside of the sandbox, because: it installs for the person",
      );
      expect(existsSync(join(place.home, "reached"))).toBe(false);
      const allowed = await play([call], [...AUTO, "--allow", `outside(${command})`]);
      expect(existsSync(join(allowed.place.home, "reached"))).toBe(true);
      // The same rule leaves what does not ask for it inside.
      const inside = await play([{ command }], [...AUTO, "--allow", `outside(${command})`]);
      expect(existsSync(join(inside.place.home, "reached"))).toBe(false);
    },
  );

  it(
    "keeps to deny and ask rules inside too: of commands by their words, of files by the kernel",
    LONG_ONLY,
    async () => {
      const read = "sed -n 1p src/secret.txt; cat src/*.txt";
      const prepare = (place: Workplace): void => void place.file("src/secret.txt", "canary-of-rule\n");
      const denied = await play([{ command: "cd src; rm a.txt" }], [...AUTO, "--deny", "bash(rm *)"]);
      expect(denied.results[0]).toContain('the rule \\"bash(rm *)\\" denies it');
      const spread = 'f=secret; cat "src/$f.txt"; cat src/s*.txt';
      const hidden = await play([{ command: spread }], [...AUTO, "--deny", "Read(src/secret.txt)"], prepare);
      expect(hidden.results[0]).not.toContain("canary-of-rule");
      const twin = await play([{ command: read }], AUTO, prepare);
      expect(twin.results[0]).toContain("canary-of-rule");
    },
  );

  it(
    "leaves nothing under a name that acts later and was not there; the twin in bypass does",
    LONG_ONLY,
    async () => {
      const command =
        "echo x > .npmrc; mkdir -p lib/.vscode app/.git; echo {} > lib/.vscode/tasks.json; echo x > app/.git/config; echo y > .git/commondir; mkdir -p src/deep && echo x > src/deep/.envrc; mkdir -p app/.hg lib/.jj/repo; echo x > app/.hg/hgrc; echo x > lib/.jj/repo/config.toml";
      const planted = [
        ".npmrc",
        "lib/.vscode/tasks.json",
        "app/.git/config",
        ".git/commondir",
        "src/deep/.envrc",
        "app/.hg/hgrc",
        "lib/.jj/repo/config.toml",
      ];
      const { place, results } = await play([{ command }], AUTO);
      expect(planted.filter((name) => existsSync(join(place.cwd, name)))).toEqual([]);
      expect(results[0]).toMatch(/was moved to \S+, because it takes effect automatically later/);
      const twin = await play([{ command }], BYPASS);
      expect(planted.filter((name) => existsSync(join(twin.place.cwd, name)))).toEqual(planted);
    },
  );

  it(
    "changes no file that instructions import, nor one that a rule is about, nor puts another in its place; the twin in bypass does",
    LONG_ONLY,
    async () => {
      const names = ["docs/style.md", "conf/limits.txt", "src/deep/style.md", "src/deep/limits.txt"];
      const prepare = (place: Workplace): void => {
        place.file("AGENTS.md", "@docs/style.md and @src/deep/style.md");
        for (const name of names) place.file(name, "good\n");
        const exchange =
          "mv src old; mkdir -p src/deep; echo evil > src/deep/style.md; echo evil > src/deep/limits.txt";
        place.file("change.sh", `echo evil > docs/style.md; echo evil > conf/limits.txt; ${exchange}`);
      };
      const evil = (place: Workplace): readonly string[] =>
        names.filter(
          (name) =>
            existsSync(join(place.cwd, name)) && readFileSync(join(place.cwd, name), "utf8") === "evil\n",
        );
      const { place, results } = await play(
        [{ command: "sh change.sh" }],
        [...AUTO, "--deny", "Edit(limits.txt)"],
        prepare,
      );
      expect(evil(place)).toEqual([]);
      expect(results[0]).toContain("sandbox: ");
      expect(evil((await play([{ command: "sh change.sh" }], BYPASS, prepare)).place)).toEqual(names);
    },
  );

  it(
    "replaces none of them by moving the folder above it, or what is a link; the twin in bypass does",
    LONG_ONLY,
    async () => {
      const names = ["src/deep/AGENTS.md", "lib/.npmrc", "lib/.envrc"];
      const prepare = (place: Workplace): void => {
        place.file(names[0] ?? "", "good\n");
        place.file("lib/npmrc", "good\n");
        symlinkSync("npmrc", join(place.cwd, "lib/.npmrc"));
        symlinkSync("nowhere", join(place.cwd, "lib/.envrc"));
      };
      const command =
        "mv src old; mkdir -p src/deep; echo evil > src/deep/AGENTS.md; cd lib; rm .npmrc; echo evil > .npmrc; echo evil > nowhere";
      const evil = (place: Workplace): readonly string[] =>
        names.filter(
          (name) =>
            existsSync(join(place.cwd, name)) && readFileSync(join(place.cwd, name), "utf8") === "evil\n",
        );
      const { place, results } = await play([{ command }], AUTO, prepare);
      expect(evil(place)).toEqual([]);
      expect(results[0]).toContain("sandbox: ");
      const twin = await play([{ command }], BYPASS, prepare);
      expect(evil(twin.place)).toEqual(names);
    },
  );

  it("is confined in the background too", LONG_ONLY, async () => {
    const command =
      'cat "$HOME/.netrc"; echo x > .git/hooks/pre-push; mkdir src/.vscode; echo {} > src/.vscode/tasks.json; ' +
      "touch src/job.txt; sleep 60";
    const start = { name: "process", input: { action: "start", command } };
    const look = {
      command: "until test -e src/job.txt; do sleep .05; done; ls src",
    };
    const { place, results } = await play([start, look], AUTO, ({ home }) =>
      writeFileSync(join(home, ".netrc"), "canary-of-netrc"),
    );
    expect(results[1]).toContain("job.txt");
    expect(results[1]).toContain("src/.vscode was moved to");
    for (const name of [".git/hooks/pre-push", "src/.vscode"])
      expect(existsSync(join(place.cwd, name)), name).toBe(false);
    expect(results.join()).not.toContain("canary-of-netrc");
  });

  it(
    "writes nothing but temporary files with --sandbox read-only, and a repository may narrow to that",
    LONG_ONLY,
    async () => {
      const command = "echo x > src/new.txt; echo y > $TMPDIR/t && cat $TMPDIR/t";
      for (const [args, prepare] of [
        [[...AUTO, "--sandbox", "read-only"], () => undefined],
        [AUTO, (place: Workplace) => void place.file(".indus/settings.json", '{ "sandbox": "read-only" }')],
      ] as const) {
        const { place, results } = await play([{ command }], args, prepare);
        expect(results[0]).toContain("y\\n");
        expect(existsSync(join(place.cwd, "src/new.txt"))).toBe(false);
      }
      const widened = await play([{ command }], [...AUTO, "--sandbox", "read-only"], (place) => {
        place.file(".indus/settings.json", '{ "sandbox": "off", "network": "on" }');
      });
      expect(existsSync(join(widened.place.cwd, "src/new.txt"))).toBe(false);
    },
  );
});

const level = createSandbox().strong()?.level;

it.skipIf(lacks("Landlock", isConfined))(
  "a command with --network hosts reaches no other host, which the person and the model read (twin: without hosts they read of no network)",
  LONG_ONLY,
  async () => {
    const command = "node -e \"fetch('http://other.invalid/').then((r) => console.log('status', r.status))\"";
    const hosts = await play([{ command }], [...AUTO, "--network", "hosts"], (place) => {
      place.settings({ localServers: [], networkHosts: ["good.invalid"] });
      place.file(".indus/settings.json", '{ "networkHosts": ["other.invalid"] }');
    });
    const named = "other.invalid:80 is refused: the setting networkHosts does not list it";
    const isAlone = level === "bubblewrap";
    expect(hosts.stderr).toContain('"networkHosts" is ignored: a repository may only');
    expect(hosts.stderr.includes(`A command in the sandbox: ${named}`)).toBe(isAlone);
    expect(hosts.results[0]?.includes(`sandbox: ${named}`)).toBe(isAlone);
    expect(hosts.stderr.includes('"hosts" needs bubblewrap')).toBe(!isAlone);
    const twin = await play([{ command }], AUTO);
    expect(twin.stderr + twin.results.join()).not.toContain("networkHosts");
  },
);

it.skipIf(lacks("bubblewrap", level === "bubblewrap"))(
  "a file in /tmp is the sandbox's own, which is said once; the twin in bypass writes the machine's",
  async () => {
    const name = `/tmp/indus-own-${process.pid}`;
    onTestFinished(() => rmSync(name, { force: true }));
    const own = { command: `touch ${name}` };
    const { results } = await play([{ command: "ls src" }, own, { command: `ls ${name}` }], AUTO);
    expect(existsSync(name)).toBe(false);
    expect(results.map((text) => text.includes("/tmp is the sandbox's own"))).toEqual([false, true, false]);
    expect(results[2]).toContain("exit code 0"); // the session's commands share it
    expect((await play([own], BYPASS)).results[0]).not.toContain("sandbox's own");
    expect(existsSync(name)).toBe(true);
  },
);

describe.skipIf(lacks("Landlock", isConfined))("a commit in the sandbox", () => {
  const command =
    "git init -q . && git add src && git commit -qm first && git log -1 --format='by %an <%ae>'";
  const settings =
    '[user]\n\tname = Ada \\"the first\\" L\n\temail = ada@example.invalid\n[alias]\n\tx = !touch made\n';
  const withSettings =
    (text: string) =>
    ({ cwd, home }: Workplace): void => {
      rmSync(join(cwd, ".git"), { recursive: true });
      writeFileSync(join(home, ".gitconfig"), text);
    };

  it("is by the person, and nothing else of their settings is there", async () => {
    const { results } = await play(
      [{ command: `${command}; git config alias.x` }],
      AUTO,
      withSettings(settings),
    );
    expect(results[0]).toContain('by Ada \\"the first\\" L <ada@example.invalid>');
    expect(results[0]).not.toContain("touch made");
    expect(results[0]).not.toContain("signed");
  });

  it(
    "is not signed where the person signs, which is said once, with the first commit",
    LONG_ONLY,
    async () => {
      const signing = `${settings}[commit]\n\tgpgsign = true\n`;
      const again = { command: "git commit --allow-empty -qm again" };
      const { results } = await play([{ command: "ls" }, { command }, again], AUTO, withSettings(signing));
      expect(results[0]).not.toContain("not signed");
      expect(results[1]).toContain("sandbox: commits made in the sandbox are not signed");
      expect(results[2]).not.toContain("not signed");
    },
  );

  it("fails with what to do where the person's settings name nobody", LONG_ONLY, async () => {
    const { results } = await play([{ command }], AUTO, withSettings("[core]\n"));
    expect(results[0]).toContain("Do not invent one: ask the person");
  });

  it("a package manager without a network fails at once, and is told why", LONG_ONLY, async () => {
    const { results } = await play(
      [
        {
          command:
            "echo retries $npm_config_fetch_retries; npm view indus-none --registry http://127.0.0.1:9/",
        },
      ],
      AUTO,
    );
    expect(results[0]).toMatch(/retries 0[\s\S]*has no network access/);
  });
});

it("a server of this machine is out of reach of a command, which is told so", async () => {
  const { results } = await play(
    [
      {
        command: `echo "curl: (7) Failed to connect to 127.0.0.1 port 9: Couldn't connect to server" >&2; exit 7`,
      },
    ],
    AUTO,
  );
  expect(results[0]).toMatch(
    /connect[\s\S]*no network access, not even to servers on this machine[\s\S]*outside/i,
  );
});

describe("the mode that nobody chose", () => {
  const write = { command: "mkfifo src/made.txt && echo made" };
  const look = { command: "cat src/a.txt" };
  const ASKED = ", so indus asks before each command.";
  // As on a machine where nothing but Landlock works.
  const withoutBubblewrap = ({ home }: Workplace): void =>
    writeLevelRecord(homePath(home, "sandboxLevel"), { level: "landlock", abi: 3 }, findBubblewrap());

  it.skipIf(lacks("bubblewrap", level === "bubblewrap"))(
    "is auto where bubblewrap confines commands: they run unasked, outside they are refused",
    async () => {
      const outside = { command: 'touch "$HOME/reached"', outside: "it installs for the person" };
      const { place, results, stderr } = await play([write, outside], [], undefined, "default");
      expect(results[0]).toContain("made");
      expect(results[1]).toContain("nobody is here to ask");
      expect(existsSync(join(place.home, "reached"))).toBe(false);
      expect(stderr).not.toContain(ASKED);
      const { stdout } = await place.run(["why", `bash(${write.command})`]);
      expect(stdout).toContain("passes  (permission mode auto, by default)");
    },
  );

  it(
    "is acceptEdits without bubblewrap, which is said once, with the first command that asks (twin: with one that only looks it is not)",
    LONG_ONLY,
    async () => {
      const { place, results, stderr } = await play([look, write, write], [], withoutBubblewrap, "default");
      expect(results[0]).toContain("exit code 0");
      expect(results[1]).toContain("nobody is here to ask");
      expect(existsSync(join(place.cwd, "src/made.txt"))).toBe(false);
      expect(stderr.split(ASKED)).toHaveLength(2);
      const { stdout, stderr: said } = await place.run(["why", `bash(${write.command})`, "--json"]);
      expect(JSON.parse(stdout)).toMatchObject({ mode: "acceptEdits", isDefaultMode: true, outcome: "ask" });
      expect(said).toContain(ASKED);
      expect((await place.run(["doctor"])).stdout).toContain("permission mode: acceptEdits, by default");
      expect((await play([look], [], withoutBubblewrap, "default")).stderr).not.toContain(ASKED);
    },
  );

  it("is acceptEdits where the sandbox is off, and says nothing about bubblewrap", LONG_ONLY, async () => {
    const { results, stderr } = await play([write], ["--sandbox", "off"], undefined, "default");
    expect(results[0]).toContain("nobody is here to ask");
    expect(stderr).not.toContain("bubblewrap");
  });
});

it.skipIf(lacks("Landlock", isConfined))("`indus why` knows of the sandbox", LONG_ONLY, async () => {
  const place = createSharedWorkplace("http://127.0.0.1:9");
  const { stdout } = await place.run(["why", "bash(npm test)", ...AUTO]);
  expect(stdout).toContain("npm test  passes: it runs in the sandbox");
  const twin = await place.run(["why", "bash(npm test)", ...AUTO, "--sandbox", "off"]);
  expect(twin.stdout).toContain("asks");
});

it("says what a sandbox mode may be", async () => {
  const { code, stderr } = await createSharedWorkplace("http://127.0.0.1:9").run([
    "-p",
    "x",
    "--sandbox",
    "maybe",
  ]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("--sandbox takes off, workspace-write, read-only"),
  ]);
});

it("the person's home is not what the tests looked at", () => {
  expect(existsSync(join(homedir(), "planted"))).toBe(false);
});
