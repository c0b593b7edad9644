// What the rich console says while it waits, and what of it can be unfolded where it stands: the real command in a
// pseudo-terminal, its screen as text.

import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import type { ScriptedTurn } from "../support/model-server.ts";
import { openRichConsole, RICH_IDLE } from "../support/open-console.ts";
import { openTerminal } from "../support/terminal.ts";

const says = (text: string): ScriptedTurn => ({ text });
const runs = (command: string): ScriptedTurn => ({ calls: [{ name: "bash", input: { command } }] });
const BYPASS = { args: ["--permission-mode", "bypass"] };

describe("what is waited for", () => {
  it("is the provider, until it has taken the request: with seconds", async () => {
    const held = Promise.withResolvers<undefined>();
    const server = createServer((socket) => void held.promise.then(() => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      held.resolve(undefined);
      server.close();
    });
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    const args = ["--model", "anthropic/scripted"];
    const { type, waitFor } = openTerminal({ console: "rich", place: createWorkplace(url), url, args });
    await waitFor(RICH_IDLE);
    type("go\r");
    await waitFor(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] connecting {2}[1-9]\d* s\n/);
    held.resolve(undefined);
    await waitFor(/connection lost: retry 1 of 13 in \d s/);
  });

  it("is then the first token, counted from the request on", LONG_ONLY, async () => {
    const { type, waitFor } = await openRichConsole([
      { text: "never", trouble: { kind: "silence", after: 0 } },
    ]);
    type("go\r");
    await waitFor(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] waiting for the first token {2}[1-9]\d* s\n/);
    type("\x1b");
    await waitFor(/stopped\n/);
  });

  it("is the next try, of as many as the time allows", LONG_ONLY, async () => {
    const { type, waitFor } = await openRichConsole([
      { trouble: { kind: "status", status: 529 } },
      { trouble: { kind: "status", status: 529 } },
      says("at last"),
    ]);
    type("go\r");
    await waitFor(/provider overloaded: retry 2 of 13 in \d s/);
    await waitFor("at last");
  });
});

it(
  "of several calls the quick one is done behind the slow one, and the last one waits for both",
  LONG_ONLY,
  async () => {
    const commands = ["while [ ! -e go ]; do sleep 0.05; done", "echo quick"];
    const calls = [
      ...commands.map((command) => ({ name: "bash", input: { command } })),
      { name: "write", input: { path: "late.txt", content: "late" } },
    ];
    const { place, type, waitFor } = await openRichConsole([{ calls }, says("All done.")], BYPASS);
    type("go\r");
    await waitFor(/\n[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] bash while[^\n]* {2}[1-9]\d* s\n/);
    await waitFor(/\n✓ bash echo quick {2}[^\n]* m?s\n· write late\.txt {2}waits\n/);
    place.file("go", "");
    await waitFor("All done.");
  },
);

it("/compact says that it is at work, with seconds, and so does the title", async () => {
  const held = Promise.withResolvers<void>();
  const { type, waitFor, title, screen } = await openRichConsole([
    says("First."),
    { text: "A summary.", trouble: { kind: "held", until: held.promise } },
  ]);
  onTestFinished(() => held.resolve());
  type("go\r");
  await waitFor(/First\.[\s\S]*1 turn/);
  type("/compact\r");
  await waitFor(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] running \/compact {2}[2-9] s\n/);
  expect(title()).toMatch(/^● indus/);
  expect(screen()).not.toContain("connecting");
  held.resolve();
  await waitFor(/Compacted \d+ messages?[\s\S]*\n\n›[^\n]*\n *anthropic[^\n]*$/);
});

it(
  "a compaction within a task says that it summarises, with seconds, and then what it waits for again",
  LONG_ONLY,
  async () => {
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const { type, waitFor, screen } = await openRichConsole(
      [
        says("First."),
        { ...runs("echo ran"), usage: { input: 60_000 } },
        { text: "A summary.", trouble: { kind: "held", until: held.promise } },
        says("Went on."),
      ],
      BYPASS,
    );
    type("go\r");
    await waitFor(/First\.[\s\S]*1 turn/);
    type("on\r");
    await waitFor(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] summarising the conversation so far {2}[1-9]\d* s\n/);
    expect(screen()).not.toContain("connecting");
    held.resolve();
    await waitFor(/Compacted \d+ messages?[\s\S]*Went on\./);
  },
);

describe("a command of the person's own", () => {
  it("shows its last lines while it runs, its first and last ones after, and one key unfolds them", async () => {
    const { type, waitFor, place, title } = await openRichConsole([says("Heard it.")], BYPASS);
    type("!seq 1 3; until [ -e go ]; do sleep 0.1; done; seq 4 30\r");
    await waitFor(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] ! seq 1 3; [^\n]* {2}[1-9]\d* s\n {2}1\n {2}2\n {2}3\n\n›/);
    expect(title()).toMatch(/^● indus/);
    type("and then\r");
    await waitFor(/⏎ and then\n {2}goes to the model next/);
    place.file("go", "");
    await waitFor(/✓ ! seq 1 3; [^\n]* s\n {2}1\n {2}2\n {2}3\n {2}… 22 more lines[^\n]*\n {2}26\n/);
    await waitFor(/Heard it\.[\s\S]*1 turn/);
    expect(title()).toMatch(/^indus/);
    type("\x0f");
    await waitFor(/▸ ! seq 1 3; [^\n]*\n(?: {2}\d+\n){30}/);
  });

  it("that fails says so", async () => {
    const { type, waitFor } = await openRichConsole([], BYPASS);
    type("!!echo why >&2; exit 3\r");
    await waitFor(/✗ !! echo why >&2; exit 3 {2}failed {2}[^\n]*\n {2}why\n {2}\(exit code 3\)\n/);
  });
});

describe("Ctrl+O", () => {
  const rows = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, i) => ` {2}${from + i}\n`).join("");
  const FOLDED = "1\n {2}2\n {2}3\n {2}… 2 more lines \\(Ctrl\\+O unfolds\\)\n {2}6\n";

  it("unfolds the last call where it stands, and folds it again; up and down choose another", async () => {
    const { type, waitFor, screen } = await openRichConsole(
      [runs("seq 1 10"), runs("seq 1 10 && : two"), says("Both ran.")],
      BYPASS,
    );
    type("go\r");
    await waitFor(/Both ran\.[\s\S]*\n\n›[^\n]*\n *anthropic/);
    type("\x0f");
    await waitFor(
      new RegExp(
        `✓ bash seq 1 10 {2}[^\\n]*\n {2}${FOLDED}[\\s\\S]*▸ bash [^\\n]*two[^\\n]*\n${rows(1, 10)}`,
      ),
    );
    await waitFor(/↑↓ choose/);
    type("\x1b[A");
    await waitFor(
      new RegExp(
        `▸ bash seq 1 10 {2}[^\\n]*\n {2}${FOLDED}[\\s\\S]*✓ bash [^\\n]*two[^\\n]*\n${rows(1, 10)}`,
      ),
    );
    type("\r");
    await waitFor(new RegExp(`▸ bash seq 1 10 {2}[^\\n]*\n${rows(1, 10)}`));
    type("\x0f");
    await waitFor(new RegExp(`▸ bash seq 1 10 {2}[^\\n]*\n {2}${FOLDED}`));
    type("so"); // goes to the line, and nothing is chosen any more
    await waitFor(/✓ bash seq 1 10 {2}[\s\S]*› so\n/);
    expect(screen()).not.toContain("▸");
  });

  it("shows a call that is longer than the screen from its first line on", LONG_ONLY, async () => {
    const { type, waitFor } = await openRichConsole([runs("seq 1 80"), says("It ran.")], BYPASS);
    type("go\r");
    await waitFor(/It ran\.[\s\S]*\n\n›[^\n]*\n *anthropic/);
    type("\x0f");
    await waitFor(new RegExp(`▸ bash seq 1 80 {2}[^\\n]*\n${rows(1, 80)}\nIt ran\\.`));
  });

  it("says so where nothing is folded", async () => {
    const { type, waitFor } = await openRichConsole([]);
    type("\x0f");
    await waitFor("nothing here is folded; Ctrl+T pages through everything");
  });

  it(
    "and the pager look at what was done while a question waits, and answer nothing",
    LONG_ONLY,
    async () => {
      const { type, answer, waitFor, screen, place } = await openRichConsole([
        runs("seq 1 15"),
        runs("mkfifo made && seq 1 15"),
        says("Done."),
      ]);
      type("go\r");
      await waitFor(/asks for permission[\s\S]*\[r\][^\n]*\n(?: {2,}(?!what)[^\n]*\n)* *anthropic[^\n]*$/);
      await answer("\x1b[B\x1b[A");
      await waitFor(/❯ 1\. \[y\][\s\S]*\[r\][^\n]*\n(?: {2,}(?!what)[^\n]*\n)* *anthropic[^\n]*$/);
      type("\x14");
      await waitFor(/q back$/);
      type("q");
      await waitFor(/❯ 1\. \[y\][\s\S]*\[r\][^\n]*\n(?: {2,}(?!what)[^\n]*\n)* *anthropic[^\n]*$/);
      type("\x0f");
      await waitFor(new RegExp(`bash seq 1 15 {2}[^\\n]*\n${rows(1, 15)}[\\s\\S]*❯ 1\\. \\[y\\]`));
      type("n");
      await waitFor("→ no");
      await waitFor("Done.");
      expect(
        screen()
          .split("\n")
          .filter((row) => row.startsWith("unknown model ")).length,
      ).toBe(1); // no row is written twice
      expect(existsSync(join(place.cwd, "made"))).toBe(false);
    },
  );
});
