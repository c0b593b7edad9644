import { describe, expect, it } from "vitest";
import { helpText } from "./flags.ts";
import { SUBCOMMANDS, subcommandOf } from "./subcommands.ts";

describe("the first word", () => {
  it.each(SUBCOMMANDS)("%s is a command, and in the help", (name) => {
    expect(subcommandOf([name, "anything"])).toBe(name);
    expect(helpText()).toContain(`  indus ${name} `);
  });

  it.each([
    [["sessions"], "indus -c"],
    [["agent"], "indus agents?"],
    [["agent", "list"], "indus agents?"],
    [["Addon"], "indus addon?"],
    [["addonz", "check"], "indus addon"],
    [["docter"], "indus doctor?"],
    [["login"], "indus auth login PROVIDER?"],
    [["help"], "indus --help?"],
    [["update"], "indus --help?"],
  ])("of %j was meant for a command, and is not sent to the model", (words, meant) => {
    expect(() => subcommandOf(words)).toThrow(`did you mean ${meant}`);
    expect(() => subcommandOf(words)).toThrow(`write: indus -p '${words.join(" ")}'`);
  });

  it.each([
    [[]],
    [["hello"]],
    [["refactor"]],
    [["fix", "login"]],
    [["login", "fails"]],
    [["sessions", "leak", "memory"]],
    [["agents that hang: why?"]],
    [["/hello"]],
    [["constructor"]],
  ])("of %j begins a task (the twin)", (words) => {
    expect(subcommandOf(words)).toBeUndefined();
  });
});
