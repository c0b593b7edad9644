// What a repository, or the product's own home folder, holds: headers, profiles, settings, instructions, rules, git's files, logs.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeLocalContext } from "../../packages/indusagi/src/capabilities/backends/local.ts";
import { findTool } from "../../packages/indusagi/src/capabilities/search/find.ts";
import {
  parseIgnoreRules,
  ruleVerdict,
} from "../../packages/indusagi/src/capabilities/search/ignore-rules.ts";
import { LoaderError } from "../../packages/induscode/src/addons/contract.ts";
import { createQuarantine } from "../../packages/induscode/src/addons/process/quarantine.ts";
import { createRegistrationCache } from "../../packages/induscode/src/addons/process/registration-cache.ts";
import { discoverAddons } from "../../packages/induscode/src/addons/source/discover.ts";
import { parseManifest } from "../../packages/induscode/src/addons/source/manifest.ts";
import { createTrust } from "../../packages/induscode/src/addons/source/trust.ts";
import { PARTS } from "../../packages/induscode/src/boot/parts.ts";
import { readAgentFile } from "../../packages/induscode/src/briefing/agent-file.ts";
import { createContextDocs } from "../../packages/induscode/src/briefing/context-docs.ts";
import { describeInvisible } from "../../packages/induscode/src/briefing/invisible-text.ts";
import { readMacroFile } from "../../packages/induscode/src/briefing/macro-files.ts";
import { applyMacros } from "../../packages/induscode/src/briefing/macros.ts";
import { loadSkillCards } from "../../packages/induscode/src/briefing/skills.ts";
import { ContextFold } from "../../packages/induscode/src/conductor/fold.ts";
import { describeDamage, lookAtLog, readEntries } from "../../packages/induscode/src/conductor/log-reader.ts";
import { listSessions } from "../../packages/induscode/src/conductor/sessions.ts";
import { findLogProblems, verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import { findForeignFiles } from "../../packages/induscode/src/session/features/foreign-files.ts";
import { loadSettings } from "../../packages/induscode/src/settings/load-settings.ts";
import { readModelsFile } from "../../packages/induscode/src/settings/models-file.ts";
import { around, type Bombs, DEEP, each, JSONS, MANY, noises, RUNS, rows, run, SIZE } from "./make.ts";
import { ofTexts, type Parser } from "./parser.ts";
import { put, scratch } from "./scratch.ts";

const longest = (said: readonly (string | undefined)[]): string | undefined =>
  said.reduce((kept, each) => ((each?.length ?? 0) > (kept?.length ?? -1) ? each : kept), undefined);

/** What a YAML reader might make of these, at the length at which it is still asked. */
const YAML_CHARS = 4_000;
const small = (part: string): string => run(part, YAML_CHARS);
const YAMLS: Bombs = {
  "nested lists": () => `a: ${around("[", "", "]", YAML_CHARS / 2)}`,
  "nested lists without end": () => `a: ${small("[")}`,
  "nested tables": () => `a: ${around("{a: ", "1", "}", YAML_CHARS / 5)}`,
  "nested lists of lines": () => `a: ${small("- ")}1`,
  "nested questions": () => small("? "),
  "indented tables": () => rows(80, (at) => `${" ".repeat(at)}a:`),
  "aliases of aliases": () =>
    `a: &a [1,1]\n${"bcdefghijklmnopqrstuvwxyz".replace(/./g, (name, at: number) => `${name}: &${name} [${`*${String.fromCharCode(97 + at)},`.repeat(9)}]\n`)}`,
  "an alias of itself": () => "a: &a [*a]",
  "an alias of nothing": () => "a: *b",
  "many anchors": () => rows(90, (at) => `a${at}: &a${at} 1`),
  "a merge of itself": () => "a: &a\n  <<: *a",
  tags: () => rows(100, () => "a: !!binary aaaa"),
  "tags that run": () => "a: !!js/function 'function () { return 1 }'",
  "a tag without end": () => `a: !<${small("a")}`,
  "one key again": () => rows(500, () => "a: [1]"),
  "many keys": () => rows(300, (at) => `a${at}: [1]`),
  "a key of a list": () => "[a, b]: c",
  "a key of a table": () => "{a: b}: c",
  "__proto__ as a key": () => "__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}",
  "a text of many lines": () => `a: |\n${rows(500, () => "  a")}`,
  "a folded text": () => `a: >\n${rows(500, () => "  a\n")}`,
  "a text in quotes over lines": () => `a: "${rows(500, () => "a")}`,
  "a text of escapes": () => `a: "${small("\\x00")}"`,
  "a text without end": () => `a: "${small("a")}`,
  "an apostrophe without end": () => `a: '${small("a''")}`,
  "a date": () => "a: 2026-99-99T99:99:99Z",
  "a number in base 60": () => `a: ${small("59:")}0`,
  "a comment": () => `a: [1] ${small("#")}`,
  directives: () => small("%YAML 9.9\n"),
  "another document": () => "a: [1]\n...\nb: [2]",
  "many documents": () => `a: [1]\n${small("...\n")}`,
  tabs: () => `a:\n${rows(300, (at) => `${"\t".repeat(at % 9)}b: [1]`)}`,
  colons: () => `a: [1]\n${small(": ")}`,
  "colons without blanks": () => `a: [1]\n${small("a:")}`,
  dashes: () => `a: [1]\n${small("-")}`,
  "commas in a list": () => `a: [${small(",")}]`,
  "stars in a row": () => `a: [1]\n${small("*")}`,
  "percent signs": () => `a: [1]\n${small("%")}`,
  "a header without end": () => `a: [1]\n${run("b: c\n", 4 * SIZE)}`,
  "longer than YAML is asked": () => `a: [1]\n${run("b: c\n")}`,
  "longer, and nested": () => `a: ${around("[", "", "]")}`,
  "one long line": () => `a: [1]\nb: ${run("c")}`,
  ...each(RUNS, (text) => `a: [1]\n${text.slice(0, YAML_CHARS)}`, "in a header: "),
  ...each(RUNS, (text) => `description: ${text}`, "in a value: "),
  ...noises("[]{}:,&*!|>'\"%#?- \n\tab", 10, YAML_CHARS - 100),
};

const HEADERS: Bombs = each(YAMLS, (header) => `---\n${header}\n---\nbody $1 {{args}}`);
const BODIES: Bombs = {
  ...RUNS,
  "macros of arguments": () => run("$1"),
  "macros of ranges": () => run(["$", "{@:1:9}"].join("")),
  "macros without end": () => run("{{"),
  "macros in braces": () => run("${"),
  "dashes that end no header": () => `---\n${run("--- \n")}`,
};

function readHeaders(text: string): unknown {
  const macro = readMacroFile(put(text, "headers", "a.md"), "project");
  if (macro.ok) applyMacros(macro.macro.body, "a b c");
  const agent = readAgentFile(put(text, "headers", "agent.md"), "project");
  put(text, "headers", "skills", "a", "SKILL.md");
  const { diagnostics } = loadSkillCards(scratch("headers", "skills"), "project");
  const said = [
    macro.ok ? undefined : macro.fault.message,
    agent === undefined || agent.ok ? undefined : agent.fault.message,
    ...diagnostics.map(({ detail }) => detail ?? ""),
  ];
  return longest(said);
}

const TOMLS: Bombs = {
  "nested lists": () => `a = ${around("[", "", "]", 12_000)}`,
  "nested lists without end": () => `a = ${run("[", 30_000)}`,
  "nested tables": () => `a = ${around("{a=", "1", "}", 6_000)}`,
  "a dotted key": () => `${Array(12_000).fill("a").join(".")} = 1`,
  "a dotted header": () => `[${Array(12_000).fill("a").join(".")}]`,
  "many headers": () => rows(3_000, (at) => `[a${at}]`),
  "many tables": () => rows(3_000, () => "[[a]]"),
  "many keys": () => rows(2_500, (at) => `a${at} = ${at}`),
  "one key again": () => rows(3_000, () => "a = 1"),
  "a string without end": () => `a = "${run("a", 30_000)}`,
  "lines without end": () => `a = """${run("a\n", 30_000)}`,
  "a string of escapes": () => `prompt = "${run("\\u0000", 30_000)}"`,
  "an escape beyond Unicode": () => 'a = "\\Uffffffff"',
  "a long number": () => `a = ${run("9", 30_000)}`,
  "a number of underscores": () => `a = 1${run("_1", 30_000)}`,
  "a large exponent": () => `a = 1e${run("9", 30_000)}`,
  "an impossible date": () => "a = 2026-99-99T99:99:99Z",
  "a date of many digits": () => `a = 2026-01-01T00:00:00.${run("9", 30_000)}Z`,
  "a wide list": () => `tools = [${run('"a",', 30_000)}]`,
  "a wide table": () => `a = {${rows(2_500, (at) => `a${at}=1`, ",")}}`,
  "__proto__ as a header": () => '["__proto__"]\npolluted = true\n[constructor.prototype]\npolluted = true',
  "longer than a profile": () => `prompt = "${run("a")}"`,
  ...each(RUNS, (text) => `name = "a"\nprompt = "${text.slice(0, 30_000)}"`, "in a text: "),
  ...each(RUNS, (text) => text.slice(0, 30_000)),
  ...noises(`[]{}="'.,#\n abt019_-\\`, 8),
};

function readProfile(text: string): unknown {
  const agent = readAgentFile(put(text, "profile", "agent.toml"), "project");
  if (agent === undefined) return undefined;
  return agent.ok ? longest(agent.diagnostics.map(({ message }) => message)) : agent.fault.message;
}

async function readManifest(text: string): Promise<unknown> {
  try {
    await parseManifest(text, "/addons/bomb/manifest.toml");
    return undefined;
  } catch (error) {
    if (error instanceof LoaderError) return error.message;
    throw error;
  }
}

const SETTINGS: Bombs = {
  ...JSONS,
  ...each(JSONS, (json) => `{"permissions":${json}}`, "permissions: "),
  ...each(JSONS, (json) => `{"permissions":{"deny":[${json}]}}`, "a rule: "),
  ...each(RUNS, (text) => `{"model":"x"}${text}`, "behind it: "),
  "many settings": () => `{${rows(MANY, (at) => `"a${at}":1`, ",")}}`,
  "many mistakes": () => `{${run("a ")}`,
  "many rules": () => `{"permissions":{"deny":[${rows(MANY, () => '"bash(a)"', ",")}]}}`,
  "longer than settings": () => `{"a":"${run("a", 1_100_000)}"}`,
};

async function readSettings(text: string): Promise<unknown> {
  put(text, "settings", "repo", ".indus", "settings.json");
  const loaded = await loadSettings(scratch("settings", "home"), scratch("settings", "repo"), PARTS);
  return longest([...loaded.problems, ...loaded.unsafe]);
}

const MODELS: Bombs = {
  ...JSONS,
  ...each(JSONS, (json) => `{"providers":{"p":${json}}}`, "a provider: "),
  ...each(JSONS, (json) => `{"models":${json}}`, "models: "),
  "many providers": () => `{"providers":{${rows(MANY / 4, (at) => `"p${at}":{"wire":"a"}`, ",")}}}`,
};

function readModels(text: string): unknown {
  put(text, "models", "models.json");
  const { problems } = readModelsFile(scratch("models"), "/");
  return longest(problems);
}

/** Files of the product's own, which a crash, another program or a copied home may have spoilt. */
async function readState(text: string): Promise<unknown> {
  const home = scratch("state");
  rmSync(home, { recursive: true, force: true });
  for (const name of ["trust.json", "quarantine.json", "cache/registrations/a.json", "addons/a/package.json"])
    put(text, "state", ...name.split("/"));
  put("", "state", "addons", "a", "index.ts");
  const trust = createTrust({ home });
  await trust.list();
  createQuarantine({ home }).list();
  createRegistrationCache({ home }).find("a");
  const { faults } = discoverAddons(join(home, "addons"));
  return longest([...trust.problems(), ...faults.map(({ message }) => message)]);
}

const FOREIGN_NAMES = [".mcp.json", ".claude/settings.json", "opencode.json", ".cursor/mcp.json"];

function readForeign(text: string): unknown {
  const root = scratch("foreign", "repo");
  for (const name of FOREIGN_NAMES) put(text, "foreign", "repo", ...name.split("/"));
  return longest(
    findForeignFiles({ projects: [root], home: scratch("foreign", "home"), isThorough: true }).map(
      ({ holds }) => holds,
    ),
  );
}

const DOCUMENTS: Bombs = {
  ...RUNS,
  ...each(RUNS, (text) => `@${text}`, "an import of "),
  "imports of what is not there": () => run("@a.md "),
  "imports of itself": () => run("@AGENTS.md "),
  "an import that ends in signs": () => `@a${run("!")}b`,
  "an import of fragments": () => `@a${run("#")}`,
  "an import of escapes": () => `@a${run("\\ ")}`,
  fences: () => run("```\n"),
  "fences in fences": () => rows(MANY / 20, (at) => "`".repeat(3 + (at % 60))),
  "spans of every length": () => rows(600, (at) => "`".repeat(at + 1), " a "),
  "quotes before fences": () => run("> "),
  "joiners between letters": () => run("a\u200d"),
  "soft hyphens between marks": () => run("a\u0301\u00ad"),
  "tags behind a flag": () => run("\u{1f3f4}\u{e0030}"),
  "selectors behind letters": () => run("葛\u{e0100}"),
  "marks of direction": () => run("\u200f"),
  "blanks of Braille": () => run("\u2800"),
  "fillers of Hangul": () => run("\u115f"),
  ...noises("@#`~> .\\!a\n\u200d\u00ad\u0301", 6),
};

function readDocuments(text: string): unknown {
  put(text, "documents", "repo", "AGENTS.md");
  const load = createContextDocs({
    cwd: scratch("documents", "repo"),
    home: scratch("documents", "home"),
  }).atStart();
  describeInvisible(text);
  return longest(load.diagnostics.map(({ message }) => message));
}

const RULE_FILES: Bombs = {
  ...RUNS,
  "stars between letters": () => run("*a"),
  "folders of any depth": () => run("**/"),
  "folders of any depth and a name": () => `${run("**/a/", 4_000)}b`,
  "classes without end": () => run("[a"),
  "classes of ranges": () => `[${run("a-z", 4_000)}]`,
  "classes of names": () => `[${run("[:alpha:]", 4_000)}]`,
  "classes that are none": () => rows(MANY / 4, () => "[z-a]"),
  "an escape at each end": () => rows(MANY, () => "a\\"),
  negations: () => rows(MANY, () => "!a"),
  "many rules": () => rows(MANY, (at) => `a${at}`),
  "many rules with stars": () => rows(MANY / 4, (at) => `*a${at}*`),
  "a rule longer than paths": () => run("a"),
  "blanks at the ends": () => rows(200, () => `a${" ".repeat(300)}\\`),
  "blanks behind blanks": () => `a${run(" ")}\t`,
  "backslashes before blanks": () => run("\\ "),
  braces: () => run("{a,b}"),
  ...each(RUNS, (text) => text.slice(0, 4_000), "within a path's length: "),
  ...noises("*?[]!\\/ab{},-\n ", 10),
};

const SUBJECTS = ["a", "a".repeat(255), "ab".repeat(100), "[a]", "*", "b"];

async function readRules(text: string): Promise<unknown> {
  const { rules } = parseIgnoreRules(text.slice(0, 65_536)); // a longer file is passed over
  for (const name of SUBJECTS)
    ruleVerdict(rules, { name, isDirectory: false, folders: ["a", "b", "a", "a"], depth: 0 });
  put(text, "rules", ".gitignore");
  put("", "rules", "a");
  return found(scratch("rules"));
}

/** What `find` says of a folder. */
async function found(folder: string): Promise<string> {
  const call = { id: "c", name: "find", input: { pattern: "a" } };
  const { output } = await findTool({ respectGitignore: true }).invoke(call, makeLocalContext(folder));
  return JSON.stringify(output);
}

const GIT_FILES: Bombs = {
  ...each(RUNS, (text) => text),
  ...each(RUNS, (text) => `gitdir: ${text}`, "a pointer to "),
  "a pointer to itself": () => "gitdir: .git",
  "a pointer to the folder above": () => `gitdir: ${run("../", 4_000)}`,
  "a pointer to a device": () => "gitdir: /dev/zero",
  "a pointer of many": () => rows(MANY, () => "gitdir: a"),
  ...noises("gitdr: ./\n\0", 4),
};

/** `.git` as a file, and as a folder whose files are this. */
async function readGit(text: string): Promise<unknown> {
  const root = scratch("git");
  const said: string[] = [];
  for (const names of [
    [".git"],
    [".git/info/exclude", ".git/commondir", ".git/HEAD", ".git/packed-refs", ".git/config"],
  ]) {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root, { recursive: true });
    for (const name of names) put(text, "git", ...name.split("/"));
    writeFileSync(join(root, "a"), "");
    said.push(await found(root));
    createContextDocs({ cwd: root, home: scratch("git-home") }).atStart();
  }
  return longest(said);
}

const HEAD = '{"n":0,"at":1,"type":"session","v":1,"id":"a","cwd":"/w","version":"1"}';
const entry = (n: number, rest: string): string => `{"n":${n},"at":1,${rest}}`;
const user = (n: number, content: string): string => entry(n, `"type":"user","content":${content}`);
const LOGS: Bombs = {
  ...each(JSONS, (json) => `${HEAD}\n${json.replaceAll("\n", " ")}\n`, "a line: "),
  ...each(JSONS, (json) => json, "torn: "),
  ...each(
    JSONS,
    (json) =>
      `${HEAD}\n${entry(1, `"type":"assistant","message":{"role":"assistant","content":[{"kind":"tool_call","id":"c","name":"read","input":${json}}]},"stop":"tool_calls","usage":{"inputTokens":1,"outputTokens":1,"cacheReadTokens":0,"cacheWriteTokens":0},"turn":1`)}\n`,
    "input: ",
  ),
  ...each(RUNS, (text) => `${HEAD}\n{"n":1${text}`, "torn behind "),
  ...each(RUNS, (text) => `${HEAD}\n${text}`, "a damaged line: "),
  "beginnings of entries": () => `${HEAD}\n${run('{"n":')}\n`,
  "beginnings of entries in each line": () => `${HEAD}\n${rows(MANY / 4, () => run('{"n":', 200))}\n`,
  "many heads": () => rows(MANY / 4, () => HEAD),
  "many users": () => `${HEAD}\n${rows(MANY / 4, (at) => user(at + 1, '[{"kind":"text","text":"a"}]'))}\n`,
  "numbers beyond all": () => `${HEAD}\n${user(9_007_199_254_740_991, "[]")}\n`,
  "numbers that go back": () => rows(MANY / 4, (at) => user(MANY - at, "[]")),
  "a text of many blocks": () =>
    `${HEAD}\n${user(1, `[${rows(MANY, () => '{"kind":"text","text":"a"}', ",")}]`)}\n`,
  "a format of the future": () => HEAD.replace('"v":1', '"v":99'),
  "a whole entry behind blanks": () => `${run(" ")}${HEAD}\n`,
  "a NUL tail": () => `${HEAD}\n${run("\0")}`,
  "a tail of blanks and a sign": () => `${HEAD}\n{${run(" ")}x`,
};

function readLog(text: string): unknown {
  const path = put(text, "logs", "a.jsonl");
  lookAtLog(path);
  listSessions(scratch("logs"));
  const { entries, damage } = readEntries(path);
  const fold = new ContextFold();
  for (const each of entries) fold.add(each);
  return longest([
    ...describeDamage(damage),
    ...findLogProblems({ entries, damage }, verifyEntries(entries)),
  ]);
}

export const REPOSITORY_PARSERS: readonly Parser[] = [
  ofTexts("headers of commands, skills and agents", { ...HEADERS, ...BODIES }, readHeaders),
  ofTexts("profiles in TOML", TOMLS, readProfile),
  ofTexts("manifests", { ...TOMLS, "a deep list": () => `a = ${around("[", "", "]", DEEP)}` }, readManifest),
  ofTexts("settings", SETTINGS, readSettings),
  ofTexts("models.json", MODELS, readModels),
  ofTexts("package.json and the product's own files", JSONS, readState),
  ofTexts("files of other agents", JSONS, readForeign),
  ofTexts("instructions", DOCUMENTS, readDocuments),
  ofTexts("ignore rules", RULE_FILES, readRules),
  ofTexts("git's own files", GIT_FILES, readGit),
  ofTexts("session logs", LOGS, readLog),
];
