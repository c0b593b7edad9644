// Files keep what a person would want kept, through the real command: what the model did not ask to change is on the disk as before.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JsonValue } from "../../packages/indusagi/src/core/json-schema.ts";
import type { RecordedRequest } from "../support/model-server.ts";
import { createServedWorkplace, type ServedWorkplace } from "../support/served-workplace.ts";

type Call = readonly [name: string, input: JsonValue];

/** Makes the calls in turn, after `prepare`; returns what the model read of each. */
async function called(
  calls: readonly Call[],
  prepare: (workplace: ServedWorkplace) => void,
): Promise<{ readonly outcomes: readonly string[]; readonly bytes: (path: string) => Buffer }> {
  const workplace = await createServedWorkplace([
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
