// Where bash runs the commands, what bash reads is decided: `[[ ]]`, braces and arrays pass where they only look, and nothing passes
// that bash would make of them.

import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localFs } from "indusagi/capabilities";
import { beforeAll, describe, expect, it } from "vitest";
import { DANGEROUS, HIDDEN, LOOKS, linesOf } from "../../../../../tests/support/command-line-cases.ts";
import { createPermissions, type PermissionMode } from "./permissions.ts";
import { type PermissionRule, parseRule } from "./rules.ts";

let root: string;
beforeAll(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-bash-lines-")));
  root = join(base, "ws");
  for (const folder of ["src", ".git"]) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, ".git/config"), "[core]\n\trepositoryformatversion = 0\n");
  symlinkSync(base, join(root, "out"));
  for (const file of ["a.txt", "b.txt", "src/a.py", "src/b.py"]) writeFileSync(join(root, file), "x");
});

const rule = (source: string): PermissionRule => {
  const read = parseRule(source);
  if ("problem" in read) throw new Error(read.problem);
  return read;
};

interface Rules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** `passes`, `asks` or `refused`. */
async function decide(
  command: string,
  mode: PermissionMode = "acceptEdits",
  { allow = [], deny = [] }: Rules = {},
  isBash = true,
): Promise<string> {
  let isAsked = false;
  const permissions = createPermissions({
    policy: { mode, allow: allow.map(rule), ask: [], deny: deny.map(rule) },
    root,
    isBash,
    home: join(root, "..", "home"),
    realPath: localFs().realPath,
    files: localFs(),
    ask: async () => {
      isAsked = true;
      return { kind: "no" };
    },
  });
  const accesses = [{ kind: "execute", command, cwd: root }] as const;
  const { kind } = await permissions.check({ tool: "bash", accesses }, new AbortController().signal);
  return kind === "allow" ? "passes" : isAsked ? "asks" : "refused";
}

const ONLY_LOOKS = String.raw`
[[ -f package.json ]] && cat package.json
[[ -n "$CI" && $x == a* || ! -d src ]]
[[ $line =~ ^[0-9]+(a|b)$ ]] && echo number
[[ 3 -gt 2 && $# -eq 0 ]] && pwd
if [[ a < b ]]; then cat a.txt; fi
cat src/{a,b}.py
head -n 5 {a,b}.txt
echo "$HOME"/{x,y}
for i in {1..3}; do echo $i; done
files=(a.txt b.txt); cat "@{files[@]}"
files=(a.txt); files+=(b.txt); echo "@{#files[@]}"; wc -l @{files[@]}
a=(src/{a,b}.py); head -n 1 "@{a[1]}"
x=a; x+=.txt; cat $x
grep -c x <<< "some text"
ls src &> /dev/null
echo $'a\tb'
cat a.txt |& head -n 1
bash -c '[[ -f a.txt ]] && cat {a,b}.txt'
`;

const DOES_MORE = `
[[ $(rm x) == a ]]
[[ -f a && -v 'a[$(rm x)]' ]]
[[ 'a[$(rm x)]' -eq 1 ]]
x='a[$(rm x)]'; [[ $x -gt 0 ]]
[[ $y -gt 0 ]]
[[ a =~ \`rm x\` ]]
[[ a == [$(rm x)]* ]]
[[ -f x ]] && rm x
[[ -e out/secret ]]
[[ a -nt ../secret ]]
[[ -d "$x" ]]
{rm,x}
r{m,} x
bash -c '{rm,-rf,x}'
bash <<< '{rm,x}'
sh -c '{rm,x}'
x=r; xm=rm; $x{m,n} y
cat {a.txt,../secret}
cat {{/etc/passwd,b},a.txt}
for f in {a,../secret}; do cat $f; done
a=(rm x); "@{a[@]}"
a=(rm); a+=(x); @{a[@]}
a=(ls $(rm x)); cat "@{a[@]}"
a=([$(rm x)]=y)
a[$(rm x)]=y
a=(rm x) tool
declare -i n; n='a[$(rm x)]'
declare -n r='a[$(rm x)]'; echo "@{r}"
declare -A a; a=(ls rm); ls
files=(../secret); cat "@{files[0]}"
files=(a.txt); files[0]=../secret; cat "@{files[0]}"
files=(a.txt); read files; cat "@{files[0]}"
files=(a.txt); files=../secret; cat @{files[@]}
PATH=(.); ls
PATH+=:.; ls
X=ls; X=rm Y=$X; $Y x
cat <<< "$(rm x)"
cat <(rm x)
ls &> ../x
echo x &> .git/config
$'rm' x
rm x |& cat
set +B; cat {a,b}.txt
set -o posix; cat {a,b}.txt
echo @{a[$(rm x)]}
echo @{a[x]} @{!x}
`;

const written = (list: string): readonly string[] => linesOf(list.replaceAll("@{", "$" + "{"));

/** The lines of which something else is decided. */
async function others(
  lines: readonly string[],
  outcome: string,
  mode?: PermissionMode,
  rules?: Rules,
  isBash?: boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const line of lines) if ((await decide(line, mode, rules, isBash)) !== outcome) found.push(line);
  return found;
}

const DENY = { deny: ["bash(rm *)", "bash(rm)", "Bash(curl:*)", "bash(git push *)", "bash(git push)"] };

describe("lines for bash", () => {
  it("pass where they only look", async () => {
    expect(await others([...linesOf(LOOKS), ...written(ONLY_LOOKS)], "passes", "read-only")).toEqual([]);
  });

  it("are asked about where they do more", async () => {
    const harm = [...linesOf(DANGEROUS), ...linesOf(HIDDEN), ...written(DOES_MORE)];
    const allow = ["bash(echo *)", "Bash(true:*)", "bash(cat a*)"];
    expect(await others(harm, "asks", "acceptEdits", { allow })).toEqual([]);
  });

  it.each(["acceptEdits", "bypass"] as const)(
    "pass in no spelling of what is denied, in %s",
    async (mode) => {
      const hidden = [...linesOf(HIDDEN), ...written(DOES_MORE).filter((line) => /\brm\b|r\{m/.test(line))];
      const found: string[] = [];
      for (const line of hidden)
        if ((await decide(line, mode, { ...DENY, allow: ["bash"] })) === "passes") found.push(line);
      expect(found).toEqual([]);
    },
  );

  it("are asked about where another shell may run them", async () => {
    const lines = written(ONLY_LOOKS).filter((line) => !line.startsWith("bash"));
    expect(await others(lines, "asks", "acceptEdits", {}, false)).toEqual([]);
  });
});
