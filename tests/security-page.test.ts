// docs/guide/security.md promises nothing without naming the test that shows it, and what it says of the sandbox's levels is what
// the levels report.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandsUnconfinedAt, unconfinedAt } from "../packages/induscode/src/addons/sandbox/unconfined.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = join(ROOT, "docs/guide/security.md");
const page = readFileSync(PAGE, "utf8");

interface Named {
  readonly title: string;
  readonly file: string;
}

/** The lines under headings that begin with "Promised", but for tables and what introduces them. */
function promisesOf(text: string): readonly string[] {
  const sections = text.split(/^## /m).filter((section) => section.startsWith("Promised"));
  return sections.flatMap((section) => section.split("\n").filter((line) => line.startsWith("- ")));
}

function testsOf(promise: string): readonly Named[] {
  return [...promise.matchAll(/\[test\]\((\S+?\.test\.ts) "([^"]+)"\)/g)].map(
    ([, path = "", title = ""]) => ({
      title,
      file: join(dirname(PAGE), path),
    }),
  );
}

/** What is wrong with a promise; undefined for one whose tests are there. */
function problemOf(promise: string): string | undefined {
  const tests = testsOf(promise);
  if (tests.length === 0) return "it names no test";
  for (const { title, file } of tests) {
    if (!existsSync(file)) return `there is no ${file}`;
    if (!readFileSync(file, "utf8").includes(title)) return `${file} has no test "${title}"`;
  }
  return undefined;
}

const promises = promisesOf(page);

describe("the security page", () => {
  it("has promises of what is not trusted, of addons, of calls, of commands, of secrets and of the sandbox", () => {
    expect(page.match(/^## Promised .+$/gm)).toHaveLength(6);
    expect(promises.length).toBeGreaterThan(25);
  });

  it.each(promises)("names a test that there is: %s", (promise) => {
    expect(problemOf(promise)).toBeUndefined();
  });

  it.each(promises)("says one thing before it names its tests: %s", (promise) => {
    expect(promise).toMatch(/^- (?:[A-Z]|`indus).+?[^)]\. \(\[test\]\(.+\.test\.ts ".+"\)\)$/);
  });

  it.each([
    ["- It is safe.", "it names no test"],
    ['- It is safe. ([test](../../tests/nowhere.test.ts "x"))', "there is no "],
    ['- It is safe. ([test](../../tests/layers.test.ts "there never was such a test"))', "has no test"],
    ["- It is safe. ([test](../../tests/layers.test.ts))", "it names no test"],
  ])("would not pass with %j", (promise, problem) => {
    expect(problemOf(promise)).toContain(problem);
  });

  it.each(["bubblewrap", "landlock", "node-permissions", "none"] as const)(
    "says of the level %s what its report says that it leaves open",
    (level) => {
      const sentences = ["linux", "darwin"].flatMap((platform) =>
        [0, 6].flatMap((abi) =>
          unconfinedAt(level, {
            ...{ abi, handsPlaces: abi > 0, isRoot: true, node: "26.0.0" },
            platform: platform as NodeJS.Platform,
          }),
        ),
      );
      for (const sentence of sentences) expect(page).toContain(sentence);
    },
  );

  it("says what commands can reach at the level landlock, by its report", () => {
    const sentences = commandsUnconfinedAt({ level: "landlock", architecture: "x64", abi: 3 });
    expect(sentences).toHaveLength(2);
    for (const sentence of sentences) expect(page).toContain(sentence);
  });

  it("is where the README leads", () => {
    expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain("](docs/guide/security.md)");
  });
});
