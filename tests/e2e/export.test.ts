// `indus export`: a real session as a page, as Markdown and as JSON; the page in a browser, where there is one.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { escaped } from "../../packages/induscode/src/parts/export/frame.ts";
import type { Story } from "../../packages/induscode/src/parts/export/story.ts";
import { lacksBrowser, openPage } from "../support/browser.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted"] as const;
const USAGE = { input: 1_000, output: 100 } as const;
const HOSTILE = [
  "<script>document.title='taken'</script>",
  "<img src=x onerror=\"document.title='taken'\">",
  "</script><script>document.title='taken'</script>",
  "</title></style></pre></details><svg onload=\"document.title='taken'\">",
  "[a link](javascript:document.title='taken') ![p](https://example.invalid/p.png)",
  '<a href="https://example.invalid" style="position:fixed">x</a>',
  "' onmouseover='x \u202e\u001b]8;;x\u0007 & &lt;b&gt;",
];
const ANSWER = [
  "# A heading",
  "",
  "Some **bold**, `code`, [a page](https://example.org/a?b=1&c=2).",
  "",
  "- one",
  "- two",
  "",
  "| a | b |",
  "|---|---|",
  "| 1 | 2 |",
  "",
  "```ts",
  'const x: number = 1; // <b>"why"</b>',
  "```",
].join("\n");

async function session() {
  const place = await createServedShared([
    { calls: [{ name: "write", input: { path: "a.txt", content: `one\n${HOSTILE[0]}\n` } }], usage: USAGE },
    {
      calls: [{ name: "edit", input: { path: "a.txt", oldText: "one", newText: "two" } }],
      usage: USAGE,
    },
    { thinking: `Hm. ${HOSTILE[1]}`, text: ANSWER, usage: USAGE },
    { text: HOSTILE.join("\n\n"), usage: USAGE },
  ]);
  const models = { "anthropic/scripted": { price: { input: 10, output: 50 } } };
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ models }));
  await place.run(["-p", `write a file ${HOSTILE[2]}`, "--permission-mode", "bypass", ...MODEL]);
  await place.run(["-c", "-p", `${HOSTILE.join("\n")} and the secret canary-value-77aa21`, ...MODEL]);
  const id = basename(place.logs()[0] ?? "", ".jsonl");
  const exported = async (name: string, ...args: readonly string[]): Promise<string> => {
    const { code, stderr } = await place.run(["export", "-o", name, ...args], {
      env: { LATE_API_KEY: "canary-value-77aa21" },
    });
    expect([code, stderr]).toEqual([0, ""]);
    return join(place.cwd, name);
  };
  return { ...place, id, exported };
}

describe("what is written", () => {
  it("by the file's ending, by --format, to standard output, and next to nothing else", async () => {
    const { run, id, cwd, exported } = await session();
    const json = JSON.parse(readFileSync(await exported("s.json"), "utf8")) as {
      readonly id: string;
      readonly turns: readonly unknown[];
      readonly entries: readonly unknown[];
    };
    expect([json.id, json.turns.length]).toEqual([id, 2]);
    expect(json.entries.length).toBeGreaterThan(10);
    const text = readFileSync(await exported("s.md"), "utf8");
    expect(text).toContain("**edit** a.txt");
    expect(text).toContain("```diff\n");
    expect(text).toContain("- `a.txt`: turn 1 (write, edit)\n");
    expect(text).toContain("> &lt;script>document");
    expect((await run(["export", "-o", "-", "--format", "markdown"])).stdout).toContain("# A heading");
    expect((await run(["export", id.slice(0, 12)])).stdout).toContain(`Written: ${join(cwd, `${id}.html`)}`);
    expect((await run(["export", "nothing"])).code).toBe(1);
    expect((await run(["export", "--format", "pdf"])).code).toBe(2);
    expect((await run(["export", "-o", "a.txt/x.html"])).code).toBe(1);
    expect(await run(["export", "-o", ".", "--format", "markdown"])).toMatchObject({
      code: 1,
      stderr: `indus: ${cwd} cannot be written: it is a folder, and a file was expected. Write -o ${join(cwd, `${id}.md`)}\n`,
    });
  });

  it(
    "has the summary of a branch with its tokens, and no time between a turn's end and what came hours later",
    LONG_ONLY,
    async () => {
      const place = await createServedShared((request) =>
        request.rawBody.includes("Do not call a tool")
          ? { text: "the other way failed", usage: USAGE }
          : { text: "yes", usage: USAGE },
      );
      await place.run([...MODEL], { stdin: "line one\nline two\n/tree 1 summary\n" });
      const log = place.logs()[0] ?? "";
      const earlier = (_: string, head: string, at: string): string => `${head}${Number(at) - 3 * 3_600_000}`;
      writeFileSync(log, readFileSync(log, "utf8").replaceAll(/^(\{"n":\d+,"at":)(\d+)/gm, earlier));
      await place.run(["-c", ...MODEL], { stdin: "/compact\n" });
      const exported = async (format: string): Promise<string> =>
        (await place.run(["export", "-o", "-", "--format", format])).stdout;
      const { turns } = JSON.parse(await exported("json")) as Pick<Story, "turns">;
      expect(turns).toMatchObject([{ said: "line one", tokens: 3 * (USAGE.input + USAGE.output) }]);
      expect(turns[0]?.ms).toBeLessThan(3_600_000);
      expect(await exported("markdown")).toContain(
        "*a summary of the branch that was left*\n\n> the other way failed",
      );
      expect(await exported("html")).toContain("a summary of the branch that was left");
    },
  );

  it.each(rows(["s.html", "s.md", "s.json"], theFirst))(
    "holds no secret that is known now: %s",
    async (name) => {
      const { exported, logs } = await session();
      expect(readFileSync(logs()[0] ?? "", "utf8")).toContain("canary-value-77aa21"); // it was not known then
      const text = readFileSync(await exported(name), "utf8");
      expect(text).toContain("and the secret");
      expect(text).not.toContain("canary-value-77aa21");
    },
  );
});

describe("the page", () => {
  it("has every text as text", async () => {
    const { exported } = await session();
    const page = readFileSync(await exported("s.html"), "utf8");
    const body = page.slice(page.indexOf("<body>"), page.lastIndexOf("<script>"));
    const tags = [...body.matchAll(/<([a-z0-9]+)([^>]*)>/gi)].map(([, tag = "", attributes = ""]) => ({
      tag,
      attributes,
    }));
    expect(
      tags.filter(({ tag }) => ["script", "img", "iframe", "style", "base", "link"].includes(tag)),
    ).toEqual([]);
    expect(
      tags.filter(({ attributes }) => /\s(?:on\w+|style)\s*=/i.test(attributes.replaceAll(/"[^"]*"/g, '""'))),
    ).toEqual([]);
    expect(page.match(/<script/g)).toHaveLength(1);
    for (const [, address = ""] of body.matchAll(/href="([^"]*)"/g))
      expect(address).toMatch(/^(?:#|https?:\/\/)/);
    expect(page).not.toMatch(/[\u202e\u001b]/);
  });

  it("and the twin: unescaped, the same texts would be markup", () => {
    for (const text of HOSTILE.slice(0, 4)) {
      expect(text).toMatch(/<\w/);
      expect(escaped(text)).not.toMatch(/[<>"']/);
    }
  });

  it.skipIf(lacksBrowser())(
    "in a browser: no error, no request, no barrier, and it does what it says",
    async () => {
      const { exported } = await session();
      const page = await openPage(await exported("s.html"));
      const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
      for (const scheme of ["light", "dark"]) {
        await page.send("Emulation.setEmulatedMedia", {
          features: [{ name: "prefers-color-scheme", value: scheme }],
        });
        await page.evaluate("document.getElementById('unfold').click()");
        const violations = await page.evaluate<
          readonly { readonly id: string; readonly nodes: readonly unknown[] }[]
        >(
          `${axe}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })))`,
        );
        expect([scheme, violations]).toEqual([scheme, []]);
        const { data } = await page.send("Page.captureScreenshot", { captureBeyondViewport: true });
        expect(String(data).length).toBeGreaterThan(10_000);
        const { INDUS_SCREENSHOTS: kept } = process.env;
        if (kept) writeFileSync(join(kept, `export-${scheme}.png`), Buffer.from(String(data), "base64"));
      }
      const shown = "[...document.querySelectorAll('.turn')].filter((turn) => !turn.hidden).length";
      const search = (words: string): Promise<number> =>
        page.evaluate(
          `{ const i = document.getElementById("words"); i.value = ${JSON.stringify(words)}; i.dispatchEvent(new Event("input")); ${shown} }`,
        );
      expect([await search("a heading"), await search("zzz"), await search("")]).toEqual([1, 0, 2]);
      expect(await page.evaluate("document.querySelectorAll('.call details, details.call').length")).toBe(2);
      await page.evaluate("document.getElementById('fold').click()");
      expect(await page.evaluate("document.querySelectorAll('details[open]').length")).toBe(0);
      await page.send("Page.printToPDF");
      expect(await page.evaluate("document.querySelectorAll('details[open]').length")).toBe(0);
      expect(await page.evaluate("document.title")).not.toBe("taken");
      expect(await page.evaluate("document.querySelectorAll('svg rect').length")).toBe(6);
      expect(page.complaints).toEqual([]);
      expect(page.requests.filter((address) => !address.endsWith("/s.html"))).toEqual([]);
    },
  );

  it.skipIf(lacksBrowser())(
    "and the twin: a page without the policy and the escaping is taken over, and seen",
    async () => {
      const { file } = await session();
      const page = await openPage(
        file(
          "bad.html",
          `<!doctype html><title>x</title>${HOSTILE.join("")}<img src="http://127.0.0.1:9/x">`,
        ),
      );
      expect(await page.evaluate("document.title")).toBe("taken");
      expect(page.requests.filter((address) => !address.endsWith("/bad.html")).length).toBeGreaterThan(0);
    },
  );
});

describe("a log that states times of no calendar", () => {
  const TIMES = ["1e300", "1e999", "-1e300", "8640000000000001", "253402300800000"];

  it.each(rows(TIMES, theFirst))("is exported, listed, resumed and counted: %s", async (at) => {
    const place = await createServedShared([{ text: "first" }, { text: "second" }]);
    await place.run(["-p", "a task", ...MODEL]);
    const [log = ""] = place.logs();
    writeFileSync(log, readFileSync(log, "utf8").replaceAll(/"at":\d+/g, `"at":${at}`));
    const id = basename(log, ".jsonl");
    const runs: readonly (readonly string[])[] = [
      ["export", id, "-o", "s.html"],
      ["export", id, "-o", "s.md"],
      ["export", id, "-o", "s.json"],
      ["sessions"],
      ["usage", "--by", "day"],
      ["-c", "-p", "again", ...MODEL],
    ];
    for (const words of runs) {
      const { code, stderr } = await place.run(words);
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
    }
    const page = readFileSync(join(place.cwd, "s.html"), "utf8");
    expect(page).toContain("first");
    expect(page).not.toContain("<time");
  });
});
