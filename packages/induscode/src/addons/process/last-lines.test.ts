import { describe, expect, it } from "vitest";
import { createLastLines } from "./last-lines.ts";

const said = (text: string): string => {
  const lines = createLastLines();
  lines.add(text);
  return lines.text();
};

describe("what a process wrote last", () => {
  it.each([
    ["nothing", "\n  \n", ""],
    ["its last three lines", "one\ntwo\nthree\nfour\n", "two ⏎ three ⏎ four"],
    ["a line once", "usage\nusage\n", "usage"],
    [
      "Node's error, without what is around it",
      "node:internal/modules/cjs/loader:1408\n  throw err;\n  ^\n\nError: Cannot find module 'x'\n    at f (a.js:1:2)\n    at g (b.js:3:4) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v24.15.0\n",
      "Error: Cannot find module 'x' ⏎ code: 'MODULE_NOT_FOUND'",
    ],
    [
      "Python's error, without its frames",
      'Traceback (most recent call last):\n  File "s.py", line 1, in <module>\n    import x\nModuleNotFoundError: No module named x\n',
      "ModuleNotFoundError: No module named x",
    ],
    [
      "the cause of an error that is written with its parts",
      "[21] Fatal error: TypeError: fetch failed\n    at f (a.js:1:2) {\n  [cause]: Error: getaddrinfo EAI_AGAIN a.invalid\n      at g (b.js:1:2) {\n    errno: -3001,\n    code: 'EAI_AGAIN',\n    syscall: 'getaddrinfo'\n  }\n}\n",
      "[cause]: Error: getaddrinfo EAI_AGAIN a.invalid ⏎ errno: -3001, ⏎ code: 'EAI_AGAIN',",
    ],
    [
      "what came long after an error that it survived",
      `Error: retrying\n${"working\nresting\n".repeat(20)}out of memory\n`,
      "working ⏎ resting ⏎ out of memory",
    ],
  ])("is %s", (_what, text, words) => {
    expect(said(text)).toBe(words);
  });

  it("of one that did nothing has the error that came before a long help, however long that is", () => {
    const lines = createLastLines();
    lines.add("Error: No token was given.\n");
    lines.add("Usage: server [options]\n".repeat(2));
    for (let option = 0; option < 300; option++) lines.add(`  --option-${option}  says something\n`);
    expect(lines.text(true)).toMatch(/^Error: No token was given\. ⏎ .*298.* ⏎ .*299/);
    expect(lines.text()).not.toContain("token");
  });

  it("is bounded and on one line, without what a terminal would obey", () => {
    const words = said(`\u001b[31m${"x".repeat(9_000)}\u0007`);
    expect(Buffer.byteLength(words)).toBeLessThan(410);
    expect(words).toMatch(/^x+…$/);
  });
});
