// What a command outside of a sandbox reads below a folder, under rules on reading: refused where a rule names what is there, asked where
// it cannot be told, and not asked where nothing is there. What happens without the rules is the twin.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../feature/decision.ts";
import type { PermissionMode } from "./modes.ts";
import { createPermissions } from "./permissions.ts";
import { type PermissionRule, parseRule } from "./rules.ts";

/** A folder with these files. */
function folder(...files: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "indus-below-")));
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "x");
  }
  return root;
}

const SCENE = ["a.txt", "src/a.ts", "app/.env", "secrets/key", "docs/b.md", "out/c.txt"] as const;

interface Rules {
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly confined?: boolean;
}

async function explained(root: string, command: string, rules: Rules = {}): Promise<Decision> {
  const read = (lines: readonly string[] = []): readonly PermissionRule[] =>
    lines.map((line) => {
      const rule = parseRule(line);
      if ("problem" in rule) throw new Error(rule.problem);
      return rule;
    });
  const { mode = "bypass", confined = false } = rules;
  const permissions = createPermissions({
    policy: { mode, allow: read(rules.allow), ask: read(rules.ask), deny: read(rules.deny) },
    ...{ root, home: join(root, "home"), realPath: localFs().realPath, files: localFs() },
  });
  return permissions.explain({ tool: "bash", accesses: [{ kind: "execute", command, cwd: root }], confined });
}

const outcomeOf = async (root: string, command: string, rules?: Rules): Promise<string> =>
  (await explained(root, command, rules)).outcome;

const DENY = { deny: ["read(**/.env)", "Read(secrets/**)"] };

const READS = [
  "grep -r x .",
  "grep -rn x",
  "grep --recursive x app",
  "grep -d recurse x",
  "egrep -R x app",
  "sudo grep -r x .",
  "cd app && grep -r x .",
  "rg --hidden x app",
  "rg -uuu x",
  "rg x",
  "find . -type f -exec cat {} +",
  "find app -exec grep -l x {} \\;",
  "find . -name '.e*' -exec cat {} \\;",
  "find . -type f | xargs cat",
  "cat secrets/*",
  "cat secre*/key",
  "cat app/.e*",
  "head -1 */k?y",
  "grep -r x *",
  "git grep x",
  "tar c .",
  "tar czf out.tgz app docs",
  "tar -cf out.tar --directory=app .",
  "zip -r out.zip app",
  "cp -r . /tmp/x",
  "cp -a app copy",
  "mv app other",
  "cp -r -t /tmp/x app",
  "cp -r app $TARGET",
  "grep -R x links",
  'grep -r x "$FOLDER"',
  "rsync -a app/ /tmp/x",
  "diff -r app docs",
  "diff -uN app docs",
  "diff app docs/b.md",
  "sh -c 'grep -r x .'",
  "for f in app/.e*; do cat $f; done",
  'for d in app src; do head -1 "$d"/.e*; done',
  "f=secrets/*; cat $f",
  'f="app/".e*; cat $f',
  "set -- app/.e*; cat $1",
  `cd app; for f in .e*; do sed -n 1p \${f}; done`,
  `bash -c 'for f in app/.e*; do cat "$f"; done'`,
  "eval 'for f in app/.e*; do cat $f; done'",
  "echo 'for f in app/.e*; do cat $f; done' | sh",
  `echo "$(for f in app/.e*; do cat $f; done)"`,
  "for f in app/.e*; do while read -r l; do echo $l; done < $f; done",
  "echo it\\'s; for f in app/.e*; do cat $f; done; echo it\\'s",
  "for f in $PWD/app/.e*; do cat $f; done",
  "files=(app/.e*); cat $files",
  "cat app/.\\e*",
  "find . -name '*.ts' | tr ab cd | xargs cat",
  "ls src | xargs -I{} cat app/.e{}",
  "ls src | xargs -a list cat",
  "(ls src; printf 'app/.%s' env) | xargs cat",
  "builtin . app/.e*",
  "bash -c 'cat $1' x app/.e*",
  "cat 'app/.e'*",
  "cat app/{.,}*",
  "cat app/.[[:alpha:]]nv",
  "f='app/.e*'; cat $f",
  "f=app/.e; cat $f*",
  "cat app/.e$(echo n)v",
  "cat app/.@(env|x)",
  "cat < app/.e*",
  "shopt -s dotglob; cat app/*",
  "select f in app/.e*; do cat $f; done",
  `find . -name '.e*' | while read -r f; do cat "$f"; done`,
  "find . -name '.e*' | sort | (read f; cat $f)",
  "for f in $(find app); do cat $f; done",
  "cat $(ls -A app | grep env)",
  "cat `ls app/.e*`",
  "find app > names; for f in $(cat names); do cat $f; done",
] as const;

const READS_NOT = [
  "ls -R",
  "ls *",
  "echo *",
  "cat *",
  "cat src/*",
  "grep x a.txt",
  "diff a.txt docs/b.md",
  "diff src docs",
  "diff <(sort a.txt) <(sort docs/b.md)",
  "grep -r x src docs",
  "rg x src",
  "rg x app", // .env is hidden
  "find . -name '*.ts' -exec cat {} +",
  "find . -name '*.log' -exec rm {} +",
  "find . -type f",
  "find src -type f -exec cat {} +",
  "tar tf out.tgz",
  "tar xf out.tgz",
  "cp a.txt app",
  "cp -r src app",
  "mv a.txt app",
  "npm test",
  "for f in *; do cat $f; done",
  "for f in src/*.ts; do grep 'x.*' \"$f\"; done",
  "for f in app/.e*; do echo $f; done",
  'f=.e*; cat "a.txt"',
  "cat app/[.]env app/?env",
  'cd "$DIR" && npm run test-$X && rm -f out$N.txt',
  "find . -name '*.ts' | grep -v x | sort | xargs cat",
  "find . -name '*.ts' | xargs -I{} cat {}",
  `find . -name '*.ts' | while read -r f; do cat "$f"; done`,
  "for f in $(ls app); do cat app/$f; done",
  "cat $(ls -A)",
  "ls -A app | while read -r f; do echo $f; done",
  "ls -A app | head; npm run $TASK",
  "n=$(find . -type f | wc -l); npm run x -- $n",
  "cat app/.e\\* 'app/.e*'",
  `q='select * from app/.e*'; psql -c "$q"`,
  "case $f in app/.e*) echo skip;; *) cat $f;; esac",
  "[[ $f == app/.e* ]] || cat $f",
  "cat > .gitignore <<'E'\napp/.e*\nE\nnpm run $TASK",
  "(( (i % 2) == 0 )) && echo even",
  "((x = (a + b) / 2)); echo $x",
  "(( a = b > 0 ? b : 0 ))",
  "(( n > limit )) && echo $n",
  'git commit -m "✨ feat: ok ❤️"',
  "printf 'a\u00a0b\r\n' > a.txt",
] as const;

describe("a command that reads below a folder", () => {
  it.each(READS)(
    "is not run where a rule denies what lies there: %s (twin: it is without the rule)",
    async (line) => {
      const root = folder(...SCENE);
      mkdirSync(join(root, "links"));
      symlinkSync(join(root, "app"), join(root, "links/app"));
      expect(await outcomeOf(root, line, DENY)).not.toBe("allow");
      expect(await outcomeOf(root, line)).toBe("allow");
    },
  );

  it.each(READS)("is as free as without rules where nothing of the kind lies there: %s", async (line) => {
    const root = folder("a.txt", "src/a.ts", "app/b.txt", "docs/b.md");
    for (const mode of ["bypass", "acceptEdits"] as const) {
      const plain = await outcomeOf(root, line, { mode });
      // What git shows may come from its history; what a variable holds is not known.
      if (line.includes("$FOLDER") || (line === "git grep x" && mode === "acceptEdits")) continue;
      expect(await outcomeOf(root, line, { mode, deny: ["read(**/.env)", "Read(keys/**)"] })).toBe(plain);
    }
  });

  it.each(READS_NOT)("is not held up by files that it does not read: %s", async (line) => {
    expect(await outcomeOf(folder(...SCENE), line, DENY)).toBe("allow");
  });

  it("is refused with the rule and the file, also under a rule that allows the program", async () => {
    const root = folder(...SCENE);
    for (const rules of [DENY, { ...DENY, mode: "acceptEdits", allow: ["bash(grep *)", "bash"] }] as const) {
      const { outcome, rulings } = await explained(root, "ls && grep -r x app", rules);
      expect([outcome, rulings]).toMatchObject([
        "deny",
        [
          {
            what: "grep -r x app",
            rule: "read(**/.env)",
            why: `the rule "read(**/.env)" denies it: it reads ${root}/app/.env`,
          },
        ],
      ]);
    }
  });

  it("is asked about where a rule asks, and where it cannot be told whether it leaves the file out", async () => {
    const root = folder(...SCENE);
    expect(await explained(root, "grep -r x .", { ask: ["Read(secrets/**)"] })).toMatchObject({
      outcome: "ask",
      rulings: [{ why: `the rule "Read(secrets/**)" asks first: it reads ${root}/secrets/key` }],
    });
    for (const line of [
      "rg x",
      "git grep x",
      "find . -type f | xargs cat",
      "find . -newer a.txt -exec cat {} +",
    ])
      expect(await explained(root, line, { deny: ["Read(secrets/**)"] }), line).toMatchObject({
        outcome: "ask",
        rulings: [{ why: expect.stringContaining(`may read ${root}/secrets/key`) }],
      });
  });

  it("is asked about where too much lies below, and by a link it finds the file that it leads to", async () => {
    const deep = folder("a.txt");
    for (let at = 0; at < 2_100; at++) mkdirSync(join(deep, `d${at}`));
    expect(await explained(deep, "grep -r x .", DENY)).toMatchObject({
      outcome: "ask",
      rulings: [{ why: expect.stringContaining("there is too much below") }],
    });
    const root = folder("secrets/key", "src/a.ts");
    symlinkSync(join(root, "secrets/key"), join(root, "src/link"));
    expect(await outcomeOf(root, "find src -exec cat {} +", DENY)).toBe("deny");
  });

  it("passes in the sandbox, where the kernel hides what rules name", async () => {
    const root = folder(...SCENE);
    expect(await outcomeOf(root, "grep -r x .", { ...DENY, mode: "auto", confined: true })).toBe("allow");
    expect(await outcomeOf(root, "grep -r x .", { ...DENY, mode: "auto" })).toBe("deny");
  });

  it.each([
    "rm app/.e*",
    "rm -rf app",
    "rm -r -- *",
    "mv app other",
    "find . -name '.e*' -delete",
    "find app -exec rm {} +",
    "find . -type f | xargs sed -i s/a/b/",
    "ls -A app | xargs rm",
    "for f in $(ls -A app); do rm app/$f; done",
    "for f in app/.e*; do echo x > $f; done",
    "for d in a*; do rm -rf $d; done",
    "find . -name app -exec rm -r {} +",
    "ls | xargs rm -r",
    "f=app/.e; echo x > $f*",
    "sed -i s/a/b/ app/{.,}*",
  ])(
    "is not run where a rule denies to change what lies there: %s (twins: elsewhere, and without the rule)",
    async (line) => {
      expect(await outcomeOf(folder(...SCENE), line, { deny: ["Edit(app/.env)"] })).not.toBe("allow");
      expect(await outcomeOf(folder("a.txt", "app/b.txt"), line, { deny: ["Edit(app/.env)"] })).toBe("allow");
      expect(await outcomeOf(folder(...SCENE), line)).toBe("allow");
    },
  );

  it.each([
    "rm -rf out node_modules",
    'rm -rf "$TMPDIR/x" out/*',
    "cd $X && mv a.txt b.txt && rm out/*",
    "cp -r app/. other",
    "cat app/* > out/c.txt",
    "find . -name '*.ts' | xargs sed -i s/a/b/",
    "grep -rl x src | xargs sed -i s/a/b/",
    "chmod +x app/*",
  ])("is not held up by files that it does not change: %s", async (line) => {
    const root = folder(...SCENE, "node_modules/x/.env");
    expect(await outcomeOf(root, line, { deny: ["Edit(**/.env)", "Edit(docs/**)"] })).toBe("allow");
  });

  it("of git shows, lists or throws away the files that its index has (twin: a file that it has not)", async () => {
    const root = folder(...SCENE);
    const git = (...words: string[]) => execFileSync("git", ["-C", root, ...words]);
    git("init", "-q");
    git("add", "secrets", "docs", "src");
    for (const line of [
      ...[
        "git show",
        "git diff",
        "git log -p",
        "git stash show -p",
        "git archive HEAD",
        "git format-patch -1",
      ],
      ...[
        "git diff -- secrets",
        "git show HEAD HEAD:docs/b.md",
        "git ls-files | xargs cat",
        "for f in $(git ls-files); do cat $f; done",
      ],
    ]) {
      expect([line, await outcomeOf(root, line, { deny: ["Read(secrets/**)"] })]).not.toEqual([
        line,
        "allow",
      ]);
      expect([line, await outcomeOf(root, line, { deny: ["Read(app/.env)"] })]).toEqual([line, "allow"]);
    }
    for (const line of [
      "git diff --stat",
      "git show HEAD:docs/b.md",
      "git diff -- src",
      "git diff -- . ':!secrets'",
      "git log",
      "git stash list",
    ])
      expect([line, await outcomeOf(root, line, { deny: ["Read(secrets/**)"] })]).toEqual([line, "allow"]);
    for (const line of [
      "git reset --hard",
      "git checkout -f",
      "git checkout .",
      "git restore .",
      "git rm -r docs",
    ]) {
      expect([line, await outcomeOf(root, line, { deny: ["Edit(docs/b.md)"] })]).not.toEqual([line, "allow"]);
      expect([line, await outcomeOf(root, line, { deny: ["Edit(app/.env)"] })]).toEqual([line, "allow"]);
    }
    for (const line of [
      "git reset HEAD",
      "git checkout main",
      "git restore --staged .",
      "git clean -fdx docs",
    ])
      expect([line, await outcomeOf(root, line, { deny: ["Edit(docs/b.md)"] })]).toEqual([line, "allow"]);
    expect(await outcomeOf(root, "git clean -fdx", { deny: ["Edit(app/.env)"] })).toBe("ask");
  });

  it("is looked through only where a rule is about reading files", async () => {
    const root = folder(...SCENE);
    let looked = 0;
    const files = {
      ...localFs(),
      readDir: async (path: string) => {
        looked++;
        return localFs().readDir(path);
      },
    };
    const decideUnder = async (...deny: readonly string[]): Promise<number> => {
      looked = 0;
      const rules = deny.map((line) => parseRule(line) as PermissionRule);
      const policy = { mode: "bypass", allow: [], ask: [], deny: rules } as const;
      const permissions = createPermissions({ policy, root, realPath: localFs().realPath, files });
      const accesses = [{ kind: "execute" as const, command: "grep -r x .", cwd: root }];
      await permissions.deny({ tool: "bash", accesses });
      expect(looked).toBe(0); // not before the check itself
      await permissions.check({ tool: "bash", accesses }, new AbortController().signal);
      return looked;
    };
    expect(await decideUnder("bash(rm *)", "edit(src/**)", "read")).toBe(0);
    expect(await decideUnder("read(**/.env)")).toBeGreaterThan(0);
  });
});
