// Members of a crew in worktrees of git, with the real command: each on a branch of its own, under the rules of the main folder, and
// git runs nothing that a repository names.

import { type ChildProcess, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import type { Script, ScriptedTurn } from "../support/model-server.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const RUN = [
  "crew",
  "run",
  "plan.toml",
  "--model",
  "anthropic/x",
  "--permission-mode",
  "acceptEdits",
] as const;

const PLAN = `worktree = true

[[ticket]]
key = "first"
title = "do: first"

[[ticket]]
title = "do: second"
deps = ["first"]
`;
const ONE = PLAN.slice(0, PLAN.lastIndexOf("[[ticket]]"));

/** As a person calls it, with the settings that the repository names. */
function git(cwd: string, ...args: readonly string[]): string {
  const env = { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  return execFileSync("git", [...who, ...args], {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

const write = (path: string, content: string): NonNullable<ScriptedTurn["calls"]> => [
  { name: "write", input: { path, content } },
];

/** Plays the turns of the ticket whose title a request holds. */
function tickets(turns: Readonly<Record<string, readonly ScriptedTurn[]>>): Script {
  const played = new Map<string, number>();
  return ({ rawBody }) => {
    const title = Object.keys(turns).find(
      (each) => rawBody.includes(`do: ${each}`) && !rawBody.includes(`# do: ${each}`),
    );
    const count = played.get(title ?? "") ?? 0;
    played.set(title ?? "", count + 1);
    return turns[title ?? ""]?.[count];
  };
}

async function repository(script: Script, plan = PLAN): Promise<ServedWorkplace> {
  const place = await createServedShared(script);
  git(place.cwd, "init", "-q", "-b", "main");
  place.file("a.txt", "one\n");
  place.file("secret/key.txt", "hush\n");
  git(place.cwd, "add", "-A");
  git(place.cwd, "commit", "-q", "-m", "first");
  place.file("plan.toml", plan);
  return place;
}

const branches = ({ cwd }: ServedWorkplace): readonly string[] =>
  git(cwd, "for-each-ref", "--format=%(refname:short)", "refs/heads/indus").split("\n").filter(Boolean);
const trees = ({ cwd }: ServedWorkplace): readonly string[] => {
  const folder = join(cwd, ".git/worktrees");
  return existsSync(folder) ? readdirSync(folder) : [];
};

it("each ticket is a branch from a commit, what waits for it begins from there, and the main folder stays as it is", async () => {
  const place = await repository(
    tickets({
      first: [{ calls: write("b.txt", "two\n") }, { text: "Made." }],
      second: [{ calls: write("c.txt", "three\n") }, { text: "Made too." }],
    }),
  );
  place.file("a.txt", "mine\n");
  const { code, stdout, stderr } = await place.run(RUN);
  expect([code, stderr.split("\n").length]).toEqual([0, 2]); // that this model is unknown
  const [first = "", second = ""] = branches(place);
  expect(stdout).toContain(`branches: ${first}, ${second}; indus crew merge plan.toml merges them\n`);
  expect([first, second]).toEqual([
    expect.stringMatching(/^indus\/do-first-[0-9a-z]{8}$/),
    expect.stringMatching(/^indus\/do-second-[0-9a-z]{8}$/),
  ]);
  expect(git(place.cwd, "log", "--format=%s", second)).toBe("do: second\ndo: first\nfirst\n");
  expect(git(place.cwd, "ls-tree", "--name-only", second)).toBe("a.txt\nb.txt\nc.txt\nsecret\n");
  expect(git(place.cwd, "status", "--porcelain")).toBe(" M a.txt\n?? plan.toml\n");
  expect(trees(place)).toEqual([]);
  expect(place.server.requests[0]?.rawBody).toContain(`on the branch ${first}`);
});

/** Two members that write, one ticket each; `hold` is what the model waits for before its first answer. */
async function twoThatWrite(
  worktree: boolean,
  hold: (asked: number) => Promise<void> | undefined,
  env: Readonly<Record<string, string>> = {},
) {
  const plan = `worktree = ${worktree}
members = ["coder", "painter"]

[[ticket]]
title = "do: first"
agent = "coder"

[[ticket]]
title = "do: second"
agent = "painter"
`;
  const script: Script = ({ rawBody }, index) => {
    const until = hold(index + 1);
    const path = rawBody.includes("do: first") ? "b.txt" : "c.txt";
    const turn = rawBody.includes("tool_result") ? { text: "Made." } : { calls: write(path, "new\n") };
    return { ...turn, ...(until ? { trouble: { kind: "held", until } } : {}) };
  };
  const place = await repository(script, plan);
  place.file(".indus/agents/painter.md", "---\nname: painter\ndescription: Paints.\n---\nPaint.\n");
  expect((await place.run(RUN, { env })).stdout).toContain("2 done, 0 failed, 0 left (1 round)");
  return place.server.requests.map(({ rawBody }) => (rawBody.includes("do: first") ? "first" : "second"));
}

it("two that write do so at the same time in worktrees, and in turn without (twin)", LONG_ONLY, async () => {
  const both = Promise.withResolvers<void>();
  // The first of the two is answered once the other has asked as well.
  const asked = await twoThatWrite(true, (count) => {
    if (count === 2) both.resolve();
    return count === 1 ? both.promise : undefined;
  });
  expect(new Set(asked.slice(0, 2))).toEqual(new Set(["first", "second"]));
  const inTurn = await twoThatWrite(false, () => undefined);
  expect(inTurn[0]).toBe(inTurn[1]);
  expect(inTurn[2]).toBe(inTurn[3]);
});

/** A `git` before the real one: `adding` is done around each `git worktree add`, with the real one as "$@". */
function gitAround(adding: string): { readonly PATH: string; readonly notes: string } {
  const folder = mkdtempSync(join(tmpdir(), "indus-git-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const notes = join(folder, "notes");
  const isAdding = `case "$*" in *" worktree add "*) ;; *) exec ${real} "$@" ;; esac`;
  const script = `#!/bin/sh\nnotes=${notes}\n${isAdding}\nset -- ${real} "$@"\n${adding}\n`;
  writeFileSync(join(folder, "git"), script, { mode: 0o755 });
  return { PATH: `${folder}:${process.env.PATH}`, notes };
}

it(
  "of two that begin at once each is made alone: git fails over a worktree that is half there",
  LONG_ONLY,
  async () => {
    const { PATH, notes } = gitAround(
      'mkdir $notes.busy 2>/dev/null && echo alone >> $notes || echo beside >> $notes\n"$@"; code=$?; rmdir $notes.busy; exit $code',
    );
    await twoThatWrite(true, () => undefined, { PATH });
    expect(readFileSync(notes, "utf8")).toBe("alone\nalone\n");
  },
);

it(
  "one that somebody else is just making is waited for (the twin: git fails over it)",
  LONG_ONLY,
  async () => {
    const half = "$GIT_DIR/worktrees/other";
    const { PATH, notes } = gitAround(
      `[ -e $notes ] && exec "$@"\nmkdir -p ${half}; echo /x/.git > ${half}/gitdir; : > ${half}/commondir\n"$@" 2> $notes; code=$?; cat $notes >&2; rm -r ${half}; exit $code`,
    );
    await twoThatWrite(true, () => undefined, { PATH });
    expect(readFileSync(notes, "utf8")).toMatch(/failed to read .*commondir/);
  },
);

it(
  "the rules of the main folder hold in the worktree, by both names of a file, and the main folder is kept too",
  LONG_ONLY,
  async () => {
    const reads = (place: ServedWorkplace): readonly ScriptedTurn[] => [
      {
        calls: ["secret/key.txt", join(place.cwd, "secret/key.txt"), "private.txt"].map((path) => ({
          name: "read",
          input: { path },
        })),
      },
      { text: "Read." },
    ];
    let turns: readonly ScriptedTurn[] = [];
    const place = await repository(({ rawBody }) => turns[rawBody.includes("tool_result") ? 1 : 0], ONE);
    turns = reads(place);
    place.file("private.txt", "mine alone\n");
    git(place.cwd, "add", "private.txt");
    git(place.cwd, "commit", "-q", "-m", "more");
    const bypass = [...RUN.slice(0, -1), "bypass"];
    const twin = await place.run(bypass);
    expect(twin.code).toBe(0);
    const free = place.server.requests.at(-1)?.rawBody ?? "";
    expect([free.split("hush").length - 1, free.includes("mine alone")]).toEqual([2, true]);
    const deny = ["read(secret/**)", `read(/${join(place.cwd, "private.txt")})`];
    place.file(".indus/settings.json", JSON.stringify({ permissions: { deny } }));
    const ruled = await place.run([...bypass, "--new"]);
    expect(ruled.code).toBe(0);
    const held = place.server.requests.at(-1)?.rawBody ?? "";
    expect([held.split("hush").length - 1, held.includes("mine alone")]).toEqual([0, false]);
    expect(ruled.stderr).toContain("indus: 3 calls were refused:");
  },
);

/** What git would run, as it stands in a repository's settings; `%` is the program. */
const HARMLESS_HERE: readonly string[] = [
  "[core]\n\tfsmonitor = %",
  "[core]\n\thooksPath = hooks",
  "[diff]\n\texternal = %",
  '[diff "x"]\n\ttextconv = %',
  "[core]\n\tpager = %\n[pager]\n\tlog = %",
  "[alias]\n\tworktree = !%",
  "[gpg]\n\tprogram = %\n[commit]\n\tgpgSign = true",
];

it(
  "what a repository's settings and hooks name is not run (the twin: git by itself runs it)",
  LONG_ONLY,
  async () => {
    const place = await repository(
      tickets({ first: [{ calls: write("b.x", "two\n") }, { text: "Made." }] }),
      ONE,
    );
    const canary = join(place.home, "canary");
    const program = place.file("run.sh", `#!/bin/sh\ntouch ${canary}\nexit 1\n`);
    execFileSync("chmod", ["+x", program]);
    for (const folder of ["hooks", ".git/hooks"])
      for (const hook of [
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "pre-commit",
        "post-commit",
      ]) {
        mkdirSync(join(place.cwd, folder), { recursive: true });
        execFileSync("cp", [program, join(place.cwd, folder, hook)]);
      }
    const config = join(place.cwd, ".git/config");
    const plain = readFileSync(config, "utf8");
    for (const setting of HARMLESS_HERE.slice(0, 2)) {
      writeFileSync(config, `${plain}${setting.replaceAll("%", program)}\n`);
      try {
        git(place.cwd, "status");
        git(place.cwd, "checkout", "-q", "HEAD", "--", ".");
      } catch {
        // the program fails on purpose
      }
      expect(existsSync(canary)).toBe(true);
      execFileSync("rm", [canary]);
    }
    writeFileSync(config, `${plain}${HARMLESS_HERE.join("\n").replaceAll("%", program)}\n`);
    writeFileSync(join(place.cwd, ".git/info/attributes"), "*.x diff=x\n");
    const { code } = await place.run(RUN);
    expect(code).toBe(0);
    expect((await place.run(["crew", "merge", "plan.toml"])).code).toBe(0);
    expect([existsSync(join(place.cwd, "b.x")), existsSync(canary)]).toEqual([true, false]);
  },
);

type Lay = (place: ServedWorkplace) => void;
const setting =
  (text: string): Lay =>
  ({ cwd }) =>
    writeFileSync(join(cwd, ".git/config"), `${readFileSync(join(cwd, ".git/config"), "utf8")}${text}\n`);
const moveGit = ({ cwd, home }: ServedWorkplace): string => {
  renameSync(join(cwd, ".git"), join(home, "elsewhere"));
  return join(home, "elsewhere");
};

it(
  "a repository whose programs cannot be blanked, or that leads elsewhere, is refused before a model is asked",
  LONG_ONLY,
  async () => {
    const cases: readonly (readonly [Lay, string])[] = [
      [setting('[filter "x"]\n\tsmudge = touch canary'), "the repository sets filter.smudge"],
      [setting("[include]\n\tpath = /x"), "the repository sets include.path"],
      [setting('[includeIf "gitdir:/"]\n\tpath = /x'), "the repository sets includeif.path"],
      [setting('[merge "x"]\n\tdriver = touch canary'), "the repository sets merge.driver"],
      [setting('[remote "o"]\n\tpromisor = true'), "the repository sets remote.promisor"],
      [({ cwd, home }) => symlinkSync(home, join(cwd, ".git/worktrees")), ".git/worktrees is a symlink"],
      [(place) => symlinkSync(moveGit(place), join(place.cwd, ".git")), ".git is not a folder"],
      [
        (place) => writeFileSync(join(place.cwd, ".git"), `gitdir: ${moveGit(place)}\n`),
        ".git is not a folder",
      ],
      [({ cwd }) => writeFileSync(join(cwd, ".git/commondir"), "/x\n"), "refers to another repository"],
      [(place) => void place.file("plan.toml", `commit = "v9"\n${ONE}`), 'has no commit "v9"'],
    ];
    const place = await repository(() => undefined, ONE);
    const start = join(place.home, "start");
    execFileSync("cp", ["-a", place.cwd, start]);
    for (const [lay, said] of cases) {
      execFileSync("rm", ["-rf", place.cwd, join(place.home, "elsewhere"), join(place.home, "crews")]);
      execFileSync("cp", ["-a", start, place.cwd]);
      lay(place);
      const { code, stderr } = await place.run(RUN);
      expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
    }
    expect(place.server.requests).toEqual([]);
  },
);

it("a file that passes through a filter is said, and nothing is left behind", async () => {
  const place = await repository(() => undefined, ONE);
  place.file(".gitattributes", "*.txt filter=x\n");
  git(place.cwd, "add", ".gitattributes");
  git(place.cwd, "commit", "-q", "-m", "filtered");
  const { code, stdout } = await place.run(RUN);
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining("a.txt uses the filter x, a program that is not run"),
  ]);
  expect([branches(place), trees(place), place.server.requests]).toEqual([[], [], []]);
});

it(
  "a .git that a member plants is not obeyed, and a repository that it makes stays where it is (the twin obeys)",
  LONG_ONLY,
  async () => {
    let asked = 0;
    let command = "";
    const place = await repository(
      () => [{ calls: [{ name: "bash", input: { command } }] }, { text: "Planted." }][asked++],
      ONE,
    );
    const [evil, canary] = [join(place.home, "evil"), join(place.home, "canary")];
    command = [
      `git init -q ${evil} && git -C ${evil} config core.fsmonitor 'touch ${canary}; false'`,
      `printf 'gitdir: %s\\n' ${evil}/.git > .git && git status; mv ${canary} ${canary}-twin`,
      "echo two > b.txt; git init -q sub && echo in > sub/c.txt",
    ].join("\n");
    const { code, stdout, stderr } = await place.run([...RUN.slice(0, -1), "bypass"]);
    expect(code).toBe(0);
    expect([existsSync(`${canary}-twin`), existsSync(canary)]).toEqual([true, false]);
    const [branch = ""] = branches(place);
    expect(git(place.cwd, "ls-tree", "--name-only", branch)).toBe("a.txt\nb.txt\nsecret\n");
    expect(stderr).toContain("indus: 1 worktree left in ");
    const [name = ""] = trees(place);
    const { stdout: status } = await place.run(["crew", "status", "plan.toml", "--json"]);
    expect(status).toContain("Its worktree is kept because it contains repositories (sub/)");
    const cleaned = await place.run(["crew", "clean"]);
    expect([cleaned.code, cleaned.stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(`/trees/${name} is kept: it contains repositories \\(sub/\\)\n$`)),
    ]);
    expect(stdout).not.toContain(canary);
  },
);

it(
  "merge takes over what fits, says what does not, and leaves files with changes of the person's alone",
  LONG_ONLY,
  async () => {
    const made = (path: string): readonly ScriptedTurn[] => [
      { calls: [{ name: "bash", input: { command: `echo ${path} >> ${path}` } }] },
      { text: "Made." },
    ];
    const titles = ["fits", "busy", "clashes"];
    const plan = ["worktree = true", ...titles.map((title) => `[[ticket]]\ntitle = "do: ${title}"`)].join(
      "\n",
    );
    const place = await repository(
      tickets({ fits: made("b.txt"), busy: made("a.txt"), clashes: made("secret/key.txt") }),
      plan,
    );
    expect((await place.run([...RUN.slice(0, -1), "bypass"])).code).toBe(0);
    place.file("secret/key.txt", "louder\n");
    git(place.cwd, "commit", "-q", "-a", "-m", "meanwhile");
    place.file("a.txt", "mine\n");
    const { code, stdout } = await place.run(["crew", "merge", "plan.toml"]);
    expect(code).toBe(1);
    expect(stdout.replace(/-[0-9a-z]{8}:/g, ":").split("\n")).toEqual([
      "indus/do-fits: merged, 1 file changed",
      "indus/do-busy: uncommitted changes in the same files: a.txt; nothing was merged",
      "indus/do-clashes: 1 conflict: secret/key.txt; nothing was merged",
      "",
    ]);
    expect(git(place.cwd, "status", "--porcelain")).toBe(" M a.txt\n?? plan.toml\n");
    expect(
      ["a.txt", "b.txt", "secret/key.txt"].map((name) => readFileSync(join(place.cwd, name), "utf8")),
    ).toEqual([...["mine\n", "b.txt\n", "louder\n"]]);
    git(place.cwd, "checkout", "-q", "a.txt");
    const again = await place.run(["crew", "merge", "plan.toml"]);
    expect(again.stdout).toMatch(/fits-\w+: already merged\n.*busy-\w+: merged, 1 file changed\n/);
    expect(git(place.cwd, "log", "-1", "--format=%s %an")).toMatch(/^Merge indus\/do-busy-\w{8} indus\n$/);
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\na.txt\n");
    place.file(".git/MERGE_HEAD", "");
    expect((await place.run(["crew", "merge", "plan.toml"])).stderr).toContain(
      "in the middle of another merge",
    );
  },
);

it(
  "what a kill leaves is found: the next run goes on in it, and clean keeps it on the branch",
  LONG_ONLY,
  async () => {
    const silence: ScriptedTurn = { text: "Never said.", trouble: { kind: "silence", after: 0 } };
    const turns: readonly ScriptedTurn[] = [{ calls: write("b.txt", "two\n") }, silence, silence];
    let asked = 0;
    const place = await repository(() => turns[asked++], ONE);
    for (const count of [2, 3]) {
      let child: ChildProcess | undefined;
      const ended = place.run(RUN, {
        onStart: (started) => {
          child = started;
        },
      });
      await until(() => asked === count);
      const busy = await place.run(["crew", "clean"]);
      expect([busy.code, busy.stdout]).toEqual([
        1,
        expect.stringContaining(" is kept: a crew is working there ("),
      ]);
      child?.kill("SIGKILL");
      await ended;
    }
    const [branch = ""] = branches(place);
    const cleaned = await place.run(["crew", "clean"]);
    expect([cleaned.code, cleaned.stdout]).toEqual([
      0,
      expect.stringMatching(
        /\/trees\/do-first-\w{8} removed; its uncommitted work is now on indus\/do-first-/,
      ),
    ]);
    expect(git(place.cwd, "show", `${branch}:b.txt`)).toBe("two\n");
    expect([trees(place), branches(place)]).toEqual([[], [branch]]);
    expect((await place.run(["crew", "clean"])).stdout).toBe("no crew worktrees are left\n");
  },
);

it(
  "worktrees that are left are named by status and doctor, truly after --new, and put away by name",
  LONG_ONLY,
  async () => {
    const empty = { text: "" };
    const place = await repository(() => empty, ONE);
    const first = await place.run(RUN);
    const [old = ""] = trees(place);
    const goesOn = (name: string): string =>
      `: ${name}. The next run continues there; indus crew clean ${name} commits`;
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining(goesOn(old))]);
    const status = await place.run(["crew", "status", "plan.toml"]);
    expect([status.code, status.stderr]).toEqual([0, expect.stringContaining(goesOn(old))]);

    const anew = await place.run([...RUN, "--new"]);
    const [made = ""] = trees(place).filter((name) => name !== old);
    expect(anew.stderr).toContain(goesOn(made));
    expect(anew.stderr).toContain(
      `: ${old}. No run continues in these worktrees: their tickets are done or no longer exist; indus crew clean ${old} commits`,
    );
    const doctor = await place.run(["doctor"]);
    const both = [old, made].sort();
    expect(doctor.stdout).toContain(`No crew is working there; indus crew clean ${both.join(" ")} commits`);
    expect(doctor.stdout).toContain(`2 worktrees left in `);

    const wrong = await place.run(["crew", "clean", "nobodys"]);
    expect([wrong.code, wrong.stdout]).toEqual([
      1,
      "worktree not found: no crew of this folder has nobodys\n",
    ]);
    const cleaned = await place.run(["crew", "clean", old]);
    expect([cleaned.code, cleaned.stdout]).toEqual([
      0,
      expect.stringContaining(`/${old} removed; its work is on`),
    ]);
    expect(trees(place)).toEqual([made]);
    expect((await place.run(["doctor"])).stdout).toContain(`1 worktree left in `);
  },
);

it("an addon of the main folder that is not committed guards the worktree", LONG_ONLY, async () => {
  const command = "echo in > c.txt";
  const place = await repository(
    tickets({
      first: [
        { calls: [{ name: "bash", input: { command } }, ...write("b.txt", "two\n")] },
        { text: "Done." },
      ],
    }),
    ONE,
  );
  place.file(
    ".indus/addons/guard/manifest.toml",
    'id = "guard"\nversion = "1.0.0"\ndescription = "Guards."\n\n[[gate]]\nevent = "tool:before"\nmatch-tool = "write"\nmatch-arg = "path"\nglob = ["*"]\nreason = "nothing is written by this tool"\n',
  );
  const { code } = await place.run([...RUN.slice(0, -1), "bypass", "--grant", "guard"]);
  expect(code).toBe(0);
  const told = place.server.requests.at(-1)?.rawBody ?? "";
  expect(told).toContain("nothing is written by this tool");
  const [branch = ""] = branches(place);
  expect(git(place.cwd, "ls-tree", "--name-only", branch)).toBe("a.txt\nc.txt\nsecret\n");
});
