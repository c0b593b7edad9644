// The pager has the terminal to itself while a task goes on below it: the real command in a pseudo-terminal.

import { expect, it } from "vitest";
import { openRichConsole } from "../support/open-console.ts";
import { until } from "../support/until.ts";

const BYPASS = { args: ["--permission-mode", "bypass"] };
const numbers = (of: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `${of}${i + 1}`).join("\n\n");

it("is not drawn over by a running command or a resize, and what settled meanwhile is in the scroll-back once it closes", async () => {
  const command = "while [ ! -e go ]; do sleep 0.05; done; touch seen";
  const { type, waitFor, resize, screen, raw, place, server } = await openRichConsole(
    [{ calls: [{ name: "bash", input: { command } }] }, { text: `${numbers("row ", 150)}\n\nthe end` }],
    BYPASS,
  );
  type("go\r");
  await waitFor(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] bash while[^\n]* {2}[1-9]\d* s\n/);
  type("\x14");
  await waitFor(/q back$/);
  const before = raw().length;
  resize(70, 20);
  await until(() => raw().slice(before).includes("q back")); // the page has the new size
  place.file("go", "");
  await until(() => server.requests.length === 2 && /\x1b\]2;indus/.test(raw().slice(before))); // the task is done
  expect(screen()).toMatch(/q back$/);
  expect(raw().slice(before)).not.toMatch(/row 1|bash while[^\n]* {2}\d+ s/);
  type("q");
  await waitFor(/the end\n\n— 2 turns[\s\S]*\n\n›[^\n]*\n *anthropic[^\n]*$/);
  const rows = screen().match(/^row \d+$/gm);
  expect(rows).toEqual(numbers("row ", 150).split("\n\n"));
});
