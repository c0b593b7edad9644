import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { beforeAll, describe, expect, it } from "vitest";
import { isInstalled, lacks } from "../../../../../tests/support/needs.ts";
import { createPermissions, type PermissionPolicy } from "./permissions.ts";
import { parseRule } from "./rules.ts";

let root: string;

beforeAll(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-changes-")));
  root = join(base, "ws");
  for (const folder of ["src", "build", "linked", "odd"]) mkdirSync(join(root, folder), { recursive: true });
  for (const file of [
    "a.txt",
    "src/money.js",
    "src/b.js",
    "build/money.js",
    "out.txt",
    "AGENTS.md",
    "package.json",
  ])
    writeFileSync(join(root, file), "{}\n");
  writeFileSync(join(root, "odd/-r"), "");
  writeFileSync(join(base, "secret"), "s");
  symlinkSync(join(base, "secret"), join(root, "linked/secret.js"));
  symlinkSync("a.txt", join(root, "src/link"));
  symlinkSync(base, join(root, "out"));
  if (isInstalled("git")) execFileSync("git", ["init", "-q"], { cwd: root });
});

interface Given {
  readonly mode?: PermissionPolicy["mode"];
  readonly deny?: string;
  readonly confined?: true;
  readonly leaves?: true;
}

async function decide(command: string, given: Given = {}): Promise<string> {
  const { mode = "acceptEdits", deny, confined, leaves } = given;
  const rule = deny === undefined ? undefined : parseRule(deny);
  const permissions = createPermissions({
    policy: { mode, allow: [], ask: [], deny: rule && !("problem" in rule) ? [rule] : [] },
    root,
    realPath: localFs().realPath,
    files: localFs(),
    isBash: true,
  });
  const leaving = leaves && { canStay: false, beside: () => 0 };
  const accesses = [{ kind: "execute", command, cwd: root }] as const;
  return (await permissions.explain({ tool: "bash", accesses, confined, leaving })).outcome;
}

const FILES = [
  "mkdir build/js",
  "mkdir -p build/a/b src/new",
  "cp src/money.js build/",
  "cp src/money.js a.txt build",
  "cp a.txt b.txt",
  "mv a.txt build/b.txt",
  "mkdir -p build && cp src/money.js build/ && wc -l build/*",
  "cd src && cp money.js other.js",
  "wc -l src/b*.js",
  "cat build/* | head",
];
const GIT = ["git add -A", "git add src/money.js", "git add . && git status --short"];

describe("a command that changes only the files that it names", () => {
  it.each(FILES)("passes where editing does: %s", async (command) => {
    expect(await decide(command)).toBe("allow");
    expect(await decide(command, { mode: "auto" })).toBe("allow");
  });

  it.skipIf(lacks("git", isInstalled("git")))("so does what git is told to stage", async () => {
    for (const command of GIT) expect([command, await decide(command)]).toEqual([command, "allow"]);
    for (const command of GIT) expect(await decide(command, { mode: "ask" })).toBe("ask");
    for (const command of GIT) expect(await decide(command, { mode: "read-only" })).toBe("deny");
  });

  it("is asked about in the mode ask, refused in read-only, and asked about where it leaves a sandbox", async () => {
    const command = "cp a.txt b.txt";
    expect(await decide(command, { mode: "ask" })).toBe("ask");
    expect(await decide(command, { mode: "read-only" })).toBe("deny");
    expect(await decide(command, { leaves: true })).toBe("ask");
  });

  it.each([
    ["cp a.txt b.txt", "edit(b.txt)"],
    ["cp a.txt build", "edit(build/a.txt)"],
    ["cp a.txt b.txt", "read(a.txt)"],
    ["mv a.txt b.txt", "edit(a.txt)"],
    ["mkdir build/x", "edit(build/**)"],
  ])("is refused by a rule about a file: %s under %s", async (command, deny) => {
    expect(await decide(command, { deny })).toBe("deny");
  });

  it.each([
    "cp a.txt ../b.txt", // outside
    "cp ../secret b.txt",
    "cp a.txt out/b.txt",
    "cp out/secret b.txt",
    "mv a.txt /tmp/x",
    "mkdir /tmp/indus-x",
    "mkdir ~/x",
    "cp a.txt .envrc", // a protected name
    "cp a.txt AGENTS.md",
    "mv AGENTS.md b.txt",
    "mkdir .github",
    "mkdir -p .git/hooks",
    "mv a.txt .git/hooks/post-checkout",
    "cp -r src lib", // more than its words name
    "cp src lib",
    "mv src lib",
    "cp src/link b.txt",
    "mv src/link b.txt",
    "cp -t build a.txt",
    "cp --backup=simple a.txt b.txt",
    "cp a.txt src/b.js nowhere",
    "cp a.txt nowhere/",
    "cp $x b.txt",
    "cp *.txt build",
    "mkdir -m 777 x",
    "PATH=. cp a.txt b.txt",
    "./cp a.txt b.txt",
    "rm a.txt",
    "git add -p",
    "git -c core.hooksPath=x add .",
    "git add --chmod=+x a.txt",
    "cat linked/*", // one of the names leads outside
    "cat *",
    "wc -l odd/../odd/*",
    "cd odd && wc *", // a name that is an option
    "cat src/**",
    "cat src/.*",
    "cat src/[a-z]*",
    "cat {src,out}/*",
    "sort -o src/*",
  ])("is asked about if it may do more: %s", async (command) => {
    expect(await decide(command)).toBe("ask");
  });
});

/** An ordinary day. Asked about is what starts the project's own code, or removes. */
const DAY = `
ls -la
cat package.json
rg -n money src
git status
git diff
git log --oneline -5
head -20 src/money.js
wc -l src/*.js
mkdir -p build
cp src/money.js build/
mv build/money.js build/money.old.js
git add -A
git diff --cached
find src -name '*.js'
grep -rn TODO src
sed -n 1,20p src/money.js
echo done > notes.txt
cat src/*.js | head -50
diff src/money.js src/b.js
node --version
du -sh build
sort notes.txt | uniq -c
cd src && ls
pwd && git branch
stat package.json
tail -5 notes.txt
npm test
node src/money.js
git commit -m 'change'
rm out.txt
`;

it.skipIf(lacks("git", isInstalled("git")))(
  "of thirty commands of a day none is asked about in a sandbox, and four without one",
  async () => {
    const lines = DAY.trim().split("\n");
    expect(lines).toHaveLength(30);
    const asked: string[] = [];
    for (const line of lines) {
      expect([line, await decide(line, { mode: "auto", confined: true })]).toEqual([line, "allow"]);
      if ((await decide(line)) !== "allow") asked.push(line);
    }
    expect(asked).toEqual(["npm test", "node src/money.js", "git commit -m 'change'", "rm out.txt"]);
  },
);
