import { describe, expect, it } from "vitest";
import { refuseMistyped } from "../cli/command-mistakes.ts";
import { subcommandOf } from "../cli/command-words.ts";
import { helpText } from "../cli/help.ts";
import { SUBCOMMANDS } from "./subcommands.ts";

describe("the first word", () => {
  it.each(SUBCOMMANDS)("$name is a command, and in the help", (row) => {
    expect(subcommandOf([row.name, "anything"], SUBCOMMANDS)).toBe(row);
    expect(helpText(SUBCOMMANDS)).toContain(`  indus ${row.name} `);
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
    [["update"], "indus --help?"],
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
