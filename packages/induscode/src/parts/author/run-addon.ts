// `indus addon new|import|check|pack|test|dev|types`: the commands for an addon's author.

import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { describeError, homeFolder, printable } from "indusagi/core";
import { addonAt } from "../../addons/author/addon-at.ts";
import type { AuthorKind } from "../../addons/author/addon-templates.ts";
import { type CreateOptions, createAddon, writeAddon } from "../../addons/author/create-addon.ts";
import { type EditorTypes, PROJECT_FILE, writeEditorTypes } from "../../addons/author/editor-types.ts";
import { importServer } from "../../addons/author/import-server.ts";
import { ADDONS_DIR, type AddonSource } from "../../addons/contract.ts";
import { pythonKit } from "../../addons/kinds/python-kit.ts";
import { realPlace } from "../../briefing/text-file.ts";
import { assetPath } from "../../cli/assets.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK, Problem } from "../../cli/problem.ts";
import { asWord } from "../../deck/shell-quote.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { checkLines, testLines } from "./addon-reports.ts";
import type { AuthorPlace } from "./run-addon-check.ts";

/** Runs one verb and returns the exit code: 0 good, 1 a problem was found. Throws a {@link Problem}. */
export async function runAddon(line: AuthorLine, openConsole: OpenConsole): Promise<number> {
  const [, verb, subject = "", name = ""] = line.words;
  switch (verb) {
    case "new":
      return newAddon(subject, line);
    case "import":
      return importOne(subject, name, line);
    case "check":
      return checkOne(subject, line);
    case "pack":
      return packOne(subject, line);
    case "test":
      return testOne(subject, line);
    case "dev":
      return devOne(subject, line, openConsole);
    default:
      return refreshTypes(line);
  }
}

/** A console session with this addon, until the person leaves it; resolves to the exit code. */
export type OpenConsole = (line: Invocation, author: AddonSource) => Promise<number>;

type AuthorLine = Invocation<{
  readonly kind?: string | undefined;
  readonly user?: boolean | undefined;
  readonly session?: string | undefined;
}>;

function newAddon(name: string, line: AuthorLine): number {
  const { flags } = line;
  const place = { cwd: workingDirectory(line), home: indusHome(line.env) };
  const created = createAddon(name, {
    kind: flags.kind as AuthorKind, // the table of flags accepts no other value
    ...addonFolder(line, place),
    templates: assetPath("addon-templates"),
  });
  if (!created.ok) throw new Problem(created.problem);
  const shown = shownTo(line);
  return tell([
    ...created.files.map((path) => `wrote ${shown(path)}`),
    ...typesOfNew(line, place),
    `next: indus addon check ${asWord(shown(created.path))}`,
  ]);
}

async function importOne(file: string, name: string, line: AuthorLine): Promise<number> {
  const { readServers } = await import("./server-config.ts");
  const path = resolve(line.startedIn, file);
  const imported = importServer(await readServers(path, file), name, basename(file));
  if (!imported.ok) throw new Problem(imported.problem);
  const place = { cwd: workingDirectory(line), home: indusHome(line.env) };
  const created = writeAddon(name, imported.manifest, addonFolder(line, place));
  if (!created.ok) throw new Problem(created.problem);
  const shown = shownTo(line);
  return tell([
    ...created.files.map((written) => `wrote ${shown(written)}`),
    ...imported.notes.map((note) => `note: ${note}`),
    `next: add what the server may reach to the manifest, then run indus addon check ${asWord(shown(created.path))}`,
  ]);
}

/** Where addons are looked for. */
function addonFolder({ flags }: AuthorLine, { cwd, home }: Place): Pick<CreateOptions, "folder" | "within"> {
  return flags.user
    ? { folder: homePath(home, "addons"), within: home }
    : { folder: join(cwd, ADDONS_DIR), within: cwd };
}

/** A path as the person can type it in their folder. */
function shownTo({ flags, startedIn }: AuthorLine): (path: string) => string {
  const base = realPlace(startedIn);
  return (path) => (flags.user ? path : relative(base, path));
}

interface Place {
  readonly cwd: string;
  readonly home: string;
}

function editorTypes({ flags }: AuthorLine, { cwd, home }: Place): EditorTypes {
  return writeEditorTypes({
    folder: flags.user ? home : join(cwd, dirname(ADDONS_DIR)),
    within: flags.user ? home : cwd,
    declarations: assetPath("types/addons.d.ts"),
    python: pythonKit(),
  });
}

/** The addon has been written by now: problems with the types are reported, but are no reason to fail. */
function typesOfNew(line: AuthorLine, place: Place): readonly string[] {
  const { flags } = line;
  const project = join(flags.user ? place.home : join(place.cwd, dirname(ADDONS_DIR)), PROJECT_FILE);
  const isImporting = flags.kind === "ts" || flags.kind === "python";
  if (!isImporting && !(flags.kind === "wasm" && existsSync(project))) return [];
  try {
    const written = editorTypes(line, place);
    if (!written.ok) return [`note: no types for your editor: ${written.problem}`];
    return typesLines(written, shownTo(line));
  } catch (error) {
    return [`note: no types for your editor: ${describeError(error)}`];
  }
}

function typesLines(
  { paths, notes }: EditorTypes & { readonly ok: true },
  shown: (path: string) => string,
): readonly string[] {
  return [
    `wrote ${paths.map(shown).join(" and ")}, for your editor`,
    ...notes.map((note) => `note: ${note}`),
  ];
}

function refreshTypes(line: AuthorLine): number {
  const written = editorTypes(line, { cwd: workingDirectory(line), home: indusHome(line.env) });
  if (!written.ok) throw new Problem(written.problem);
  return tell(typesLines(written, shownTo(line)));
}

async function checkOne(path: string, line: Invocation): Promise<number> {
  const { source, ...place } = authorsAddon(path, line);
  const { runCheck } = await import("./run-addon-check.ts");
  const check = await runCheck(source, place);
  const isGood = check.findings.every(({ severity }) => severity !== "problem");
  if (line.flags.json) tell([JSON.stringify({ ok: isGood, ...check }, undefined, 2)]);
  else tell([...checkLines(check), ...(isGood ? [`next: indus addon test ${asWord(path)}`] : [])]);
  return isGood ? EXIT_OK : EXIT_FAULT;
}

/** What does not pass the check is not packed. */
async function packOne(path: string, line: Invocation): Promise<number> {
  const { source, ...place } = authorsAddon(path, line);
  const { runCheck } = await import("./run-addon-check.ts");
  const check = await runCheck(source, place);
  const isGood = check.findings.every(({ severity }) => severity !== "problem");
  if (!isGood || check.description === undefined) {
    tell(checkLines(check));
    return EXIT_FAULT;
  }
  const { packAddon } = await import("./pack-addon.ts");
  const packed = await packAddon(source.root, check.description, line.startedIn);
  const { files, left } = packed;
  if (line.flags.json) return tell([JSON.stringify(packed, undefined, 2)]);
  return tell([
    `wrote ${packed.path}: ${files.length} files`,
    ...(left.length === 0 ? [] : [`not in it: ${left.join(", ")}`]),
    `next: indus add ${asWord(packed.path)}, or npm publish ${asWord(packed.path)}`,
  ]);
}

async function testOne(path: string, line: AuthorLine): Promise<number> {
  const { source, ...place } = authorsAddon(path, line);
  if (line.flags.session !== undefined) {
    const { replayReported } = await import("../replay/run-session-replay.ts");
    return replayReported(line, line.flags.session, { addon: source });
  }
  const { runTest } = await import("./run-addon-test.ts");
  const test = await runTest(source, line.flags, place);
  const isGood = test.problems.length === 0 && test.verdicts.every(({ isMet }) => isMet);
  tell(line.flags.json ? [JSON.stringify({ ok: isGood, ...test }, undefined, 2)] : testLines(test));
  return test.stopped ?? (isGood ? EXIT_OK : EXIT_FAULT);
}

async function devOne(path: string, line: Invocation, openConsole: OpenConsole): Promise<number> {
  const { source } = authorsAddon(path, line);
  const session = { ...line, words: [], attachments: [] };
  return openConsole(session, source);
}

/** The addon at a path that the person typed, and their folders. Naming it means trusting it: its code runs. */
function authorsAddon(path: string, line: Invocation): AuthorPlace & { readonly source: AddonSource } {
  const { env, startedIn, secrets, parts } = line;
  const cwd = workingDirectory(line);
  const home = indusHome(env);
  const found = addonAt(path, { workspace: cwd, home, personHome: homeFolder(env), base: startedIn });
  if (!found.ok) throw new Problem(found.problem);
  return { cwd, home, env, secrets, parts, source: found.source };
}

/** Anything printed here can quote an addon, so it is made printable here, in one place. */
function tell(lines: readonly string[]): number {
  process.stdout.write(`${printable(lines.join("\n"))}\n`);
  return EXIT_OK;
}
