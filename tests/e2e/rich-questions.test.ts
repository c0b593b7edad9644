// What a permission question in the rich console shows of its call, and what its keys do: the real command in a
// pseudo-terminal.

import { describe, expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { Script, ScriptedTurn } from "../support/model-server.ts";
import { openRichConsole } from "../support/open-console.ts";

const says = (text: string): ScriptedTurn => ({ text });
const writes = (path: string, content: string) => ({ name: "write", input: { path, content } });
const handsOn = (objective: string) => ({ name: "task", input: { agent: "coder", objective } });

/** A delegate's turns, and those of the session's own agent. */
function withDelegate(own: readonly ScriptedTurn[], delegate: readonly ScriptedTurn[]): Script {
  const left = { own: [...own], delegate: [...delegate] };
  return ({ body }) =>
    left[JSON.stringify(body.system).includes("You are the delegate") ? "delegate" : "own"].shift();
}

function placeThatAsks(): Workplace {
  const place = createWorkplace();
  place.settings({ localServers: [], permissions: { ask: ["write(**)"] } });
  return place;
}

/** A question that takes keys, as the last thing on the screen. */
const ARMED = /asks for permission[\s\S]*\[r\][^\n]*\n(?: {2,}(?!what)[^\n]*\n)* *anthropic[^\n]*$/;

it(
  "a delegate's question shows what its own call writes, while one of the session's has the same tool",
  LONG_ONLY,
  async () => {
    const { type, answer, waitFor, screen } = await openRichConsole(
      withDelegate(
        [{ calls: [handsOn("write it"), writes("good.txt", "harmless\n")] }, says("All done.")],
        [{ calls: [writes("evil.txt", "of the delegate\n")] }, says("wrote it")],
      ),
      { place: placeThatAsks() },
    );
    type("go\r");
    await waitFor(ARMED);
    const first = screen();
    const isDelegates = /write │ evil\.txt\n/.test(first);
    expect(first).toContain(isDelegates ? "+ of the delegate" : "+ harmless");
    expect(first).not.toContain(isDelegates ? "+ harmless" : "+ of the delegate");
    if (isDelegates) expect(first).not.toMatch(/\n\? write {2}asking/);
    await answer("n");
    await waitFor(
      /→ no[\s\S]*asks for permission[\s\S]*\[r\][^\n]*\n(?: {2,}(?!what)[^\n]*\n)* *anthropic[^\n]*$/,
    );
    const second = screen().slice(screen().lastIndexOf("→ no"));
    expect(second).toContain(isDelegates ? "+ harmless" : "+ of the delegate");
    expect(second).not.toContain(isDelegates ? "+ of the delegate" : "+ harmless");
  },
);

it("a write over a file is asked about with the lines that it removes, with secrets masked", async () => {
  const place = placeThatAsks();
  place.file("notes.txt", "keep\nlost with my-long-secret-value\n");
  const { type, waitFor, raw } = await openRichConsole(
    [{ calls: [writes("notes.txt", "keep\nadded\n")] }, says("Done.")],
    { place, env: { DEPLOY_TOKEN: "my-long-secret-value" } },
  );
  type("go\r");
  await waitFor(/diff {2}│ {3}keep\n {8}│ - lost with \[secret DEPLOY_TOKEN\]\n {8}│ \+ added\n/);
  expect(raw()).not.toContain("my-long-secret-value");
});

it("a write over a file that is too long says how much is lost", LONG_ONLY, async () => {
  const place = placeThatAsks();
  place.file("data.bin", "a\0b".repeat(100_000));
  const { type, waitFor } = await openRichConsole([{ calls: [writes("data.bin", "x\n")] }, says("Done.")], {
    place,
  });
  type("go\r");
  await waitFor(/diff {2}│ [^\n]*bytes of current content will be lost, not shown here\n {8}│ \+ x\n/);
});

it("an edit of every place is asked about with how many they are", LONG_ONLY, async () => {
  const place = createWorkplace();
  place.settings({ localServers: [], permissions: { ask: ["edit(**)"] } });
  place.file("a.txt", "one two one\none\n");
  const input = { path: "a.txt", oldText: "one", newText: "three", replaceAll: true };
  const { type, waitFor } = await openRichConsole([{ calls: [{ name: "edit", input }] }, says("Done.")], {
    place,
  });
  type("go\r");
  await waitFor(/diff {2}│ 3 places in the file\n {8}│ - one\n {8}│ \+ three\n/);
});

it(
  "a question that a smaller window has no room for is printed whole above its answers",
  LONG_ONLY,
  async () => {
    const command = `mkfifo ${"a".repeat(90)}; rm -rf zzz`;
    const { type, waitFor, resize } = await openRichConsole(
      [{ calls: [{ name: "bash", input: { command } }] }, says("Done.")],
      { args: ["--permission-mode", "acceptEdits"] },
    );
    type("go\r");
    await waitFor(ARMED);
    resize(50, 12);
    await waitFor(
      /bash asks for permission\n {2}run {3}│ [\s\S]*rm -rf zzz\n[\s\S]*the question is above \(\d+ rows\)/,
    );
  },
);

it("a low window shows some of the answers, and the arrows lead to the others", LONG_ONLY, async () => {
  const { type, answer, waitFor } = await openRichConsole(
    [{ calls: [writes("a.txt", "x\n")] }, says("Done.")],
    {
      place: placeThatAsks(),
      rows: 6,
    },
  );
  type("go\r");
  await waitFor(
    /question is above[^\n]*\n❯ 1\. \[y\] [^\n]*\n {2}2\. \[s\] [^\n]*\n↓ 3\. \[n\] [^\n]*\n *anthropic/,
  );
  await answer("\x1b[A");
  await waitFor(
    /question is above[^\n]*\n↑ 2\. \[s\] [^\n]*\n {2}3\. \[n\] [^\n]*\n❯ 4\. \[r\] [^\n]*\n *anthropic/,
  );
});

describe("at a question", () => {
  const asks = { calls: [writes("asked.txt", "x\n")] };

  it.each(
    rows(
      [
        ["the session's", "\x03", [asks, says("went on")], []],
        ["the session's", "\x1b", [asks, says("went on")], []],
        [
          "a delegate's",
          "\x1b",
          [{ calls: [handsOn("write it")] }, says("went on")],
          [asks, says("went on")],
        ],
      ] as const,
      theFirst,
    ),
  )("Ctrl+C and Esc refuse the call and stop the task: %s, %j", async (_, key, own, delegate) => {
    const { type, waitFor, server, screen } = await openRichConsole(withDelegate(own, delegate), {
      place: placeThatAsks(),
    });
    type("go\r");
    await waitFor(ARMED);
    const asked = server.requests.length;
    type(key);
    await waitFor(/→ task stopped[\s\S]*stopped\n[\s\S]*\n\n›[^\n]*\n *anthropic[^\n]*$/);
    expect(server.requests).toHaveLength(asked);
    expect(screen()).not.toContain("went on");
  });

  it("n refuses the call, and the task goes on", async () => {
    const place = placeThatAsks();
    const { type, answer, waitFor } = await openRichConsole([asks, says("went on")], { place });
    type("go\r");
    await waitFor(ARMED);
    await answer("n");
    await waitFor(/→ no[\s\S]*went on/);
  });
});

it("in a narrow window each answer is whole, the mode is below, and Esc leads back from what Tab edits", async () => {
  const { type, answer, waitFor, screen, server } = await openRichConsole(
    [{ calls: [{ name: "bash", input: { command: "npm version minor" } }] }, says("went on")],
    {
      columns: 40,
      args: ["--permission-mode", "ask", "--sandbox", "off"],
      idle: /\n\n›[^\n]*\n *anthropic[^\n]* {2}ask$/,
    },
  );
  type("go\r");
  await waitFor(ARMED);
  const shown = screen().replaceAll(/ ?\n {5}(?=\S)/g, " ");
  expect(shown).toMatch(/\n {2}2\. \[a\] yes, and don't ask again here for npm version \* {2}←→\n/);
  expect(shown).toMatch(/\n {2}4\. \[r\] no, and tell the model what to do instead\n/);
  expect(screen()).toMatch(/\n *anthropic\/scripted[^\n]* {2}ask[^\n]*$/);
  await answer("\t");
  await waitFor(/don't ask again here for … \(Esc: back\)\n[\s\S]*› npm version \*\n/);
  type("\x1b");
  await waitFor(/here for\s+what\n? +begins with\n[\s\S]*asks for permission[\s\S]*❯ 1\. \[y\] yes\n/);
  await answer("n");
  await waitFor(/→ no\n[\s\S]*went on/);
  expect(server.requests).toHaveLength(2);
});
