import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { beforeAll, describe, expect, it } from "vitest";
import { isInstalled, lacks } from "../../../../../tests/support/needs.ts";
import { createPermissions, type PermissionPolicy, type Permissions } from "./permissions.ts";
import { parseRule } from "./rules.ts";

let root: string;

const LOSSY = "*.bin filter=lossy\n*.dos text\n*.txt16 text working-tree-encoding=UTF-16LE\n";
const FILTERED = {
  "plain.txt": "plain\n",
  "large.bin": "the content\n",
  "lines.dos": "one\r\ntwo\n",
  "wide.txt16": Buffer.from("wide\n", "utf16le"),
};

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
  for (const file of [
    "kept/a.txt",
    "kept/deep/b.txt",
    "kept/.npmrc",
    "mixed/a.txt",
    "mixed/mine.txt",
    "tree/a.txt",
  ]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "");
  }
  const changed = ["longer.txt", "as-long.txt", "touched.txt"];
  for (const name of changed) {
    mkdirSync(join(root, "changed"), { recursive: true });
    writeFileSync(join(root, "changed", name), "as it was\n");
  }
  for (const name of changed) utimesSync(join(root, "changed", name), 1_700_000_000, 1_700_000_000);
  mkdirSync(join(root, "lossy"));
  writeFileSync(join(root, "lossy/.gitattributes"), LOSSY);
  for (const [name, text] of Object.entries(FILTERED)) writeFileSync(join(root, "lossy", name), text);
  symlinkSync("../a.txt", join(root, "tree/link"));
  symlinkSync("tree", join(root, "alias"));
  mkdirSync(join(root, "hollow/empty"), { recursive: true });
  if (!isInstalled("git")) return;
  execFileSync("git", ["init", "-q"], { cwd: root });
  // What stands for large files keeps their size alone.
  const lossy = ["-c", "filter.lossy.clean=wc -c"];
  execFileSync("git", [...lossy, "add", "kept", "mixed/a.txt", "tree", "changed", "lossy"], { cwd: root });
  expect(
    execFileSync("git", [...lossy, "status", "--porcelain", "-uno"], { cwd: root, encoding: "utf8" }),
  ).not.toMatch(
    /^.M/m, // as git sees it, nothing was changed
  );
  writeFileSync(join(root, "changed/longer.txt"), "as it was, and more\n");
  utimesSync(join(root, "changed/longer.txt"), 1_700_000_000, 1_700_000_000);
  writeFileSync(join(root, "changed/as-long.txt"), "as it is!\n");
  utimesSync(join(root, "changed/as-long.txt"), 1_700_000_000, 1_700_000_000.5);
  utimesSync(join(root, "changed/touched.txt"), 1_600_000_000, 1_600_000_000);
});

interface Given {
  readonly mode?: PermissionPolicy["mode"];
  readonly deny?: string;
  readonly confined?: true;
  readonly leaves?: true;
}

async function decide(command: string, given: Given = {}): Promise<string> {
  const { confined, leaves } = given;
  const leaving = leaves && { canStay: false, beside: () => 0 };
  return outcomeOf(permissionsWith(given), command, { confined, leaving });
}

function permissionsWith({ mode = "acceptEdits", deny }: Given): Permissions {
  const rule = deny === undefined ? undefined : parseRule(deny);
  return createPermissions({
    policy: { mode, allow: [], ask: [], deny: rule && !("problem" in rule) ? [rule] : [] },
    root,
    realPath: localFs().realPath,
    files: localFs(),
    isBash: true,
  });
}

async function outcomeOf(permissions: Permissions, command: string, more: object = {}): Promise<string> {
  const accesses = [{ kind: "execute", command, cwd: root }] as const;
  return (await permissions.explain({ tool: "bash", accesses, ...more })).outcome;
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
  "touch notes.txt src/new.js",
  "touch -c a.txt",
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
    "rm a.txt", // git does not know it
    "rm nowhere.txt",
    "rm -rf src",
    "rm -i a.txt",
    "rm -rf --no-preserve-root /",
    "touch -r ../secret a.txt",
    "touch ../new.txt",
    "touch .npmrc",
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

describe("a command that removes files", () => {
  const passing = [
    "rm kept/a.txt",
    "rm -f kept/a.txt kept/deep/b.txt",
    "cd kept && rm -v a.txt",
    "rm -r kept/deep",
    "rm changed/touched.txt", // with another time
    "rm lossy/plain.txt",
  ];

  it.skipIf(lacks("git", isInstalled("git")))(
    "passes where git tracks all of them, like an edit",
    async () => {
      for (const command of passing) expect([command, await decide(command)]).toEqual([command, "allow"]);
      for (const command of passing) expect(await decide(command, { mode: "ask" })).toBe("ask");
      expect(await decide("rm kept/a.txt", { deny: "edit(kept/a.txt)" })).toBe("deny");
      expect(await decide("rm -r kept/deep", { deny: "edit(kept/deep/b.txt)" })).toBe("deny");
    },
  );

  it.skipIf(lacks("git", isInstalled("git"))).each([
    ["rm kept/.npmrc", "a protected name"],
    ["rm -r kept", "one is below it"],
    ["rm kept/deep", "a folder, without -r"],
    ["rm changed/longer.txt", "it was changed since git saw it"],
    ["rm changed/as-long.txt", "the same, and it is as long as before"],
    ["rm lossy/large.bin", "git keeps what a filter made of it"],
    ["rm lossy/lines.dos", "git keeps it with other line ends"],
    ["rm lossy/wide.txt16", "git keeps it in another encoding"],
    ["rm -r lossy", "the three of them"],
    ["rm -r changed", "all of them"],
    ["rm -r mixed", "a file in it is the person's"],
    ["rm mixed/*.txt", "its names are not known"],
    ["rm -r tree", "a link is in it"],
    ["rm tree/link", "a link"],
    ["rm alias/a.txt", "a link leads to it"],
    ["rm -r alias", "a link to a folder"],
    ["rm -r hollow", "a folder of which git knows nothing"],
    ["rm -r .git", "the repository itself"],
    ["rm -r .", "everything"],
    ["rm -r ../ws/mixed", "the same by another way"],
  ])("is asked about: %s (%s)", async (command) => {
    expect(await decide(command)).toBe("ask");
  });

  it("passes for what this session made, and only for that", async () => {
    const permissions = permissionsWith({});
    const { signal } = new AbortController();
    const write = (path: string) =>
      permissions.check({ tool: "write", accesses: [{ kind: "write", path: join(root, path) }] }, signal);
    expect(await outcomeOf(permissions, "rm made.txt")).toBe("ask");
    await write("made.txt");
    await write("out.txt"); // it was there
    writeFileSync(join(root, "made.txt"), "");
    expect(await outcomeOf(permissions, "rm made.txt")).toBe("allow");
    expect(await outcomeOf(permissions, "rm out.txt")).toBe("ask");
    const accesses = [{ kind: "execute", command: "cp a.txt copied.txt", cwd: root }] as const;
    await permissions.check({ tool: "bash", accesses }, signal);
    writeFileSync(join(root, "copied.txt"), "");
    expect(await outcomeOf(permissions, "rm -f copied.txt made.txt")).toBe("allow");
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
