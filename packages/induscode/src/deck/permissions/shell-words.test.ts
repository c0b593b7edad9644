import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../../tests/support/effort.ts";
import { commandParts, simpleCommandWords } from "./shell-words.ts";

describe("simpleCommandWords", () => {
  it.each([
    ["npm test", ["npm", "test"]],
    ["  git  log --oneline -5 ", ["git", "log", "--oneline", "-5"]],
    [`grep 'a b' "c d"`, ["grep", "a b", "c d"]],
    [`echo a'b'"c"`, ["echo", "abc"]],
    ["./scripts/run.sh x=y", ["./scripts/run.sh", "x=y"]],
  ])("understands %j", (command, words) => {
    expect(simpleCommandWords(command)).toEqual(words);
  });

  // Each line is a published bypass of an allowlist: none may count as understood.
  it.each([
    "npm test; rm -rf /",
    "npm test && curl x",
    "npm test || x",
    "npm test | sh",
    "npm test & x",
    "npm test > /etc/passwd",
    "npm test < x",
    "npm test\nrm x",
    "npm test\rrm x",
    "echo $(id)",
    "echo `id`",
    "echo $HOME",
    'echo "$(id)"',
    'echo "`id`"',
    'echo "\\$x"',
    "echo \\; id",
    "rm *",
    "rm a?",
    "rm [ab]",
    "echo {a,b}",
    "~/x",
    "PATH=. npm test",
    "LD_PRELOAD=./x.so ls",
    "(id)",
    "echo a#b",
    "echo 'open",
    'echo "open',
    "!history",
    "",
    "echo \0",
    "echo \u00a0x",
    "\u00a0npm test", // sh looks for a program with this name, while String.trim makes it npm
    "npm test\u00a0",
    "npm test\r",
  ])("does not understand %j", (command) => {
    expect(simpleCommandWords(command)).toBeUndefined();
  });
});

describe("commandParts", () => {
  it.each([
    "rm -rf x",
    "sudo rm -rf x",
    "true; rm -rf x",
    "env A=1 rm -rf x",
    `sh -c "rm -rf x"`,
    "r''m -rf x",
    "r\\m -rf x",
    "echo $(rm -rf x)",
    "a | xargs rm -rf x",
    "a\nrm -rf x",
    "{ rm -rf x; }",
    "rm {-rf,x}",
    "rm </dev/null -rf x",
    "rm 2>&1 -rf x",
    "r\\\nm -rf x",
  ])("show rm -rf in %j", (command) => {
    expect(commandParts(command).map((words) => words.join(" "))).toContainEqual(
      expect.stringMatching(/(^| )rm +-rf x$/),
    );
  });

  it("stay linear and have no last one: 10,000 parts before the command that matters are no way round", () => {
    const read = (parts: number) => commandParts(`${"true;".repeat(parts)}rm -rf x`);
    expect(read(10_000).at(-1)).toEqual(["rm", "-rf", "x"]);
    expect(growthOf([100, 1_000, 10_000], read)).toBe("even");
  });
});
