import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, onTestFinished, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { longestBlock } from "../../../../../tests/support/test-workspace.ts";
import { Aborted } from "../../core/abort.ts";
import { type HtmlText, htmlToText } from "./html-to-text.ts";

const PARAGRAPH =
  "<p>A paragraph of an article, with commas, with a <a href='../other?a=1'>link</a>, and with enough words to count.</p>";
/** What comes after it is not looked at before the parser is. */
const FAR = " ".repeat(600_000);
const WHOLE_NOTE = "the whole page, not its article: none was recognised";

function convert(html: string, deadlineMs?: number): Promise<HtmlText> {
  const { signal } = new AbortController();
  return htmlToText(html, {
    pageUrl: "https://example.com/dir/page.html",
    signal,
    deadlineMs,
  });
}

test("a page's article becomes Markdown: nested lists, code with its language, tables, absolute links", async () => {
  const html = `<!doctype html><html><head><title> A  title </title><script>bad()</script></head><body>
    <nav><a href="/">Menu</a></nav><article><h2>Part</h2>${PARAGRAPH.repeat(6)}
    <ul><li>one<ul><li>two</li></ul></li></ul><pre><code class="language-js">let a = 1;\n  b</code></pre>
    <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
    <p><img src="data:image/gif;base64,AAAA"><a href="javascript:bad()">dead</a></p></article>
    <footer>Foot</footer></body></html>`;
  const line =
    "A paragraph of an article, with commas, with a [link](https://example.com/other?a=1), and with enough words to count.";
  expect(await convert(html)).toEqual({
    title: "A title",
    text: `## Part

${Array(6).fill(line).join("\n\n")}

- one
  - two

\`\`\`js
let a = 1;
  b
\`\`\`

| a | b |
| --- | --- |
| 1 | 2 |

dead`,
  });
});

test("a page without an article comes whole", async () => {
  const html = `<html><head><base href="https://cdn.example.com/"></head><body><nav><a href="a">Menu</a></nav><h1>Short</h1><p>Few words.</p></body></html>`;
  expect(await convert(html)).toEqual({
    title: "",
    text: "[Menu](https://cdn.example.com/a)\n\n# Short\n\nFew words.",
    note: WHOLE_NOTE,
  });
  expect(await convert("<title>t</title>bare <b>words</b>")).toEqual({
    title: "t",
    text: "bare **words**",
    note: WHOLE_NOTE,
  });
});

test.each(["<div>", "<b>", "<table><tr><td>", "<ul><li>", "<blockquote>"])(
  "a page of %s without end is simplified without a parser, and no thread is started for it",
  async (tag) => {
    // With a deadline that has passed, a thread could only be late.
    const { text, note } = await convert(`first ${tag.repeat(2_000)}deep`, 0);
    expect([text.startsWith("first"), text.endsWith("deep")]).toEqual([true, true]);
    expect(note).toBe(
      "simplified without a parser, because parsing failed: it nests deeper than 400 elements",
    );
  },
);

test("what nests as deeply further on is found by the parser (the twin)", async () => {
  const { note } = await convert(`${" ".repeat(600_000)}${"<div>".repeat(500)}deep`);
  expect(note).toMatch(/it nests deeper than 400 elements; only its first 524288 characters$/);
});

test("a page that takes too long is simplified without a parser, and blocks nobody meanwhile", async () => {
  let result: HtmlText | undefined;
  const html = `first ${FAR}${"<div>".repeat(400_000)}`;
  const blockedMs = await longestBlock(async () => {
    result = await convert(html, 700);
  });
  expect(result).toEqual({
    title: "",
    text: "first",
    note: "simplified without a parser, because parsing failed: it took over 0.7 s; only its first 524288 characters",
  });
  // Simplifying half a megabyte of tags is the longest work left here; parsing them would take minutes.
  expect(blockedMs).toBeLessThan(5_000);
});

test("a page whose article takes too long to find comes whole", {
  ...LONG_ONLY,
  timeout: 300_000,
}, async () => {
  // Readability's time grows with the square of the links in a row: it takes over three times as long as all before it. So one
  // of these deadlines falls between the two, however slow the machine is.
  const html = `<html><body><div>${"<li><a href='/x'>text</a> and</li>".repeat(18_000)}</div></body></html>`;
  // What else the machine does can make a deadline too short or too long: the next one is longer, or between the two.
  let tooShortMs = 125;
  let tooLongMs = Number.POSITIVE_INFINITY;
  let deadlineMs = tooShortMs;
  let result: HtmlText = { text: "", title: "" };
  for (let tries = 0; tries < 30 && !result.note?.startsWith("the whole page"); tries++) {
    deadlineMs = Math.round(
      tooLongMs === Number.POSITIVE_INFINITY ? 2 * tooShortMs : Math.sqrt(tooShortMs * tooLongMs),
    );
    result = await convert(html, deadlineMs);
    if (result.note === undefined) tooLongMs = deadlineMs;
    else if (result.note.startsWith("simplified")) tooShortMs = deadlineMs;
    if (tooLongMs < 1.05 * tooShortMs) [tooShortMs, tooLongMs] = [125, Number.POSITIVE_INFINITY];
  }
  expect(result.note).toBe(
    `the whole page, not its article: finding it failed: it took over ${deadlineMs / 1_000} s`,
  );
  expect(result.text.startsWith("- [text](https://example.com/x) and\n- [text]")).toBe(true);
});

test("a cancelled conversion ends", async () => {
  const controller = new AbortController();
  const html = FAR + "<div>".repeat(400_000);
  const converted = htmlToText(html, { pageUrl: "https://example.com/", signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  await expect(converted).rejects.toThrow(new Aborted());
});

test("any page is converted or simplified; nothing throws", async () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "<table><tr>",
      "<td>",
      "</td>",
      "<li>",
      "<a href='",
      "'>",
      "<svg>",
      "<html",
      "<body>",
      "<p>",
      "</p>",
    ),
    fc.constantFrom(
      "<template>",
      "<!--",
      "<![CDATA[",
      "<title>",
      "<base href='",
      "<meta ",
      "<img src=",
      "&#x",
      "<x-y>",
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      expect(typeof (await convert(pieces.join(""))).text).toBe("string");
    }),
    { numRuns: 25, interruptAfterTimeLimit: 20_000 },
  );
});

test("the thread finds its program in a bundle too", LONG_ONLY, async () => {
  const folder = mkdtempSync(join(tmpdir(), "html-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const source = fileURLToPath(new URL("./html-to-text.ts", import.meta.url));
  const entry = join(folder, "entry.mjs");
  writeFileSync(
    entry,
    `import { htmlToText } from ${JSON.stringify(source)};
const { signal } = new AbortController();
const result = await htmlToText("<h1>Hi</h1>", { pageUrl: "https://example.com/", signal });
process.stdout.write(JSON.stringify(result));`,
  );
  const bundle = await rolldown({ input: { main: entry }, platform: "node" });
  await bundle.write({ dir: join(folder, "out"), format: "esm", entryFileNames: "[name].mjs", minify: true });
  await bundle.close();
  const ran = spawnSync(process.execPath, [join(folder, "out", "main.mjs")], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ said: ran.stdout, error: ran.stderr }).toEqual({
    said: JSON.stringify({ text: "# Hi", title: "", note: WHOLE_NOTE }),
    error: "",
  });
});
