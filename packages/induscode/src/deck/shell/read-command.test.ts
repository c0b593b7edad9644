// The reading of a line matches a real shell: the words of every fully known command are those that `sh`, and `bash` if installed, pass
// to a program.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCommand } from "./read-command.ts";

/** Programs that record how they were called, and do nothing. */
const NAMES = ["aa", "bb", "cc", "rm", "git"];

function place(): {
  readonly folder: string;
  readonly run: (shell: string, line: string) => readonly string[];
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "indus-argv-")));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const name of NAMES) {
    writeFileSync(
      join(bin, name),
      // In one write, so that two concurrent ones do not mix.
      `#!/bin/sh\nsplit=$(printf '\\037')\nnote=${name}\nfor each; do note="$note$split$each"; done\nprintf '%s\\036' "$note" >> "$NOTES"\n`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  let runs = 0;
  return {
    folder,
    run(shell, line) {
      const NOTES = join(folder, `notes-${++runs}`);
      writeFileSync(NOTES, "");
      const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: "/home/person", NOTES };
      spawnSync(shell, ["-c", line], { cwd: folder, env, input: "" });
      return readFileSync(NOTES, "utf8").split("\x1e").slice(0, -1).sort();
    },
  };
}

const shells = ["sh", "bash"].filter((shell) => spawnSync(shell, ["-c", "true"]).status === 0);

/** One command after another, each with words that are known before it runs; `@{` stands for a dollar and a brace. */
const LINES: readonly string[] = [
  "aa",
  "aa 'b c' \"d e\" f\\ g",
  "a''a b\"\"c",
  "\\aa \\b",
  "aa \\\n  b",
  "a\\\na b",
  'aa "a\\$b" "a\\\\b" "a\\"b" "a\\b"',
  "aa 'a\\b' 'a\"b' \"a'b\"",
  "aa ''",
  'aa "" x',
  "aa x#b #c",
  "aa b#c",
  "aa; bb && cc | aa x & bb y; wait",
  "aa\nbb\n\ncc",
  "X=b; aa $X @{X} \"$X\" '$X' \\$X",
  "X='b c'; aa $X \"$X\"",
  "X=' b  c '; aa x$X y$X",
  'X=; aa $X "$X" b',
  "X=a; Y=a; $X$Y b",
  "X=r; @{X}m -rf x",
  "rm@{IFS}-rf@{IFS}x",
  'aa "x@{IFS}y"',
  "aa ~ ~/x '~' \\~ x~",
  "X=~/y; aa $X",
  'aa $HOME/x "@{HOME}"',
  "X=1 aa b; bb c",
  "for f in a 'b c' d; do aa $f \"$f\"; done",
  "if aa x; then bb y; else cc z; fi",
  "{ aa; bb; }; (cc d)",
  "aa > out1 b 2>&1 c",
  "> out2 aa b",
  "aa 2>/dev/null b 3",
  "aa b2>out3 c",
  "aa 2 >out4 c",
  "aa <<E b\ntext\nE\nbb",
  "sh -c 'aa \"b c\"; bb'",
  "sh -c \"aa 'b c'\"",
  "eval 'aa b' '; bb c'",
  "eval \"aa 'b  c'\"",
  "env A=1 aa b",
  "timeout 50 nice -n 1 aa b",
  "command aa b",
  "exec aa b",
  "! aa b",
  "aa = b == c",
  "aa [ ] ]",
  "aa { } b",
  "aa if then done",
  "aa b=c d='e f'",
  "aa !x",
  "git 'pu'sh ori\"gin\"",
  "g'i't push",
];

describe.each(shells)("what %s starts", (shell) => {
  it("is what is read of the line: each word of each command", () => {
    const { folder, run } = place();
    for (const written of LINES) {
      const line = written.replaceAll("@{", "$" + "{");
      const { parts, unclear } = readCommand(line, { cwd: folder, home: "/home/person" });
      const known = parts.every((part) => part.words.every(({ value }) => value !== undefined));
      const started = run(shell, line);
      expect([line, unclear, known, started.length > 0]).toEqual([line, undefined, true, true]);
      const words = parts.flatMap((part) => {
        const values = part.words.map(({ value }) => value as string);
        return NAMES.includes(values[0] ?? "") ? [values.join("\x1f")] : [];
      });
      // Only one branch of an `if` runs, but all are read.
      for (const each of started) expect([line, words]).toEqual([line, expect.arrayContaining([each])]);
      if (!line.startsWith("if")) expect([line, words.length]).toEqual([line, started.length]);
    }
  });
});

/** The same for what only bash reads. */
const BASH_LINES: readonly string[] = [
  "[[ a == a && ! -f nowhere ]] && aa b",
  "[[ abc =~ ^a(b|x)c$ ]] && aa b",
  "x=3; [[ $x -gt 2 ]] && aa b",
  "aa {a,b} x{a,b}y{c,d} {1..3} {c..a} {-1..1}",
  "aa {a,{b,c}d} {a,} x{,y} {{1..2},x}",
  'aa \'x y\'{a,b} "q"{a,b} "$HOME"/{a,b} @{HOME}{a,b} ~/{a,b}',
  "aa {a} {} {a,b {a,b}=c -o={x,y}",
  "r{m,} x",
  "a{,}a x",
  "for f in {a,b}{1..2}; do aa $f; done",
  "a=(b 'c d' {e,f}); aa \"@{a[@]}\"",
  'a=(b \'c d\'); aa "x@{a[@]}y" "@{a[1]}" @{a[0]} "$a"',
  "a=(b c); a+=(d); aa @{a[@]}",
  'a=(aa b); a+=(c); "@{a[@]}"',
  "x=a; x+=b; aa $x",
  "x=a; x=b y=$x; aa $y",
  "aa $'b\\tc\\n' $'d\\'e'",
  "aa b &> out; bb &>> out",
  "aa <<< b",
  "aa b |& bb",
  "bash -c 'aa {b,c}'",
  "eval 'aa {b,c}'",
];

it.skipIf(!shells.includes("bash"))("what bash starts is what is read where bash runs the line", () => {
  const { folder, run } = place();
  for (const written of BASH_LINES) {
    const line = written.replaceAll("@{", "$" + "{");
    const { parts, unclear } = readCommand(line, { cwd: folder, home: "/home/person", isBash: true });
    const words = parts.flatMap((part) => {
      const [program = "", ...values] = part.words.map(({ value }) => value ?? "?");
      return NAMES.includes(program) ? [[program, ...values].join("\x1f")] : [];
    });
    expect([line, unclear, words.sort()]).toEqual([line, undefined, run("bash", line)]);
  }
});

it.each([
  ["$x{a,b}"],
  ["{a,$x}"],
  ["{a,'b'}"],
  ["{01..3}"],
  ["{a..c..2}"],
  ["{a..bc}"],
  ["{A..z}"],
  ["{a,{b}}"],
  ['"{"{a,b}\\}'],
  ["{1..1000}"],
  ["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"],
])("of braces, what is not certain is asked about in bash: %s", (word) => {
  expect(readCommand(`aa ${word}`, { cwd: "/w", home: "/h", isBash: true }).unclear).toBeDefined();
});

it.each(["aa b=~", "aa b=x:~", "aa $'b'", "aa {b,c}", "aa *", "aa $UNSET_HERE", "aa $(bb)"])(
  "what shells take differently, or only the run can tell, is not known: %s",
  (line) => {
    const { parts } = readCommand(line, { cwd: "/w", home: "/home/person" });
    expect(parts.at(-1)?.words.map(({ value }) => value)).toEqual(["aa", undefined]);
  },
);

it.each([
  ...[
    "aa {b,c}",
    "[[ a == a ]]",
    "(( a[$(bb)] ))",
    "aa <(bb)",
    "aa $'b'",
    'aa $"b"',
    "a=(b c); aa",
    "a[$(bb)]=1 aa",
  ],
  ...[
    "aa |& bb",
    "aa &> out",
    "aa &>> out",
    "aa <<< b",
    "aa !(b)",
    "aa @{x@P}",
    "aa @{!x}",
    "aa $[b]",
    "coproc aa",
  ],
  ...[
    "[ -v x ]",
    "exec {fd}> out",
    "select x in a; do aa; done",
    "for ((;;)); do aa; done",
    "shopt -s dotglob; aa *",
  ],
  ...[
    "hash -p ./evil aa; aa",
    "enable -f ./evil.so aa",
    "aa < /dev/tcp/127.0.0.1/9",
    "aa > /dev/udp/127.0.0.1/9",
  ],
])("what only bash reads is asked about: %s", (line) => {
  const { unclear } = readCommand(line.replaceAll("@{", "$" + "{"), { cwd: "/w", home: "/home/person" });
  expect(unclear).toBeDefined();
});

describe("what shells read", () => {
  const place = { cwd: "/w", home: "/h" };

  it.each<[string, (line: string, depth: number) => string]>([
    ["documents", (line, depth) => `bash <<E${depth}\n$(${line}\n)\nE${depth}`],
    ["words", (line) => `bash <<< "$(${line})"`],
  ])("is read once, however deep %s with substitutions lie in each other", (_what, around) => {
    let line = "ls";
    for (let depth = 0; depth < 12; depth++) line = around(line, depth);
    expect(readCommand(line, place).parts.length).toBeLessThan(50);
  });

  it("is read up to a limit, and the line is unclear above it", () => {
    expect(readCommand("echo ls | sh;".repeat(32), place).unclear).toBeUndefined();
    expect(readCommand("echo ls | sh;".repeat(33), place).unclear).toContain("more input than indus checks");
  });
});
