// The rules that people write for other agents: instructions with a header that says which files they are about. Those about everything are
// read at the start; the others when a tool first uses a file that they are about.

import { join, relative } from "node:path";
import { isInside, matchPathGlob } from "indusagi/core";
import type { LookBudget } from "../store/look-budget.ts";
import type { BriefingDiagnostic, FrontmatterValue } from "./contract.ts";
import { isFolder, listFolder } from "./folder-entries.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { leadsOut } from "./places.ts";
import { readTextFile, realPathOf } from "./text-file.ts";

/** One folder of rules below a project, as the agent that it is for reads it. */
interface RuleKind {
  readonly folder: string;
  /** How its files end. */
  readonly ending: string;
  /** What the header says: globs; nothing, for a rule about everything; or why it is never read. */
  readonly about: (fields: ReadonlyMap<string, FrontmatterValue>) => readonly string[] | "all" | RuleProblem;
  /** A pattern without a slash is about names in any folder. */
  readonly isDeep: boolean;
}

interface RuleProblem {
  readonly problem: string;
}

const YES = /^(?:true|yes|on)$/i;

export const RULE_KINDS: readonly RuleKind[] = [
  {
    folder: ".claude/rules",
    ending: ".md",
    isDeep: false,
    about: (fields) => (fields.has("paths") ? globsOf(fields.get("paths")) : "all"),
  },
  {
    folder: ".cursor/rules",
    ending: ".mdc",
    isDeep: true,
    about(fields) {
      const always = fields.get("alwaysApply");
      if (typeof always === "string" && YES.test(always)) return "all";
      const globs = globsOf(fields.get("globs"));
      return globs.length > 0
        ? globs
        : { problem: "it has no globs, and indus does not offer rules for the model to choose from" };
    },
  },
  {
    folder: ".github/instructions",
    ending: ".instructions.md",
    isDeep: true,
    about(fields) {
      const globs = globsOf(fields.get("applyTo"));
      if (globs.length === 0) return { problem: "it names no files (applyTo)" };
      return globs.some((glob) => glob === "**" || glob === "**/*") ? "all" : globs;
    },
  },
];

/** A rule that is read, or will be. */
export interface RuleFile {
  readonly path: string;
  readonly realPath: string;
  /** The folder whose files it is about. */
  readonly base: string;
  readonly isAboutAll: boolean;
  readonly isAbout: (path: string) => boolean;
}

export interface FoundRules {
  readonly rules: readonly RuleFile[];
  readonly diagnostics: readonly BriefingDiagnostic[];
}

interface RulePlaces {
  /** Absolute: the folders that have rules. Nothing leads out of them. */
  readonly projects: readonly string[];
  /** The person's own, about the files of the working directory. */
  readonly home: string;
  readonly cwd: string;
}

const MAX_RULES = 500;
const MAX_DEPTH = 4;
/** Where a header is looked for. */
const MAX_HEADER_BYTES: number = 16 * 1024;

/** All rules, the person's first. Without any of the folders it costs one look at each. Never throws. */
export function findRules({ projects, home, cwd }: RulePlaces, look: LookBudget): FoundRules {
  const rules: RuleFile[] = [];
  const diagnostics: BriefingDiagnostic[] = [];
  const tell = (kind: BriefingDiagnostic["kind"], path: string, text: string, instead?: string): void => {
    diagnostics.push({ kind, path, message: `${path} ${text}`, instead });
  };

  for (const kind of RULE_KINDS.slice(0, 1)) walk(join(home, kind.folder), { kind, base: cwd, depth: 0 });
  for (const base of projects)
    for (const kind of RULE_KINDS)
      walk(join(base, kind.folder), { kind, base, depth: 0, within: [realPathOf(base)] });
  return { rules, diagnostics };

  function walk(folder: string, place: WalkPlace): void {
    const outside = leadsOut(folder, place.within);
    if (outside !== undefined) {
      tell("refused", folder, `is not used: ${outside}`);
      return;
    }
    const { entries, problem } = listFolder(folder, look);
    if (problem) tell(problem.kind, folder, problem.text);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const name = entry.name.toLowerCase();
      if (isFolder(entry, folder)) {
        if (place.depth < MAX_DEPTH && !entry.isSymbolicLink())
          walk(path, { ...place, depth: place.depth + 1 });
      } else if (name.endsWith(place.kind.ending)) add(path, place);
      else if (/\.mdc?$/.test(name) && name !== "readme.md")
        tell(
          "unsupported",
          path,
          `is not read: the name of a rule there must end in ${place.kind.ending}`,
          "rename it",
        );
    }
  }

  function readRule(path: string, within: WalkPlace["within"]): { readonly text: string } | Unused {
    if (rules.length === MAX_RULES) return { kind: "limit", why: `only ${MAX_RULES} rules are read` };
    if (!look.hasText) return { kind: "limit", why: look.words };
    const outside = leadsOut(path, within);
    if (outside !== undefined) return { kind: "refused", why: outside };
    const file = readTextFile(path, MAX_HEADER_BYTES, look);
    return file.ok ? { text: file.text } : { kind: "unreadable", why: file.problem };
  }

  function add(path: string, { kind, base, within }: WalkPlace): void {
    const read = readRule(path, within);
    if ("why" in read) {
      tell(read.kind, path, `is not used: ${read.why}`);
      return;
    }
    const about = kind.about(readFrontmatter(read.text, look).fields);
    if (typeof about === "object" && "problem" in about) {
      tell("unsupported", path, `is not read: ${about.problem}`, "name them, or import it: @PATH");
      return;
    }
    const patterns = about === "all" ? [] : patternsOf(about, kind.isDeep);
    if (patterns === undefined) {
      tell("limit", path, `is not used: ${TOO_MUCH}`, "name fewer files");
      return;
    }
    rules.push({
      path,
      realPath: realPathOf(path),
      base,
      isAboutAll: about === "all",
      isAbout(used) {
        if (!isInside(base, used)) return false;
        const name = relative(base, used).replaceAll("\\", "/");
        return about === "all" || patterns.some((pattern) => matchPathGlob(pattern, name));
      },
    });
  }
}

type Unused = { readonly kind: "limit" | "refused" | "unreadable"; readonly why: string };

interface WalkPlace {
  readonly kind: RuleKind;
  readonly base: string;
  readonly depth: number;
  readonly within?: readonly string[];
}

/** A list, or a text with commas between them. */
function globsOf(value: FrontmatterValue | undefined): readonly string[] {
  const texts = typeof value === "string" ? splitGlobs(value) : Array.isArray(value) ? value : [];
  return texts.flatMap((each) => {
    const glob = typeof each === "string" ? each.trim().replace(/^["']|["']$/g, "") : "";
    return glob === "" ? [] : [glob];
  });
}

/** At the commas that stand in no braces. */
function splitGlobs(text: string): readonly string[] {
  return text.replace(/^\[|\]$/g, "").match(/(?:\{[^{}]*\}|[^,{}])+/g) ?? [];
}

/** Of one rule, in all: each used file is compared with every pattern of every rule. */
const MAX_PATTERNS = 200;
const MAX_PATTERN_CHARS = 10_000;
const TOO_MUCH = `its globs stand for more than ${MAX_PATTERNS} patterns or ${MAX_PATTERN_CHARS} characters`;
const BRACES = /\{([^{},]*,[^{}]*)\}/;

/** `a.{b,c}` stands for `a.b` and `a.c`. Undefined if it is too much. */
function patternsOf(globs: readonly string[], isDeep: boolean): readonly string[] | undefined {
  const done: string[] = [];
  const open = globs.map((glob) => patternOf(glob, isDeep));
  let chars = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [group, choices = "", at = 0] = braces(next);
    const parts = group === undefined ? [] : choices.split(",");
    chars += next.length;
    if (chars > MAX_PATTERN_CHARS || done.length + open.length + Math.max(parts.length, 1) > MAX_PATTERNS)
      return undefined;
    if (group === undefined) done.push(next);
    const [before, after] = [next.slice(0, at), next.slice(at + (group?.length ?? 0))];
    open.push(...parts.map((choice) => before + choice.trim() + after));
  }
  return done;
}

function braces(glob: string): readonly [group?: string, choices?: string, at?: number] {
  const found = BRACES.exec(glob);
  return found === null ? [] : [found[0], found[1] ?? "", found.index];
}

function patternOf(glob: string, isDeep: boolean): string {
  const plain = glob.replace(/^(?:\.?\/)+/, "");
  const whole = plain.endsWith("/") ? `${plain}**` : plain;
  return isDeep && !whole.includes("/") ? `**/${whole}` : whole;
}
