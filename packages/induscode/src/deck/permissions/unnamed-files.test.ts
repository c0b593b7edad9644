// A command outside of a sandbox that may read, or change, files that its words do not name: under a rule about files it is asked about, and
// never quietly run. The twins are the same command without the rule, in the sandbox, and commands that name what they open.

import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../feature/decision.ts";
import type { PermissionMode } from "./modes.ts";
import { createPermissions } from "./permissions.ts";
import { type PermissionRule, parseRule } from "./rules.ts";

const SCENE = [
  "a.txt",
  "src/a.ts",
  "app/.env",
  "secrets/key",
  "docs/b.md",
  "out/c.txt",
  "test/a.ts",
] as const;

function workspace(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "indus-unnamed-")));
  for (const file of SCENE) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "x");
  }
  return root;
}

interface Rules {
  readonly mode?: PermissionMode;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly confined?: boolean;
}

async function explained(command: string, rules: Rules = {}, root = workspace()): Promise<Decision> {
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

const outcomeOf = async (command: string, rules?: Rules): Promise<string> =>
  (await explained(command, rules)).outcome;

const READING: Rules = { deny: ["read(**/.env)", "Read(keys/**)"] };
const WRITING: Rules = { deny: ["Edit(app/.env)"] };

const READS = [
  "grep -r x .",
  "grep -rn x",
  "grep -R x app",
  "grep --recursive x app",
  "egrep -R x app",
  "sudo grep -r x .",
  "cd app && grep -r x .",
  "rg x",
  "rg x app",
  "rg --pre cat x",
  "find . -type f -exec cat {} +",
  "find . -type f | xargs cat",
  "cat app/*",
  "cat app/.e*",
  "head -1 */k?y",
  "tar c .",
  "tar -cf out.tar --directory=app .",
  "zip -r out.zip app",
  "cp -r . /tmp/x",
  "cp -r -t /tmp/x app",
  "mv app other",
  "rsync -a app/ /tmp/x",
  "docker build app",
  "python3 -m zipfile -c x.zip app",
  "git grep x",
  "git show",
  "git diff",
  "git diff -U3 --stat",
  "git log -p",
  "git stash show -p",
  "git archive HEAD",
  "git format-patch -1",
  "git add -p",
  "git -c core.pager=cat diff",
  "git own-alias",
  "git clone . /tmp/x",
  "diff -r app docs",
  "sh -c 'grep -r x .'",
  'sh -c "$SCRIPT"',
  'eval "$SCRIPT"',
  "$PROGRAM a.txt",
  "for f in app/.e*; do cat $f; done",
  "cd app; for f in .e*; do sed -n 1p $f; done",
  "while read -r l; do echo $l; done < $f",
  "find . -name '.e*' | while read -r f; do cat \"$f\"; done",
  "cat $(ls -A app | grep env)",
  "cat `ls app/.e*`",
  "f='app/.e*'; cat $f",
  `cat \${x#a}`,
  `python3 -c 'print(open(".e" + "nv").read())'`,
  "node -e \"require('fs').readFileSync('.e'+'nv')\"",
  "perl -ne print $f",
  "awk '{ while ((getline l < f) > 0) print l }' a.txt",
  "sed -n '1e cat x' a.txt",
  "python3 <<'E'\nprint(1)\nE",
  "tar cT list",
] as const;

const READS_NOT = [
  "ls -R",
  "ls *",
  "echo *",
  "cat a.txt",
  "cat app/{a,b}.txt",
  "cat $'a.txt'",
  "grep x a.txt",
  "rg x src/a.ts",
  "head -1 a.txt | sort",
  "find . -type f",
  "find . -name '*.log' -exec rm {} +",
  "tar xf out.tgz",
  "cp a.txt app",
  "mv a.txt app/",
  "mkdir -p app/x && cd app",
  "rm -rf out",
  "npm test",
  "npm run test",
  "make test",
  "cargo test",
  "node src/a.js",
  "python3 src/a.py a.txt",
  "sed -i 's/old name/new name/' src/a.ts",
  "git status",
  "git log --oneline -5",
  "git diff --stat",
  "git show HEAD:docs/b.md",
  "git add . && git commit -m 'all of src and docs'",
  "git commit -m \"$(cat <<'E'\nall of src\nE\n)\"",
  "git checkout -b other",
  "git -c user.name=a commit -m x",
  'gh pr create --body "$(cat <<E\nsee src\nE\n)"',
  'export A=$(date); echo "$A"; [ -n "$A" ]',
] as const;

const CHANGES = [
  "rm app/.e*",
  "rm -rf app",
  "rm -r -- *",
  "mv app other",
  "cp -r docs/. app",
  "find . -name '.e*' -delete",
  "find app -exec rm {} +",
  "ls | xargs rm -r",
  "sed -i s/a/b/ app/*",
  "for f in app/.e*; do echo x > $f; done",
  "echo x > app/.e*",
  "python3 -c 'open(f, \"w\")'",
  "git reset --hard",
  "git checkout -f",
  "git checkout .",
  "git restore .",
  "git rm -r app",
  "git clean -fdx",
] as const;

const CHANGES_NOT = [
  "rm a.txt",
  "rm -rf none",
  "cp -r app other",
  "mkdir -p app/x",
  "cat app/* > out/c.txt",
  "grep -r x .",
  "tar cf out.tar app",
  "npm test",
  "git reset HEAD",
  "git checkout main",
  "git restore --staged .",
  "sed -i 's/old name/new name/' src/a.ts",
] as const;

describe("a command that may open files that it does not name", () => {
  it.each(READS)("is asked about under a rule about reading: %s", async (line) => {
    expect(await outcomeOf(line, READING)).toBe("ask");
    expect(await outcomeOf(line, { ...READING, mode: "acceptEdits", allow: ["bash"] })).toBe("ask");
    expect(await outcomeOf(line)).toBe("allow");
    expect(await outcomeOf(line, { ...READING, mode: "auto", confined: true })).toBe("allow");
  });

  it.each(READS_NOT)("is not what names them, shows nothing, or runs the project: %s", async (line) => {
    expect(await outcomeOf(line, READING)).toBe("allow");
  });

  it.each(CHANGES)("is asked about under a rule about editing: %s", async (line) => {
    expect(await outcomeOf(line, WRITING)).toBe("ask");
    expect(await outcomeOf(line)).toBe("allow");
    expect(await outcomeOf(line, { ...WRITING, mode: "auto", confined: true })).toBe("allow");
  });

  it.each(CHANGES_NOT)("is not what leaves the others: %s", async (line) => {
    expect(await outcomeOf(line, WRITING)).toBe("allow");
  });

  it("is asked about with the rule, the command, and why, in words", async () => {
    const root = workspace();
    const why = async (line: string): Promise<string | undefined> =>
      (await explained(line, READING, root)).rulings[0]?.why;
    const may = (line: string, reason: string): string =>
      `the rule "read(**/.env)" may apply to it: "${line}" may read files that it does not name (${reason}), and no sandbox hides them`;
    expect(await why("ls && tar c app")).toBe(may("tar c app", `those below ${root}/app`));
    expect(await why("cat app/*")).toBe(may("cat app/*", "what app/* stands for is known only at run time"));
    expect(await why("rg x")).toBe(may("rg x", "it searches below folders"));
    expect(await why("git diff")).toBe(may("git diff", "it shows what any file of the repository contains"));
  });

  it("is refused where it names what the rule is about, and asked about under a rule that asks", async () => {
    expect(await outcomeOf("grep -r x keys", READING)).toBe("deny");
    expect(await outcomeOf("tar c secrets", { ask: ["Read(secrets/**)"] })).toBe("ask");
    expect(await outcomeOf("tar c src", { ask: ["Edit(secrets/**)"] })).toBe("allow");
  });
});
