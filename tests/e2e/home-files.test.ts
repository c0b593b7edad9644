// The page about the home says what the code's table says, and what real commands write there is on it: sessions with addons of
// every kind, a delegate and a secret that cannot be hidden, and the commands about addons.

import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sessionFolder, sessionPath } from "../../packages/induscode/src/conductor/sessions.ts";
import { CACHE_BOUND, HOME_FILES, type HomeFile } from "../../packages/induscode/src/store/home-files.ts";
import { modelEnvironment, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import type { Script, ScriptedTurn } from "../support/model-server.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { traceProblem } from "../support/system-trace.ts";
import { PATIENCE_MS } from "../support/until.ts";
import { writtenBelow } from "../support/written-files.ts";

const PAGE = readFileSync(fileURLToPath(new URL("../../docs/reference/home.md", import.meta.url)), "utf8");
const ROWS = (PAGE.split("<!-- home -->\n")[1] ?? "")
  .split("<!-- /home -->")[0]
  ?.trim()
  .split("\n")
  .map((line) => line.slice(2, -2).split(" | "));
const FILES: readonly HomeFile[] = Object.values(HOME_FILES);

const size = (bytes: number): string =>
  bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`;
const largest = ({ maxBytes, isCached }: HomeFile): string =>
  `${maxBytes === undefined ? "–" : size(maxBytes)}${isCached ? ", cache" : ""}`;

describe("the page about the home", () => {
  it("names every file of the table with its bound, in its order", () => {
    expect(ROWS?.map(([file, bound]) => [file, bound])).toEqual(
      FILES.map((file) => [`\`${file.path}\``, largest(file)]),
    );
    expect(PAGE).toContain(
      `at most ${CACHE_BOUND.entries} entries, and none that was not used for ${CACHE_BOUND.days} days`,
    );
  });

  it("says of each its format, with its version, when it is written and whether it may go", () => {
    for (const [at, cells] of (ROWS ?? []).entries()) {
      expect(cells).toHaveLength(5);
      expect(cells.every((cell) => cell.trim() !== "")).toBe(true);
      const { version } = FILES[at] ?? {};
      const isSame = cells[2] === "as a session's";
      if (!isSame) expect(/version (\d+)/.exec(cells[2] ?? "")?.[1]).toBe(version?.toString());
    }
  });
});

/** What stands for a row in a path: the file, its draft, its lock and that one's draft, a damaged or an old one. */
const PATTERNS: readonly (readonly [string, RegExp])[] = FILES.map(({ path }) => {
  const plain = path.replace(/[.]/g, "\\.").replace(/<[^>]*>/g, "[^/]+");
  const passing = String.raw`(?:\.lock(?:\.break)*)?(?:\.[0-9a-f]{12}|\.[0-9a-f-]{36}|\.damaged-\d+|\.old)?`;
  return [
    path,
    new RegExp(path.endsWith("/") ? `^${plain.slice(0, -1)}${passing}(?:/|$)` : `^${plain}${passing}$`),
  ];
});
/** The folders on the way to a row. */
const FOLDERS: readonly RegExp[] = FILES.flatMap(({ path }) => {
  const parts = dirname(path.replace(/\/$/, "")).split("/");
  return parts.map((_, at) => {
    const folder = parts.slice(0, at + 1).join("/");
    return new RegExp(`^${folder.replace(/<[^>]*>/g, "[^/]+")}$`);
  });
});

const rowOf = (path: string): string | undefined => PATTERNS.find(([, pattern]) => pattern.test(path))?.[0];
const isOnPage = (path: string): boolean =>
  rowOf(path) !== undefined || FOLDERS.some((folder) => folder.test(path));

it.each(["trust.json.x", "cache/other/a.json", "notes.md", "sessions/a/b.txt", "logs/addons/a.log.new"])(
  "%s would be found",
  (path) => expect(isOnPage(path)).toBe(false),
);

/** The main model hands on to a delegate once; the delegate answers. */
function play(): Script {
  let asked = 0;
  return (request): ScriptedTurn => {
    if (request.rawBody.includes("reasoning_effort"))
      return {
        trouble: { kind: "status", status: 400, message: "Unsupported parameter: 'reasoning_effort'" },
      };
    if (/You are the delegate/.test(request.rawBody)) return { text: "Found." };
    if (asked++ > 0) return { text: "Done." };
    const item = { name: "WorkItemCreate", input: { title: "x" } };
    return { calls: [item, { name: "task", input: { agent: "scout", objective: "Look." } }] };
  };
}

/** A session that began long ago. */
const OLD = "20260101-000000000-aaaa";
const PLAN = "plan.toml";
const TASK = ["-p", "go", "--model", "anthropic/scripted"];
/** Each writes something of its own. */
const COMMANDS: readonly (readonly string[])[] = [
  [...TASK, "--grant", "code", "--grant", "words", "--grant", "loud", "--grant", "writer"],
  ["-c", ...TASK, "--grant", "code"],
  ["-p", "go", "--model", "openai/scripted", "--thinking", "high"],
  ["addon", "new", "mine", "--kind", "toml", "--user"],
  ["addon", "types", "--user"],
  ["addons", "--grant", "code"],
  // There is nothing to revoke and none to restart, which is their exit code; the files are written all the same.
  ["addons", "revoke", "mine"],
  ["addons", "restart", "mine"],
  ["auth", "logout", "groq"],
  ["marketplace", "add", "./market"],
  ["add", "made", "--yes"],
  ["doctor"],
  ["agents"],
  ["crew", "run", PLAN, "--model", "anthropic/scripted"],
  [...TASK, "-r", OLD],
  ["sessions", "rm", OLD],
];
/** Written by the person, and here by the test. */
const PERSONS = ["settings.json", "models.json", "themes/<theme>.json", "keybindings.json"];
/** Written by a console on a terminal alone, or where checkpoints are on: tests/e2e/rich-editor, console, memory, rewind. */
const ON_A_TERMINAL = [
  "permissions.json",
  "checkpoints/<folder>/<hash>",
  "checkpoints/<folder>/index.json",
  "memory/<name>.md",
  "memory/<name>.md.agreed",
  "history/<folder>.jsonl",
  "bugs/<report>.json",
  "cache/told-files",
];

/** Written for MCP servers: tests/e2e/mcp-servers, and imported-secrets. */
const OF_OTHERS = ["state/<addon>/", "server-logins.json", "secrets.json", "cache/servers/<hash>/"];

/** Written by a server at a socket: tests/e2e/serve. */
const OF_A_SERVER = "serve/";

/** Removed with the process that it is about, unless a protected name appeared. */
const WHILE_AN_ADDON_WRITES = "held/<record>.json";

const inOrder = (paths: readonly string[]): readonly string[] =>
  FILES.map(({ path }) => path).filter((path) => paths.includes(path));

async function scene(): Promise<
  Workplace & { readonly env: Record<string, string>; readonly indus: string }
> {
  const place = await createServedShared(play());
  const indus = join(place.home, ".indus");
  const own = (name: string, text: string): void => {
    mkdirSync(dirname(join(indus, name)), { recursive: true });
    writeFileSync(join(indus, name), text);
  };
  own("settings.json", '{"localServers":[],"workItems":true}');
  own("models.json", "{}");
  own("keybindings.json", "{}");
  own("themes/mine.json", "{}");
  const log = sessionPath(sessionFolder(indus, place.cwd), OLD).slice(indus.length + 1);
  own(log, `{"n":0,"at":1,"type":"session","v":1,"id":"${OLD}","cwd":"/w","version":"1"}\n`);
  const groq = { key: "gsk-0123456789abcdef", at: "2026-11-22T00:00:00.000Z" };
  own("credentials.json", JSON.stringify({ version: 1, keys: { GROQ_API_KEY: groq } }));
  own(
    "addons/code.ts",
    'import { observe } from "induscode/addons";\nexport function register(surface: { on: Function }) {\n  surface.on("session:start", observe(() => console.log("started")));\n}\n',
  );
  own(
    "addons/writer.ts",
    '// /// indus-addon\n// [[capability]]\n// kind = "files"\n// write = true\n// reason = "x"\n// ///\n' +
      'import { observe } from "induscode/addons";\nexport function register(surface: { on: Function }) {\n  surface.on("session:start", observe(() => {}));\n}\n',
  );
  place.file(PLAN, '[[ticket]]\ntitle = "x"\nagent = "scout"\n');
  place.file("market/.claude-plugin/marketplace.json", '{ "name": "kits", "plugins": [] }');
  place.file(
    "made/manifest.toml",
    'id = "made"\n\n[[command]]\nname = "made"\nsummary = "x"\nprompt = "x"\n',
  );
  own("addons/words/manifest.toml", 'id = "words"\nsummary = "x"\n');
  own("addons/loud.py", "def register(surface): pass\n");
  own("agents/scout.toml", 'description = "Looks."\nwhen = "x"\ntools = ["read"]\nprompt = "Be brief."\n');
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: place.home,
    INDUS_HOME: indus,
    ...modelEnvironment(place.server.url),
    POSTGRES_PASSWORD: "postgres",
  };
  return { ...place, env, indus };
}

const LONG = { timeout: 8 * PATIENCE_MS };

it("what commands leave in the home is on the page", LONG, async () => {
  const { run, env, indus } = await scene();
  for (const args of COMMANDS) {
    const isInVain = args[1] === "revoke" || args[1] === "restart";
    expect([args, (await run(args, { env })).code]).toEqual([args, isInVain ? 1 : 0]);
  }
  const left = globSync("**/*", { cwd: indus, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(indus.length + 1));
  expect(left.filter((path) => !isOnPage(path) && !path.startsWith("agents/"))).toEqual([]);
  const rows = new Set(left.map(rowOf));
  // Kept only of files that are older than a few seconds, which is not so here.
  const isTimed = (path: string): boolean => path === "cache/contents/<hash>.json";
  expect(FILES.map(({ path }) => path).filter((path) => !rows.has(path) && !isTimed(path))).toEqual(
    inOrder([...ON_A_TERMINAL, ...OF_OTHERS, OF_A_SERVER, WHILE_AN_ADDON_WRITES]),
  );
});

const isTraced = traceProblem() === undefined && isInstalled("python3");

it.skipIf(lacks("strace", isTraced))(
  "nor do they write anything else meanwhile, by a trace of their system calls; every row is written by one",
  { ...LONG, ...LONG_ONLY },
  async () => {
    const { env, indus, cwd, home } = await scene();
    const written = new Set<string>();
    for (const args of COMMANDS)
      for (const path of await writtenBelow(indus, args, { cwd, env, scratch: join(home, "..") }))
        written.add(path);
    expect([...written].filter((path) => !isOnPage(path))).toEqual([]);
    const rows = new Set([...written].map(rowOf));
    const unwritten = FILES.map(({ path }) => path).filter(
      (path) => !rows.has(path) && !path.startsWith("cache/contents/"),
    );
    expect(unwritten).toEqual(inOrder([...PERSONS, ...ON_A_TERMINAL, ...OF_OTHERS, OF_A_SERVER]));
  },
);
