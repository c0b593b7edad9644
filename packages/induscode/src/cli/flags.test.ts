import { describe, expect, it } from "vitest";
import { SUBCOMMANDS } from "../boot/subcommands.ts";
import { parseCommandLine } from "./command-line.ts";
import { FLAGS } from "./flags.ts";
import { wholeHelpText } from "./help.ts";

const parse = (argv: readonly string[]) => parseCommandLine(argv, SUBCOMMANDS);

describe("parseCommandLine", () => {
  it("reads flags, words and attachments", () => {
    expect(
      parse([
        "-p",
        "--model=anthropic/x",
        "fix",
        "@a.ts",
        "it",
        "--allow",
        "bash",
        "--allow",
        "edit(src/**)",
      ]),
    ).toEqual({
      ok: true,
      flags: { print: true, model: "anthropic/x", allow: ["bash", "edit(src/**)"] },
      words: ["fix", "it"],
      attachments: ["a.ts"],
    });
  });

  it("ends options at --, and there an @ is only a letter", () => {
    expect(parse(["-p", "--", "--json", "@x"])).toMatchObject({
      flags: { print: true },
      words: ["--json", "@x"],
      attachments: [],
    });
  });

  it.each([
    [["--prnt"], "Unknown option '--prnt'; did you mean --print?"],
    [["--timming"], "Unknown option '--timming'; did you mean --timing?"],
    [["--nothing-like-it"], "Unknown option '--nothing-like-it'"],
    [["--model"], "Option '-m, --model <value>' argument missing"],
    [["--model="], "--model needs a value: --model <provider/id>"],
    [["--thinking", "hard"], '--thinking takes off, low, medium, high, xhigh, max; got "hard"'],
    [
      ["--permission-mode", "yolo"],
      '--permission-mode takes read-only, plan, ask, acceptEdits, auto, bypass; got "yolo"',
    ],
  ])("names what is wrong with %j", (argv, problem) => {
    expect(parse(argv)).toEqual({ ok: false, problem });
  });
});

it("the second page of the help names every flag of the table", () => {
  const help = wholeHelpText(SUBCOMMANDS);
  for (const { name } of FLAGS) expect(help).toContain(`--${name}`);
});
