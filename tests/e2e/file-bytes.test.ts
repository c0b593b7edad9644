// Files keep what a person would want kept, through the real command: what the model did not ask to change is on the disk as before.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JsonValue } from "../../packages/indusagi/src/core/schema/json-schema.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import type { RecordedRequest } from "../support/model-server.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";

type Call = readonly [name: string, input: JsonValue];

/** Makes the calls in turn, after `prepare`; returns what the model read of each. */
async function called(
  calls: readonly Call[],
  prepare: (workplace: ServedWorkplace) => void,
): Promise<{ readonly outcomes: readonly string[]; readonly bytes: (path: string) => Buffer }> {
  const workplace = await createServedShared([
    ...calls.map(([name, input]) => ({ calls: [{ name, input }] })),
    { text: "Done." },
  ]);
  prepare(workplace);
  const { code } = await workplace.run(["-p", "go", "--model", "anthropic/x", "--permission-mode", "bypass"]);
  expect(code).toBe(0);
  return {
    outcomes: outcomesIn(workplace.server.requests.at(-1)),
    bytes: (path) => readFileSync(join(workplace.cwd, path)),
  };
}

function outcomesIn(request: RecordedRequest | undefined): readonly string[] {
  const messages = request?.body.messages as readonly { readonly content: unknown }[];
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return blocks
    .filter(({ type }: { readonly type?: string }) => type === "tool_result")
    .map(({ content }: { readonly content?: unknown }) =>
      Array.isArray(content)
        ? content.map(({ text }: { text?: string }) => text ?? "").join("")
        : String(content),
    );
}

it("what is added to a Makefile and to Python with tabs is indented with tabs, though it is quoted with blanks", async () => {
  const { outcomes, bytes } = await called(
    [
      ["read", { path: "Makefile" }],
      ["edit", { path: "Makefile", oldText: "    echo a", newText: "    echo a\n    echo b" }],
      ["read", { path: "p.py" }],
      ["edit", { path: "p.py", oldText: "        x = 1", newText: "        x = 1\n        w = 9" }],
    ],
    ({ file }) => {
      file("Makefile", "all:\n\techo a\n");
      file("p.py", "def f():\n\tif True:\n\t\tx = 1\n");
    },
  );
  expect(outcomes[1]).toContain("Edited Makefile: 1 replacement, matched ignoring whitespace.");
  expect(bytes("Makefile").toString()).toBe("all:\n\techo a\n\techo b\n");
  expect(bytes("p.py").toString()).toBe("def f():\n\tif True:\n\t\tx = 1\n\t\tw = 9\n");
});

it("a file keeps its mark and its line ends when it is overwritten, and the model is told so", async () => {
  const { outcomes, bytes } = await called(
    [
      ["read", { path: "a.csv" }],
      ["write", { path: "a.csv", content: "b\n" }],
    ],
    ({ file }) => file("a.csv", "\ufeffa\r\n"),
  );
  expect(outcomes[1]).toBe("Saved 6 bytes to a.csv. The file kept: BOM, CRLF.");
  expect([...bytes("a.csv")]).toEqual([0xef, 0xbb, 0xbf, 0x62, 0x0d, 0x0a]);
});

it(
  "UTF-16 without a mark is named and not shown, and text that begins as a picture does is text",
  LONG_ONLY,
  async () => {
    const { outcomes } = await called(
      [
        ["read", { path: "wide.txt" }],
        ["edit", { path: "wide.txt", oldText: "alpha", newText: "beta" }],
        ["read", { path: "gif.md" }],
        ["read", { path: "japanese.txt" }],
      ],
      ({ file, cwd }) => {
        writeFileSync(join(cwd, "wide.txt"), Buffer.from("alpha\n", "utf16le"));
        file("gif.md", "GIF89a is a format\n");
        writeFileSync(join(cwd, "japanese.txt"), Buffer.from("2f2f2090dd92e882f093c782dd8d9e82de0a", "hex"));
      },
    );
    const reason =
      "it is not text as it is: it looks like UTF-16LE without a byte order mark. Convert it first: iconv -f UTF-16LE -t UTF-8.";
    expect(outcomes[0]).toBe(`Cannot read wide.txt: ${reason}`);
    expect(outcomes[1]).toBe(`Cannot edit wide.txt: ${reason}`);
    expect(outcomes[2]).toContain("GIF89a is a format");
    expect(outcomes[3]).toContain("It is probably SHIFT_JIS");
  },
);

it("a file that has an earlier time than when it was read is not called modified", async () => {
  const { outcomes, bytes } = await called(
    [
      ["read", { path: "k.txt" }],
      ["bash", { command: "touch -t 202001010000 k.txt" }],
      ["edit", { path: "k.txt", oldText: "one", newText: "two" }],
    ],
    ({ file }) => file("k.txt", "one\n"),
  );
  expect(outcomes[2]).toContain("Edited k.txt: 1 replacement.");
  expect(bytes("k.txt").toString()).toBe("two\n");
});

it("of a line of five megabytes, grep shows the match and edit the change", LONG_ONLY, async () => {
  const half = "0123456789abcdef".repeat(150_000);
  const { outcomes, bytes } = await called(
    [
      ["grep", { pattern: "needle" }],
      ["grep", { pattern: "needle", path: "a.json" }],
      ["read", { path: "a.json" }],
      ["edit", { path: "a.json", oldText: "needle", newText: "thread" }],
    ],
    ({ file }) => file("a.json", `${half}needle${half}\n`),
  );
  expect(outcomes[0]).toContain("1 file over 2 MiB was not searched.");
  expect(outcomes[1]).toMatch(
    /^a\.json:1: … [0-9a-f]+needle[0-9a-f]+ … \[line of 4800006 characters, shown from 2399001\]$/,
  );
  expect(outcomes[2]).toContain("The line is longer than the output ceiling: continue with byteOffset ");
  expect(outcomes[3]).toMatch(
    /-… [0-9a-f]{200}needle[0-9a-f]{200} … \[line of 4800006 characters, shown from 2399801\]/,
  );
  expect(outcomes[3]).toMatch(/\+… [0-9a-f]{200}thread[0-9a-f]{200} … \[line of 4800006 characters/);
  expect(outcomes[3]?.length).toBeLessThan(3_000);
  expect(bytes("a.json").toString()).toBe(`${half}thread${half}\n`);
});
