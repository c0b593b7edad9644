import { describe, expect, it } from "vitest";
import { refuseMistyped } from "../cli/command-mistakes.ts";
import { subcommandOf } from "../cli/command-words.ts";
import { helpText, wholeHelpText } from "../cli/help.ts";
import { SUBCOMMANDS } from "./subcommands.ts";

describe("the first word", () => {
  it.each(SUBCOMMANDS)("$name is a command, and on the second page of the help", (row) => {
    expect(subcommandOf([row.name, "anything"], SUBCOMMANDS)).toBe(row);
    expect(wholeHelpText(SUBCOMMANDS)).toContain(`  indus ${row.name} `);
  });

  it("the first page of the help is one screen of 24 rows, none longer than 80 columns, with ten commands", () => {
    const rows = helpText(SUBCOMMANDS).trimEnd().split("\n");
    expect(rows.length).toBeLessThanOrEqual(24);
    expect(rows.filter((row) => row.length > 80)).toEqual([]);
    const names = rows.flatMap((row) => /^ {2}indus ([a-z]+)/.exec(row)?.[1] ?? []);
    expect(names).toEqual("auth models doctor sessions export usage permissions why addons addon".split(" "));
  });

  it.each([
    [["config"], "indus doctor?"],
    [["agent"], "indus agents?"],
    [["agent", "list"], "indus agents?"],
    [["Addon"], "indus addon?"],
    [["addonz", "check"], "indus addon"],
    [["docter"], "indus doctor?"],
    [["login"], "indus auth login PROVIDER?"],
    [["chat"], "indus --help?"],
  ])("of %j was meant for a command, and is not sent to the model", (words, meant) => {
    expect(() => refuseMistyped(words, SUBCOMMANDS)).toThrow(`did you mean ${meant}`);
    expect(() => refuseMistyped(words, SUBCOMMANDS)).toThrow(`write: indus -p '${words.join(" ")}'`);
  });

  it.each([
    [[]],
    [["hello"]],
    [["refactor"]],
    [["fix", "login"]],
    [["login", "fails"]],
    [["config", "files", "leak"]],
    [["agents that hang: why?"]],
    [["/hello"]],
    [["constructor"]],
    [["help", "me", "with", "the", "tests"]],
    [["help", "why", "do", "tests", "fail"]],
  ])("of %j begins a task (the twin)", (words) => {
    expect(subcommandOf(words, SUBCOMMANDS)).toBeUndefined();
    expect(() => refuseMistyped(words, SUBCOMMANDS)).not.toThrow();
  });
});
