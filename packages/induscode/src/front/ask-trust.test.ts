import { describe, expect, test } from "vitest";
import { openTestDialogue } from "../../../../tests/support/test-terminal.ts";
import { addonId } from "../addons/contract.ts";
import type { TrustQuestion } from "../addons/source/decide-trust.ts";
import { columnsOf } from "../console/columns.ts";
import { gutter } from "../console/question-lines.ts";
import { createStyle } from "../console/style.ts";
import type { LineLook } from "../console/transcript-lines.ts";
import { createTrustAsker, trustScreen } from "./ask-trust.ts";

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
  confinement: () => ["sandbox: bubblewrap"],
  capabilities: [
    {
      capability: { kind: "files", read: false, write: false, execute: true },
      required: true,
      reason: "/deploy runs a command",
    },
    { capability: { kind: "alert" }, required: false, reason: "tells you" },
  ],
};
const CHOICES = "  [y] trust it   [n] skip it";

const at = (path: string): TrustQuestion => ({ ...QUESTION, source: { ...QUESTION.source, path } });

const linesOf = (question: TrustQuestion, given: LineLook = look): readonly string[] =>
  trustScreen(question, given).lines;

describe("the question", () => {
  test("shows all of the addon behind the gutter, each fact under its own label, what it may do first", () => {
    expect(linesOf(QUESTION)).toEqual([
      "",
      "? Trust the addon safety 1.0.0? It is new here, or has changed.",
      "  asks  │ files (execute): /deploy runs a command",
      "  asks  │ alert (optional): tells you",
      "  limit │ sandbox: bubblewrap",
      "  from  │ /p/.indus/addons/safety",
      "  hash  │ 0123456789abcdef",
      "  about │ Keeps things safe.",
      "  runs  │ stops tool:before of bash: too dangerous",
      "  runs  │ /deploy runs: ./deploy.sh",
      CHOICES,
    ]);
  });

  test("says what is different since it was trusted", () => {
    const before = {
      at: "2026-11-02T10:00:00.000Z",
      granted: [{ kind: "alert" }, { kind: "secret", id: "OLD_TOKEN" }],
    } as const;
    const lines = linesOf({ ...QUESTION, before });
    expect(lines[1]).toBe(
      "? Trust the addon safety 1.0.0? It has changed since you trusted it on 2026-11-02.",
    );
    expect(lines).toContain("  new   │ files (execute): /deploy runs a command");
    expect(lines).toContain("  asks  │ alert (optional): tells you");
    expect(lines.some((line) => /^ {2}gone {2}│ .*OLD_TOKEN/.test(line))).toBe(true);
  });

  test("says of each capability what of it is asked for, and whether it is required", () => {
    const capabilities = [
      { capability: { kind: "memory", read: true, write: false }, required: true, reason: "remembers" },
      {
        capability: { kind: "sessions", spawn: true, message: false, restore: false },
        required: false,
        reason: "x",
      },
    ] as const;
    expect(linesOf({ ...QUESTION, capabilities }, { ...look, columns: 120 }).slice(2, 4)).toEqual([
      "  asks  │ memory (read): remembers",
      "  asks  │ sessions (spawn) (optional): x",
    ]);
  });

  const FORGED = "/p/lint\n  hash  │ ffff\n  runs  │ nothing at all\n  [y] go on";

  test("a folder's name cannot forge it: its line breaks are spelled out", () => {
    expect(linesOf(at(FORGED)).slice(5, 8)).toEqual([
      "  from  │ /p/lint⏎  hash  │ ffff⏎  runs  │ nothing at all⏎ ",
      "        │  [y] go on",
      "  hash  │ 0123456789abcdef",
    ]);
  });

  test("the twin: printed as it is, the name writes rows of its own", () => {
    expect(`  from  │ ${FORGED}`.split("\n")[1]).toBe("  hash  │ ffff");
  });

  test("an escape sequence in what it would do is spelled out", () => {
    const contributes = ["/x runs: ls \x1b[2K\r; rm -rf ~"];
    expect(linesOf({ ...QUESTION, contributes })).toContain(
      "  runs  │ /x runs: ls \\u{1b}[2K\\u{d}; rm -rf ~",
    );
  });

  test("an addon of 400 parts is cut at 60 rows, and the question says so", () => {
    const contributes = Array.from({ length: 400 }, (_, part) => `/c${part} runs: ls`);
    const lines = linesOf({ ...QUESTION, contributes }, { ...look, rows: 100 });
    expect(lines).toHaveLength(62);
    expect(lines.slice(-3)).toEqual(["  runs  │ /c52 runs: ls", lines.at(-2), CHOICES]);
    expect(lines.at(-2)).toContain("… and 347 more rows");
  });

  test("neither a long path nor a long description pushes out what it would do", () => {
    const long = { ...at(`/p/${"x".repeat(4000)}`), description: "y".repeat(4000) };
    expect(linesOf(long)).toContain("  runs  │ /deploy runs: ./deploy.sh");
  });
});

describe("on any screen", () => {
  const HOSTILE: readonly (readonly [string, string])[] = [
    ["short", "it needs it"],
    ["huge", "because ".repeat(20_000)],
    ["of many lines", "x\n".repeat(5_000)],
    ["of blank lines", "\n".repeat(5_000)],
    ["that clears the screen", "\x1b[2J\x1b[H\x9b2Jnothing to see"],
    ["in the other direction", `\u202e${"esle gnihton ".repeat(500)}`],
    ["of what cannot be seen", "\u200b\u2060\u3164".repeat(3_000)],
    ["of wide letters", "\u6f22".repeat(5_000)],
    ["that forges the question", "x\n  [y] grants nothing\n  limit │ everything is confined\n".repeat(50)],
  ];
  const SIZES = [40, 80, 200].flatMap((columns) => [10, 24, 60].map((rows) => ({ columns, rows })));
  const asking = (reason: string): TrustQuestion => ({
    ...QUESTION,
    description: reason,
    contributes: [reason, reason],
    capabilities: [
      { capability: { kind: "files", read: true, write: true, execute: true }, required: true, reason },
      { capability: { kind: "secret", id: "DB_PASSWORD" }, required: true, reason },
      { capability: { kind: "alert" }, required: false, reason },
    ],
  });
  /** How many terminal rows the lines take, including the one for the answer. */
  const rowsOn = (lines: readonly string[], columns: number): number =>
    lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / columns)), 1);
  const wordsOf = (lines: readonly string[]): string =>
    lines
      .map((line) => line.replace(/^ {2}\w* *│ ?/, ""))
      .join(" ")
      .replace(/\s+/g, " ");

  test.each(HOSTILE)(
    "a reason %s hides neither a capability nor the fence, and moves nothing off",
    (_how, reason) => {
      for (const { columns, rows } of SIZES) {
        const question = asking(reason);
        const { lines, mayTrust } = trustScreen(question, { ...look, columns, rows });
        const where = `${columns}x${rows}`;
        expect(mayTrust, where).toBe(true);
        expect(rowsOn(lines, columns), where).toBeLessThanOrEqual(rows);
        const words = wordsOf(lines);
        for (const what of [
          "files (read, write, execute)",
          "secret (DB_PASSWORD)",
          "alert (optional)",
          "sandbox: bubblewrap",
        ])
          expect(words, where).toContain(what);
        expect(lines.at(-1)).toBe(CHOICES);
        expect(
          lines.filter((line) => /^ *\[y\]/.test(line)),
          where,
        ).toHaveLength(1);
        expect(lines.join(""), where).not.toMatch(/[\p{Cc}\u202e\u200b\u2060\u3164]/u);
      }
    },
  );

  test.each(SIZES)(
    "every capability there is stands on a screen of $columns x $rows, or there is no yes",
    ({ columns, rows }) => {
      const capabilities = Array.from({ length: 25 }, (_, at) => ({
        capability: { kind: "network", purpose: "", hosts: [`host-${at}.example.org`] } as const,
        required: true,
        reason: "r".repeat(500),
      }));
      const { lines, mayTrust } = trustScreen({ ...QUESTION, capabilities }, { ...look, columns, rows });
      const shown = wordsOf(lines);
      const missing = capabilities.filter(
        ({ capability }) => !shown.replaceAll(" ", "").includes(capability.hosts[0] ?? "?"),
      );
      expect(rowsOn(lines, columns)).toBeLessThanOrEqual(Math.max(rows, 10));
      if (mayTrust) expect(missing).toEqual([]);
      else expect(lines.join("\n")).not.toContain("trust it");
      expect(mayTrust).toBe(rows === 60 || columns === 200 || (columns === 80 && rows === 24));
    },
  );

  test("the twin: rows in the order of the manifest, cut at the end, lose the fence behind one long reason", () => {
    const question = asking("because ".repeat(20_000));
    const plain = question.capabilities.flatMap(({ reason }) => gutter("asks", `files: ${reason}`, look));
    expect(plain.length).toBeGreaterThan(60);
    expect([...plain, ...gutter("fence", "sandbox: bubblewrap", look)].slice(0, 60).join("")).not.toContain(
      "fence",
    );
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

  test("a yes to a screen that does not show all asks again; what is seen then counts (twin: a no counts at once)", async () => {
    const { terminal, dialogue } = openTestDialogue();
    const size = Object.assign(terminal.output, { rows: 4 });
    const answer = createTrustAsker(dialogue)(QUESTION);
    await terminal.settle();
    expect(terminal.screen()).not.toContain("trust it");
    await terminal.type("y\r");
    expect(terminal.screen()).not.toContain("trust it");
    size.rows = 24;
    await terminal.type("y\r");
    expect(terminal.screen()).toContain(CHOICES);
    await terminal.type("y\r");
    expect(await answer).toBe("yes");
    size.rows = 4;
    const second = createTrustAsker(dialogue)(QUESTION);
    await terminal.settle();
    await terminal.type("n\r");
    expect(await second).toBe("no");
  });
});
