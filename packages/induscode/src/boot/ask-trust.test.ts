import { describe, expect, test } from "vitest";
import { addonId } from "../addons/contract.ts";
import type { TrustQuestion } from "../addons/decide-trust.ts";
import { createStyle } from "../console/style.ts";
import { openTestDialogue } from "../console/test-terminal.ts";
import { createTrustAsker, trustLines } from "./ask-trust.ts";

const look = { style: createStyle(false), columns: 60 };
const QUESTION: TrustQuestion = {
  id: addonId("safety"),
  version: "1.0.0",
  description: "Keeps things safe.",
  source: {
    id: addonId("safety"),
    path: "/p/.indus/addons/safety",
    root: "/p/.indus/addons/safety",
    scope: "project",
  },
  hash: "0123456789abcdef".repeat(4),
  contributes: ["stops tool:before of bash: too dangerous", "/deploy runs: ./deploy.sh"],
  capabilities: [
    {
      capability: { kind: "files", read: false, write: false, execute: true },
      required: true,
      reason: "/deploy runs a command",
    },
    { capability: { kind: "alert" }, required: false, reason: "tells you" },
  ],
};
const CHOICES = "  [y] trust this content and grant all of it   [n] leave it out";

const at = (path: string): TrustQuestion => ({ ...QUESTION, source: { ...QUESTION.source, path } });

describe("the question", () => {
  test("shows all of the addon behind the gutter, each fact under its own label", () => {
    expect(trustLines(QUESTION, look)).toEqual([
      "",
      "? The addon safety 1.0.0 is new here, or has changed.",
      "  from  │ /p/.indus/addons/safety",
      "  hash  │ 0123456789abcdef",
      "  says  │ Keeps things safe.",
      "  would │ stops tool:before of bash: too dangerous",
      "  would │ /deploy runs: ./deploy.sh",
      "  asks  │ files (execute): /deploy runs a command",
      "  asks  │ alert (optional): tells you",
      CHOICES,
    ]);
  });

  test("says what nobody can be given", () => {
    const capabilities = [
      { capability: { kind: "memory", read: true, write: false }, required: true, reason: "remembers" },
      {
        capability: { kind: "sessions", spawn: true, message: false, restore: false },
        required: false,
        reason: "x",
      },
    ] as const;
    expect(trustLines({ ...QUESTION, capabilities }, { ...look, columns: 120 }).slice(7, 9)).toEqual([
      "  asks  │ memory (read) (refused: this version of indus has no such service): remembers",
      "  asks  │ sessions (spawn) (optional) (refused: this version of indus has no such service): x",
    ]);
  });

  const FORGED = "/p/lint\n  hash  │ ffff\n  would │ nothing at all\n  [y] go on";

  test("a folder's name cannot forge it: its line breaks are spelled out", () => {
    expect(trustLines(at(FORGED), look).slice(2, 5)).toEqual([
      "  from  │ /p/lint⏎  hash  │ ffff⏎  would │ nothing at all⏎ ",
      "        │  [y] go on",
      "  hash  │ 0123456789abcdef",
    ]);
  });

  test("the twin: printed as it is, the name writes rows of its own", () => {
    expect(`  from  │ ${FORGED}`.split("\n")[1]).toBe("  hash  │ ffff");
  });

  test("an escape sequence in what it would do is spelled out", () => {
    const contributes = ["/x runs: ls \x1b[2K\r; rm -rf ~"];
    expect(trustLines({ ...QUESTION, contributes }, look)[5]).toBe(
      "  would │ /x runs: ls \\u{1b}[2K\\u{d}; rm -rf ~",
    );
  });

  test("an addon of 400 parts is cut at 60 rows, and the question says so", () => {
    const contributes = Array.from({ length: 400 }, (_, part) => `/c${part} runs: ls`);
    const lines = trustLines({ ...QUESTION, contributes }, look);
    expect(lines).toHaveLength(64);
    expect(lines.slice(-3)).toEqual([
      "  would │ /c56 runs: ls",
      "  … and 345 more rows that do not fit here: read its manifest before you trust it",
      CHOICES,
    ]);
  });

  test("neither a long path nor a long description pushes out what it would do", () => {
    const long = { ...at(`/p/${"x".repeat(4000)}`), description: "y".repeat(4000) };
    expect(trustLines(long, look)).toContain("  would │ /deploy runs: ./deploy.sh");
  });
});

describe("the asker", () => {
  test("takes a yes that is typed behind the question, and none from before", async () => {
    const { terminal, dialogue } = openTestDialogue();
    await terminal.type("y\rhello\ryes\r");
    const answer = createTrustAsker(dialogue)(QUESTION);
    await terminal.settle();
    expect(terminal.screen()).toContain(`${CHOICES}\n  y/n ›`);
    await terminal.type("n\r");
    expect(await answer).toBe("no");
    const second = createTrustAsker(dialogue)(QUESTION);
    await terminal.settle();
    await terminal.type("yes\r");
    expect(await second).toBe("yes");
  });

  test("Ctrl+C is no answer that could be kept, and ends the console before it begins", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const answer = createTrustAsker(dialogue)(QUESTION);
    const left = expect(answer).rejects.toThrow("the question was left");
    await terminal.settle();
    await terminal.type("\x03");
    await left;
    expect(await dialogue.nextLine(() => undefined)).toBeUndefined();
  });
});
