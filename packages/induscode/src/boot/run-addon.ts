// `indus addon new|check|test|dev|types`: what an author does with an addon while it is written.

import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describeError, printable } from "indusagi/core";
import { addonAt } from "../addons/author/addon-at.ts";
import { AUTHOR_KINDS, type AuthorKind } from "../addons/author/addon-templates.ts";
import { createAddon } from "../addons/author/create-addon.ts";
import { type EditorTypes, PROJECT_FILE, writeEditorTypes } from "../addons/author/editor-types.ts";
import { ADDONS_DIR, type AddonSource } from "../addons/contract.ts";
import { pythonKit } from "../addons/loaders/python-kit.ts";
import { asWord } from "../deck/shell-quote.ts";
import { indusHome } from "../store/home.ts";
import { homePath } from "../store/home-files.ts";
import { checkLines, testLines } from "./addon-reports.ts";
import { assetPath } from "./assets.ts";
import type { CommandLine, Flags } from "./flags.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "./problem.ts";
import type { AuthorPlace } from "./run-addon-check.ts";
import { enterWorkingDirectory, standingPlace } from "./working-directory.ts";

/** Runs one verb and returns the exit code: 0 good, 1 something was found wrong. Throws a {@link Problem}. */
export async function runAddon({ flags, words }: CommandLine): Promise<number> {
  const [, verb, subject, ...more] = words;
  if (verb === "types" && subject === undefined) return refreshTypes(flags);
  if (subject === undefined || more.length > 0) throw new Problem(USAGE, EXIT_USAGE);
  switch (verb) {
    case "new":
      return newAddon(subject, flags);
    case "check":
      return checkOne(subject, flags);
    case "test":
      return testOne(subject, flags);
    case "dev":
      return devOne(subject, flags);
    default:
      throw new Problem(USAGE, EXIT_USAGE);
  }
}

const USAGE = `write: indus addon new NAME --kind ${AUTHOR_KINDS.join("|")}, or indus addon check|test|dev PATH, or indus addon types`;

function newAddon(name: string, flags: Flags): number {
  if (flags.kind === undefined)
    throw new Problem(`say what it is written in: --kind ${AUTHOR_KINDS.join("|")}`, EXIT_USAGE);
  const cwd = enterWorkingDirectory(flags);
  const home = indusHome(process.env);
  const created = createAddon(name, {
    kind: flags.kind as AuthorKind, // the table of flags lets no other through
    folder: flags.user ? homePath(home, "addons") : join(cwd, ADDONS_DIR),
    within: flags.user ? home : cwd,
    templates: assetPath("addon-templates"),
  });
  if (!created.ok) throw new Problem(created.problem);
  const shown = shownTo(flags);
  return tell([
    ...created.files.map((path) => `wrote ${shown(path)}`),
    ...typesOfNew(flags, { cwd, home }),
    `next: indus addon check ${asWord(shown(created.path))}`,
  ]);
}

/** As the person can type it where they stand. */
function shownTo({ user }: Flags): (path: string) => string {
  const base = realpathSync(standingPlace());
  return (path) => (user ? path : relative(base, path));
}

interface Place {
  readonly cwd: string;
  readonly home: string;
}

function editorTypes(flags: Flags, { cwd, home }: Place): EditorTypes {
  return writeEditorTypes({
    folder: flags.user ? home : join(cwd, dirname(ADDONS_DIR)),
    within: flags.user ? home : cwd,
    declarations: assetPath("types/addons.d.ts"),
    python: pythonKit(),
  });
}

/** The addon is written by then: what is wrong with the types is said, and no reason to fail. */
function typesOfNew(flags: Flags, place: Place): readonly string[] {
  const project = join(flags.user ? place.home : join(place.cwd, dirname(ADDONS_DIR)), PROJECT_FILE);
  const isImporting = flags.kind === "ts" || flags.kind === "python";
  if (!isImporting && !(flags.kind === "wasm" && existsSync(project))) return [];
  try {
    const written = editorTypes(flags, place);
    if (!written.ok) return [`note: no types for your editor: ${written.problem}`];
    return typesLines(written, shownTo(flags));
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

function refreshTypes(flags: Flags): number {
  const cwd = enterWorkingDirectory(flags);
  const written = editorTypes(flags, { cwd, home: indusHome(process.env) });
  if (!written.ok) throw new Problem(written.problem);
  return tell(typesLines(written, shownTo(flags)));
}

async function checkOne(path: string, flags: Flags): Promise<number> {
  const { source, ...place } = authorsAddon(path, flags);
  const { runCheck } = await import("./run-addon-check.ts");
  const check = await runCheck(source, place);
  const isGood = check.findings.every(({ severity }) => severity !== "problem");
  if (flags.json) tell([JSON.stringify({ ok: isGood, ...check }, undefined, 2)]);
  else tell([...checkLines(check), ...(isGood ? [`next: indus addon test ${asWord(path)}`] : [])]);
  return isGood ? EXIT_OK : EXIT_FAULT;
}

async function testOne(path: string, flags: Flags): Promise<number> {
  const { source, ...place } = authorsAddon(path, flags);
  const { runTest } = await import("./run-addon-test.ts");
  const test = await runTest(source, flags, place);
  const isGood = test.problems.length === 0 && test.verdicts.every(({ isMet }) => isMet);
  tell(flags.json ? [JSON.stringify({ ok: isGood, ...test }, undefined, 2)] : testLines(test));
  return test.stopped ?? (isGood ? EXIT_OK : EXIT_FAULT);
}

async function devOne(path: string, flags: Flags): Promise<number> {
  const { source, cwd } = authorsAddon(path, flags);
  const line = { flags: { ...flags, cwd }, words: [], attachments: [] }; // it is entered already
  return (await import("./run-console.ts")).runConsole(line, source);
}

/** The addon at a path that the person typed, and where they stand. Naming it is trusting it: its code runs. */
function authorsAddon(path: string, flags: Flags): AuthorPlace & { readonly source: AddonSource } {
  const cwd = enterWorkingDirectory(flags);
  const home = indusHome(process.env);
  const found = addonAt(path, { workspace: cwd, home, base: standingPlace() });
  if (!found.ok) throw new Problem(found.problem);
  return { cwd, home, source: found.source };
}

/** Everything told here may quote an addon: it is made printable at this one place. */
function tell(lines: readonly string[]): number {
  process.stdout.write(`${printable(lines.join("\n"))}\n`);
  return EXIT_OK;
}
