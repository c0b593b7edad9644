// Rules of other agents, through the real command: those about everything are in the first request, the others come when a tool first uses a
// file that they are about, once, and again after a summary or a resumption only if they are out of view.

import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandWithout } from "../support/guard-off.ts";
import type { WorkplaceOptions } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { createServedWorkplace, type ServedWorkplace } from "../support/served-workplace.ts";

/** A model that reads these files, one a request, and then says that it is done. */
async function reading(...paths: readonly string[]): Promise<ServedWorkplace> {
  const place = await createServedWorkplace((_, at) => {
    const path = paths[at];
    return path === undefined ? { text: "Done." } : { text: "", calls: [{ name: "read", input: { path } }] };
  });
  place.file(".git/HEAD", "ref: refs/heads/main\n");
  for (const path of paths) place.file(path, "text\n");
  return place;
}
const requests = ({ server }: ServedWorkplace) => server.requests.map(({ body }) => JSON.stringify(body));
const go = (place: ServedWorkplace, ...flags: readonly string[]) =>
  place.run(["-p", "go", "--model", "anthropic/scripted", ...flags]);
const isIn = (texts: readonly string[], words: string) => texts.map((text) => text.includes(words));

it.each([
  [".claude/rules/api/http.md", "paths: src/api/**/*.{ts,tsx}", "src/api/v1/user.ts", "docs/user.ts"],
  [".claude/rules/list.md", 'paths:\n  - "lib/**"\n  - "*.toml"', "lib/a/b.txt", "src/a.toml"],
  [
    ".cursor/rules/style.mdc",
    "description: Style\nglobs: *.tsx,*.css\nalwaysApply: false",
    "src/a.css",
    "src/a.ts",
  ],
  [".github/instructions/py.instructions.md", "applyTo: '**/*.py, scripts/**'", "scripts/run", "src/a.ts"],
])("%s comes with the first use of a file that it is about", async (path, header, about, other) => {
  const place = await reading(other, about, about);
  place.file(path, `---\n${header}\n---\nThe words of the rule.\n`);
  expect(await go(place)).toMatchObject({ code: 0 });
  const all = requests(place);
  expect(isIn(all, "The words of the rule.")).toEqual([false, false, true, true]);
  expect(all.at(-1)?.split("The words of the rule.")).toHaveLength(2);
  expect(all.at(-1)).not.toContain(header.split("\n")[0]);
  expect(place.problems()).toEqual([]);
});

it.each([
  [".claude/rules/all.md", "The words of the rule.\n"],
  [".cursor/rules/all.mdc", "---\ndescription:\nglobs:\nalwaysApply: true\n---\nThe words of the rule.\n"],
  [".github/instructions/all.instructions.md", '---\napplyTo: "**"\n---\nThe words of the rule.\n'],
])("%s is about everything, and in the first request", async (path, text) => {
  const place = await reading();
  place.file(path, text);
  expect(await go(place)).toMatchObject({ code: 0, stderr: "" });
  expect(isIn(requests(place), "The words of the rule.")).toEqual([true]);
  expect(requests(place)[0]).not.toContain("alwaysApply");
  const doctor = (await place.run(["doctor"])).stdout;
  expect(doctor).not.toContain("is not used");
});

describe("a rule that becomes a link out of the repository meanwhile", () => {
  /** Between two uses of files, somebody exchanges the rule. */
  async function exchanged(options: WorkplaceOptions = {}): Promise<readonly string[]> {
    let rule = "";
    const place = await createServedWorkplace((_, at) => {
      if (at === 1) {
        rmSync(rule);
        symlinkSync(join(place.home, "outside.md"), rule);
      }
      const path = ["b.txt", "a.txt"][at];
      return path === undefined
        ? { text: "Done." }
        : { text: "", calls: [{ name: "read", input: { path } }] };
    }, options);
    for (const path of ["b.txt", "a.txt"]) place.file(path, "text\n");
    writeFileSync(join(place.home, "outside.md"), "OUTSIDE WORDS");
    rule = place.file(".claude/rules/a.md", "---\npaths: a.txt\n---\nThe words of the rule.\n");
    expect(await go(place)).toMatchObject({ code: 0 });
    return requests(place);
  }

  it("is not read", async () => {
    expect(isIn(await exchanged(), "OUTSIDE WORDS")).toEqual([false, false, false]);
  });

  it("would be read without the guard: the twin", LONG_ONLY, async () => {
    const file = "briefing/document-reach.ts";
    const command = commandWithout([
      { file, guard: "if (file.realPath !== realPath)", instead: "if (false)" },
    ]);
    expect(isIn(await exchanged({ command }), "OUTSIDE WORDS")).toEqual([false, false, true]);
  });
});

it("what nothing brings is told: by doctor with what to do, at a start in one line", async () => {
  const place = await reading();
  place.file(".cursor/rules/on-request.mdc", "---\ndescription: Ask for it\n---\nWords.\n");
  place.file(".github/instructions/by-hand.instructions.md", "Words.\n");
  place.file(".cursor/rules/misnamed.md", "Words.\n");
  const { stdout } = await place.run(["doctor"]);
  expect(stdout).toContain("on-request.mdc is not read: it has no globs");
  expect(stdout).toContain("by-hand.instructions.md is not read: it names no files (applyTo)");
  expect(stdout).toContain("misnamed.md is not read: the name of a rule there must end in .mdc");
});

it("a resumed session does not give a rule twice", async () => {
  const place = await reading("src/a.ts");
  place.file(".claude/rules/ts.md", "---\npaths: '**/*.ts'\n---\nThe words of the rule.\n");
  await go(place);
  const before = place.server.requests.length;
  await place.run(["-p", "read it again", "-c", "--model", "anthropic/scripted"]);
  expect(place.server.requests.length).toBeGreaterThan(before);
  expect(requests(place).at(-1)?.split("The words of the rule.")).toHaveLength(2);
});
