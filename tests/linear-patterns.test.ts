// Every regular expression that the product's sources write down takes time in proportion to its text. One that does not, decides
// with a text of somebody else how long the session stands still; a run of 200,000 blanks before a sign was enough.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { analyse } from "scslre";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Written {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** What keeps a text from making it slow, of each that might be. */
const BOUNDED: Readonly<Record<string, string>> = {
  "core/home.ts": "the person's own home folder",
  "web/search-apis.ts": "the person's own variable SEARXNG_URL",
  "llmgateway/local-server.ts": "an address of the person's",
  "wires/endpoint.ts": "an address of the person's",
  "llmgateway/cassette-player.ts": "words of a recording that the person plays; it always finds some",
  "permissions/command-risks.ts": "a rule has 4,096 characters at most",
  "permissions/path-pattern.ts": "what it begins with, it ends: the end of the text is one of the ends",
  "transcript/markdown.ts": "a line is laid out in parts of 4,096 characters at most",
  "briefing/invisible-text.ts":
    "a document has 40,000 bytes at most, and the bombs of instructions hold such runs",
};

const isWord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function* writtenIn(file: string): Generator<Written> {
  const text = readFileSync(`${ROOT}/${file}`, "utf8");
  const isScript = file.endsWith(".cjs");
  const open: unknown[] = [
    parseAst(text, { lang: isScript ? "js" : "ts", sourceType: isScript ? "commonjs" : "module" }),
  ];
  while (open.length > 0) {
    const node = open.pop();
    if (!isWord(node)) continue;
    const { regex, start } = node as {
      readonly regex?: { readonly pattern: string; readonly flags: string };
      readonly start: number;
    };
    if (node.type === "Literal" && regex)
      yield {
        place: `${file}:${text.slice(0, start).split("\n").length}`,
        source: regex.pattern,
        flags: regex.flags,
      };
    open.push(...Object.values(node).flat());
  }
}

/** Why it may take the square of its text's length, or longer; undefined where it does not. */
function problemOf({ source, flags }: Pick<Written, "source" | "flags">): string | undefined {
  // Names that the analysis knows by their long form only.
  const known = source
    .replaceAll("\\p{EMod}", "\\p{Emoji_Modifier}")
    .replaceAll("\\p{ExtPict}", "\\p{Extended_Pictographic}");
  const { reports } = analyse(
    { source: known, flags },
    { reportTypes: { Move: true, Self: true, Trade: true } },
  );
  return reports.length === 0 ? undefined : reports.map(({ type }) => type).join(", ");
}

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "packages"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter(
    (file) =>
      /\/src\/.*\.ts$|\/bin\/.*\.cjs$/.test(file) && !/\.test\.ts$|\/test-[^/]*$|-cases\.ts$/.test(file),
  );

test("every regular expression takes time in proportion to its text, or its text is bounded", () => {
  const written = files.flatMap((file) => [...writtenIn(file)]);
  expect(written.length).toBeGreaterThan(300);
  const slow = written.flatMap((each) => {
    const problem = problemOf(each);
    return problem === undefined ? [] : [{ ...each, problem }];
  });
  const isBounded = ({ place }: Written): boolean =>
    Object.keys(BOUNDED).some((file) => place.includes(`/${file}:`));
  expect(slow.filter((each) => !isBounded(each))).toEqual([]);
  const unused = Object.keys(BOUNDED).filter(
    (file) => !slow.some(({ place }) => place.includes(`/${file}:`)),
  );
  expect(unused).toEqual([]);
});

test.each([
  ["a log's last line", "[\\0 \\t\\r]+$", ""],
  ["a damaged line of a log", "^[\\ufeff\\0\\s]+|[\\0\\s]+$", "g"],
  ["an error page", "<(style|script)[\\s\\S]*?<\\/\\1>|<[^>]*>", "gi"],
  ["an import of instructions", "[.,;:!?)\\]}'\"]+$", ""],
  ["a name in a path", "[. ]+$", ""],
  ["several rules in one", "\\)\\s*[,\\s]\\s*[A-Za-z_*][\\w*.-]*\\(", ""],
])("the twin: what read %s before is found", (_what, source, flags) => {
  expect(problemOf({ source, flags })).toBeDefined();
});
