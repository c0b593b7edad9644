import { describe, expect, it } from "vitest";
import type { BriefingDiagnostic } from "../../briefing/contract.ts";
import { promptCommandsFeature } from "../../deck/builtins/prompt-commands.ts";
import { grantDeclared, installFeatures } from "../../feature/registry.ts";
import { type Finding, gatherFindings, skippedParts, startLines } from "./findings.ts";

const remark = (kind: BriefingDiagnostic["kind"], path: string): BriefingDiagnostic => ({
  kind,
  path,
  message: `${path}: ${kind}`,
});
const findings = (...diagnostics: readonly BriefingDiagnostic[]): readonly Finding[] =>
  gatherFindings({ diagnostics, foreign: [], commands: [], reports: [], strays: [], delegates: [] });
const rules = (count: number) => ({
  path: "/w/.claude/rules",
  label: ".claude/rules",
  holds: `${count} rules`,
  count,
  instead: "copy what matters into AGENTS.md",
});
const TALK = { isVerbose: false, isTalking: true };
const PRINT = { isVerbose: false, isTalking: false };
const VERBOSE = { isVerbose: true, isTalking: false };

describe("what a start says", () => {
  const much = gatherFindings({
    diagnostics: Array.from({ length: 24 }, (_, n) => remark("unsupported", `/w/.claude/commands/${n}.md`)),
    foreign: [rules(10), { ...rules(1), path: "/w/GEMINI.md", label: "GEMINI.md", holds: "instructions" }],
    commands: [],
    reports: [],
    strays: [],
    delegates: [],
  });

  it("is one line about much that belongs to other agents, and none where nobody talks", () => {
    expect(startLines(much, TALK)).toEqual([
      "11 files of other agents are not used, 24 only in part: indus doctor",
    ]);
    expect(startLines(much, PRINT)).toEqual([]);
    expect(startLines(much, VERBOSE)).toHaveLength(26); // the counterpart: listed individually
  });

  it("counts what of a package does not apply, which was said when it was added, but names what could be an attack", () => {
    const packages = "/h/packages";
    const diagnostics = [
      remark("unsupported", "/h/packages/kit/a.md"),
      remark("refused", "/h/packages/kit/b.md"),
    ];
    const nothing = { foreign: [], commands: [], reports: [], strays: [], delegates: [] };
    const found = gatherFindings({ ...nothing, diagnostics, packages });
    const attack = "/h/packages/kit/b.md: refused";
    expect(startLines(found, PRINT)).toEqual([attack]);
    expect(startLines(found, TALK)).toEqual([
      attack,
      "1 file of other agents is used only in part: indus doctor",
    ]);
    const elsewhere = gatherFindings({ ...nothing, diagnostics, packages: "/h/other" });
    expect(startLines(elsewhere, PRINT)).toHaveLength(2);
  });

  it("counts the delegates of other agents that name tools of theirs, and names the person's own", () => {
    const tools = ["NotebookRead", "KillShell"];
    const delegates = ["/w/.claude/agents/a.md", "/w/.claude/agents/b.md", "/w/.indus/agents/c.toml"].map(
      (source) => ({ source, tools, isBare: false }),
    );
    const found = gatherFindings({
      diagnostics: [],
      foreign: [],
      commands: [],
      reports: [],
      strays: [],
      delegates,
    });
    const own = "/w/.indus/agents/c.toml: tool not found here: NotebookRead, KillShell";
    expect(startLines(found, TALK)).toEqual([
      own,
      "2 files of other agents are used only in part: indus doctor",
    ]);
    expect(startLines(found, PRINT)).toEqual([own]);
  });

  it("always tells of a delegate without any tool, whoever wrote its file", () => {
    const none = { diagnostics: [], foreign: [], commands: [], reports: [], strays: [] };
    const source = "/w/.claude/agents/a.md";
    for (const [tools, why] of [
      [["Grip"], "tool not found here: Grip"],
      [[], "its list of tools is empty"],
    ] as const) {
      const found = gatherFindings({ ...none, delegates: [{ source, tools, isBare: true }] });
      expect(startLines(found, PRINT)).toEqual([`${source}: the delegate has no tool: ${why}`]);
    }
  });

  it.each<[readonly Finding[], readonly string[]]>([
    [[], []],
    [
      findings(remark("unsupported", "/w/.claude/skills/a/SKILL.md")),
      ["1 file of other agents is used only in part: indus doctor"],
    ],
    [
      findings(remark("macro-invalid", "/w/.claude/commands/a.md")),
      ["1 file of other agents is not used: indus doctor"],
    ],
    [
      findings(
        remark("unsupported", "/w/.claude/commands/a.md"),
        remark("unsupported", "/w/.claude/commands/a.md"),
      ),
      ["1 file of other agents is used only in part: indus doctor"],
    ],
  ])("counts files, not remarks", (found, lines) => {
    expect(startLines(found, TALK)).toEqual(lines);
  });

  it("is each of the person's own, up to five", () => {
    const own = findings(
      ...Array.from({ length: 7 }, (_, n) => remark("collision", `/w/.indus/commands/${n}.md`)),
    );
    const lines = startLines(own, PRINT);
    expect(lines).toHaveLength(6);
    expect(lines[0]).toBe("/w/.indus/commands/0.md: collision");
    expect(lines[5]).toBe("and 2 more of the same kind: indus doctor");
    expect(startLines(own, VERBOSE)).toHaveLength(7);
  });

  it.each(["refused", "invisible"] as const)(
    "is never silent about what is %s, whoever's file it is",
    (kind) => {
      for (const path of ["/w/AGENTS.md", "/w/.claude/commands/a.md", "/w/.claude/CLAUDE.md"])
        expect(startLines(findings(remark(kind, path)), PRINT)).toEqual([`${path}: ${kind}`]);
    },
  );

  it("takes instructions for the person's own, wherever they lie", () => {
    expect(startLines(findings(remark("limit", "/w/.claude/CLAUDE.md")), PRINT)).toHaveLength(1);
  });
});

describe("a finding", () => {
  it("says what to do instead: its own advice first", () => {
    const own = gatherFindings({
      diagnostics: [
        { ...remark("unsupported", "/w/a.md"), instead: "write the path" },
        remark("collision", "/w/b.md"),
      ],
      foreign: [],
      commands: [],
      reports: [],
      strays: [],
      delegates: [],
    });
    expect(own.map(({ instead }) => instead)).toEqual(["write the path", "rename or remove one of the two"]);
  });
});

describe("commands whose names cannot be used", () => {
  const command = (name: string, file: string) => ({
    name,
    summary: "",
    source: `/w/${file}`,
    expand: () => [],
  });

  it("are told with their file and the reason, each", async () => {
    const commands = [
      command("help", "help.md"),
      command("ship", "Ship.md"),
      command("ship", "ship.md"),
      command("my cmd", "my cmd.md"),
      command("fine", "fine.md"),
    ];
    const taken = promptCommandsFeature([command("help", "built in")]);
    const other = { ...taken, descriptor: { ...taken.descriptor, id: "builtin:session" as const } };
    const { reports } = await installFeatures([other, promptCommandsFeature(commands)], grantDeclared);
    const found = gatherFindings({
      diagnostics: [],
      foreign: [],
      commands,
      reports,
      strays: [],
      delegates: [],
    });
    expect(found.map(({ path }) => path)).toEqual(["/w/help.md", "/w/ship.md", "/w/my cmd.md"]);
    expect(found[0]?.why).toContain('/w/help.md is not used: the command name "/help" is taken');
    expect(found[2]?.why).toContain('"my cmd" is not a valid command name');
  });
});

describe("what an addon contributes in vain", () => {
  it("is one line for each addon, with every part and its reason", () => {
    const skipped = [
      { kind: "command", name: "Deploy", reason: "it is not a command name" },
      { kind: "tool", name: "read", reason: "the tool name is taken" },
    ] as const;
    const report = { feature: "project:a", enabled: true, skipped, faults: [] };
    const whole = { ...report, feature: "project:b", skipped: [] };
    const reports = [report, whole, { ...whole, feature: "project:c", enabled: false }];
    expect(skippedParts(reports as unknown as Parameters<typeof skippedParts>[0])).toEqual([
      "project:a: skipped: command Deploy (it is not a command name); tool read (the tool name is taken)",
      "project:c: it contributes nothing",
    ]);
  });
});
