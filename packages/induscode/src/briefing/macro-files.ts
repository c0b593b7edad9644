// Macros on disk: every `*.md` in a commands folder is one, named after its file.

import { basename, join } from "node:path";
import { LookBudget } from "../store/look-budget.ts";
import { modelProblem, withSessionModel } from "./asked-model.ts";
import type { BriefingDiagnostic, BriefingFault, MacroDef, MacroLoad, MacroOrigin } from "./contract.ts";
import { isFolder, listFolder } from "./folder-entries.ts";
import {
  type Frontmatter,
  MEND_HEADER,
  nameList,
  OPEN_HEADER,
  readFrontmatter,
  textField,
  withoutBlankEnds,
} from "./frontmatter.ts";
import { remarkOnKeys, remarkOnVariables, remarksOnCommand } from "./header-remarks.ts";
import { describeInvisible } from "./invisible-text.ts";
import { freeName, leadsOut, type ProductPlaces, productFolders } from "./places.ts";
import { readTextFile, realPathOf } from "./text-file.ts";

export const MAX_MACRO_BYTES: number = 256 * 1024;
/** How many characters of the body's first line are used as a description. */
export const DERIVED_DESCRIPTION_BUDGET = 72;

export interface LoadMacrosOptions {
  /** Appended to descriptions in brackets; default: the origin. */
  readonly label?: string;
  /** Also read sub-folders, as namespaces: `git/commit.md` is `git:commit`. Default false. */
  readonly namespaces?: boolean;
  /** Real folders that must contain every file, after following links; absent: no limit. */
  readonly within?: readonly string[] | undefined;
  /** How much is looked at; absent: no limit. */
  readonly look?: LookBudget;
}

export type MacroRead =
  | { readonly ok: true; readonly macro: MacroDef; readonly diagnostics: readonly BriefingDiagnostic[] }
  | { readonly ok: false; readonly fault: BriefingFault };

/**
 * Every macro that can be invoked here: project folders before home folders; of two with one name, the first. Never throws.
 */
export function gatherMacros(places: ProductPlaces): MacroLoad {
  const macros = new Map<string, MacroDef>();
  const diagnostics: BriefingDiagnostic[] = [];
  for (const { dir, origin, name, within, look, packageName } of productFolders(
    places,
    COMMAND_FOLDERS,
    "commands",
  )) {
    const load = loadMacros(dir, origin, {
      namespaces: name !== FLAT_FOLDER,
      look,
      within,
    });
    diagnostics.push(...load.diagnostics);
    for (const loaded of load.macros) {
      const taken = macros.get(loaded.name);
      const isTaken = taken !== undefined && taken.body !== loaded.body;
      const macro = { ...loaded, name: freeName(loaded.name, packageName, isTaken), packageName };
      const first = macros.get(macro.name);
      if (!first) {
        macros.set(macro.name, macro);
        const { model, source } = macro;
        const problem = model === undefined ? undefined : modelProblem(model, origin, places.aliases);
        if (model !== undefined && problem !== undefined)
          diagnostics.push(withSessionModel(source, model, problem));
      } else if (first.body !== macro.body) diagnostics.push(collision(macro, first));
    }
  }
  return { macros: [...macros.values()], diagnostics };
}

// This folder is flat; the others have namespaces, as in the products they come from.
const FLAT_FOLDER = ".indusagi";
export const COMMAND_FOLDERS: readonly string[] = [
  ".indus/commands",
  ".indusagi/commands",
  ".claude/commands",
];

/** The macros of one folder, sorted by file, or of one file. A missing folder has none; a bad file affects only itself. Never throws. */
export function loadMacros(dir: string, origin: MacroOrigin, options: LoadMacrosOptions = {}): MacroLoad {
  const { label = origin, namespaces = false, within, look = LookBudget.unlimited() } = options;
  const macros = new Map<string, MacroDef>();
  const diagnostics: BriefingDiagnostic[] = [];
  const entered = new Set<string>(); // real paths: links can lead in a circle
  let files = 0;
  let left = 0;
  if (MARKDOWN.test(dir)) add(dir, []);
  else if (isUsable(dir)) walk(dir, []);
  if (files > MAX_MACROS) {
    const message = `${dir} contains ${files} commands; only the first ${MAX_MACROS} are read`;
    diagnostics.push({ kind: "limit", path: dir, message });
  }
  if (left > 0)
    diagnostics.push({ kind: "limit", path: dir, message: `${dir}: ${look.leftOut(left, "command")}` });
  return { macros: [...macros.values()], diagnostics };

  function isUsable(path: string): boolean {
    const problem = leadsOut(path, within);
    if (problem !== undefined)
      diagnostics.push({ kind: "refused", path, message: `${path} is not used: ${problem}` });
    return problem === undefined;
  }

  function walk(folder: string, namespace: readonly string[]): void {
    const realPath = realPathOf(folder);
    if (entered.has(realPath)) return;
    entered.add(realPath);
    const { entries, problem } = listFolder(folder, look);
    if (problem) diagnostics.push({ kind: problem.kind, path: folder, message: `${folder} ${problem.text}` });
    const folders = new Set(entries.filter((entry) => isFolder(entry, folder)));
    const isLast = !namespaces || namespace.length === MAX_NAMESPACES;
    const unread = isLast
      ? [...folders].slice(0, MAX_FOLDERS_BELOW).map(({ name }) => join(folder, name))
      : [];
    const missed = unread.find((path) => leadsOut(path, within) === undefined && hasMarkdown(path, look));
    if (missed !== undefined) diagnostics.push(notSearched(missed, namespaces));
    const others = entries.filter(({ name }) => OTHER_COMMAND.test(name));
    if (others[0]) diagnostics.push(ofAnotherFormat(folder, others[0].name, others.length));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (folders.has(entry)) {
        if (!isLast && (!entry.isSymbolicLink() || isUsable(path))) walk(path, [...namespace, entry.name]);
      } else if (MARKDOWN.test(entry.name) && ++files <= MAX_MACROS) {
        if (look.hasText) add(path, namespace);
        else left++;
      }
    }
  }

  function add(path: string, namespace: readonly string[]): void {
    if (!isUsable(path)) return;
    const read = readMacroFile(path, origin, label, look);
    if (!read.ok) {
      diagnostics.push({ kind: read.fault.kind, path, message: read.fault.message });
      return;
    }
    const macro = { ...read.macro, name: [...namespace, read.macro.name].join(":") };
    diagnostics.push(...read.diagnostics);
    if (!macros.has(macro.name)) macros.set(macro.name, macro);
  }
}

const MARKDOWN = /\.md$/i;
/** A command as another product writes it. */
const OTHER_COMMAND = /\.toml$/i;
export const MAX_NAMESPACES = 4;
const MAX_MACROS = 500;
/** How many folders are looked at to tell that commands are too deep to be read. */
const MAX_FOLDERS_BELOW = 20;

function hasMarkdown(folder: string, look: LookBudget): boolean {
  return listFolder(folder, look).entries.some(({ name }) => MARKDOWN.test(name));
}

function notSearched(path: string, namespaces: boolean): BriefingDiagnostic {
  const where = namespaces ? `at most ${MAX_NAMESPACES} folders deep` : "directly in their folder";
  const message = `macro invalid: ${path} is not searched: commands are read ${where}`;
  const instead = namespaces
    ? "move its files up"
    : "move it to .indus/commands, where a folder is a namespace";
  return { kind: "macro-invalid", path, message, instead };
}

function ofAnotherFormat(folder: string, first: string, count: number): BriefingDiagnostic {
  const path = join(folder, first);
  const subject = count === 1 ? `${path} is` : `${path} (of ${count} TOML files there) is`;
  const message = `macro invalid: ${subject} not used: a command is a Markdown file`;
  return { kind: "macro-invalid", path, message, instead: "write its prompt as NAME.md" };
}

/** One macro. Its fault's message begins with `macro invalid: `. Never throws. */
export function readMacroFile(
  path: string,
  origin: MacroOrigin,
  label: string = origin,
  look?: LookBudget,
): MacroRead {
  const file = readTextFile(path, MAX_MACRO_BYTES, look);
  if (!file.ok) return invalid(`${path} cannot be read: ${file.problem}`);
  if (!file.isWhole) return invalid(`${path} is longer than ${MAX_MACRO_BYTES} bytes`);
  const header = readFrontmatter(file.text, look);
  const body = withoutBlankEnds(header.body);
  const described = textField(header.fields, "description");
  const argumentHint = hintOf(header.fields.get("argument-hint"));
  const asked = textField(header.fields, "model");
  const model = asked === "inherit" ? undefined : asked;
  const allowedTools = nameList(header.fields.get("allowed-tools"));
  const macro: MacroDef = {
    name: basename(path).replace(MARKDOWN, ""),
    description: described === undefined ? derivedDescription(body) : `${oneLine(described)} (${label})`,
    body,
    origin,
    source: path,
    argumentHint,
    model,
    allowedTools,
  };
  return { ok: true, macro, diagnostics: remarks(path, header, file.text) };
}

function invalid(detail: string): MacroRead {
  return { ok: false, fault: { kind: "macro-invalid", message: `macro invalid: ${detail}` } };
}

function derivedDescription(body: string): string {
  const line = body.split("\n", 1)[0]?.trim() ?? "";
  const characters = [...line.slice(0, 2 * DERIVED_DESCRIPTION_BUDGET + 2)];
  if (characters.length <= DERIVED_DESCRIPTION_BUDGET) return line;
  return `${characters.slice(0, DERIVED_DESCRIPTION_BUDGET).join("")}…`;
}

// YAML reads an unquoted `[file]` as a list.
function hintOf(value: ReturnType<Frontmatter["fields"]["get"]>): string | undefined {
  if (Array.isArray(value)) return `[${value.map(String).join(", ")}]`;
  return typeof value === "string" && value.trim() !== "" ? oneLine(value) : undefined;
}

const HONOURED_KEYS: ReadonlySet<string> = new Set([
  "description",
  "argument-hint",
  "allowed-tools",
  "model",
  "disable-model-invocation", // no model calls a macro here
]);

/** One diagnostic for each unsupported request and for hidden text. */
function remarks(path: string, header: Frontmatter, text: string): readonly BriefingDiagnostic[] {
  const found: BriefingDiagnostic[] = [];
  const say = (kind: BriefingDiagnostic["kind"], text: string, instead?: string): void => {
    found.push({ kind, path, message: `${path}: ${text}`, instead });
  };
  if (header.problem !== undefined)
    say("unreadable", `${header.problem}; only its plain lines are used`, MEND_HEADER);
  if (header.isOpen) say("unreadable", `${OPEN_HEADER}; all of it is the command's text`, "end it with ---");
  const idle = [...header.fields.keys()].filter((key) => !HONOURED_KEYS.has(key));
  const forms = [remarkOnKeys(idle), remarkOnVariables(header.body), ...remarksOnCommand(header.body)];
  for (const remark of forms) if (remark) say("unsupported", remark.text, remark.instead);
  const invisible = describeInvisible(text);
  if (invisible !== undefined)
    say("invisible", `it contains text that only the model can see (${invisible})`);
  return found;
}

function collision(macro: MacroDef, first: MacroDef): BriefingDiagnostic {
  const message = `${macro.source} is not used: /${macro.name} is already defined in ${first.source}`;
  return { kind: "collision", path: macro.source, message };
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
