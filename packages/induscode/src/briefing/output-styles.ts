// Output styles on disk: how the model is to answer, in Markdown. A folder of them is looked at only for a style that the person chose, and for lists.

import { basename, join } from "node:path";
import { nearest } from "indusagi/core";
import type { LookBudget } from "../store/look-budget.ts";
import type { BriefingDiagnostic, MacroOrigin } from "./contract.ts";
import { listFolder } from "./folder-entries.ts";
import { MEND_HEADER, OPEN_HEADER, readFrontmatter, textField, withoutBlankEnds } from "./frontmatter.ts";
import { remarkOnKeys } from "./header-remarks.ts";
import { describeInvisible } from "./invisible-text.ts";
import { freeName, leadsOut, type ProductPlaces, productFolders } from "./places.ts";
import { readTextFile } from "./text-file.ts";

/** Below a project and the home folder. */
export const STYLE_FOLDERS: readonly string[] = [".indus/output-styles", ".claude/output-styles"];
/** The setting's value for none, as the agent that the format is of has it. */
export const NO_STYLE = "default";
/** Of one file: a style is in every request. */
export const MAX_STYLE_BYTES: number = 32 * 1024;
const MAX_STYLES = 200;
const MAX_NAME_CHARS = 64;

/** A style as its file gives it. */
export interface OutputStyle {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly origin: MacroOrigin;
  /** The absolute path of its file. */
  readonly source: string;
  /** The package that it came with. */
  readonly packageName?: string | undefined;
}

export interface StyleLoad {
  readonly styles: readonly OutputStyle[];
  readonly diagnostics: readonly BriefingDiagnostic[];
}

/** All styles that can be chosen here. Of one name the person's own counts, then a package's, then the repository's. Never throws. */
export function gatherStyles(places: ProductPlaces): StyleLoad {
  const loads = productFolders(places, STYLE_FOLDERS, "outputStyles").map((folder) => ({
    ...loadStyles(folder.dir, folder.origin, folder),
    packageName: folder.packageName,
  }));
  const diagnostics = loads.flatMap((load) => load.diagnostics);
  const found = loads.flatMap(({ styles, packageName }) =>
    styles.map((style) => ({ ...style, packageName })),
  );
  const chosen = new Map<string, OutputStyle>();
  for (const style of found.toSorted((one, other) => rank(one) - rank(other))) {
    const name = freeName(style.name, style.packageName, chosen.has(style.name));
    const first = chosen.get(name);
    if (first === undefined) chosen.set(name, { ...style, name });
    else if (first.body !== style.body)
      diagnostics.push({
        kind: "collision",
        path: style.source,
        message: `${style.source} is not used: the output style ${name} is already defined in ${first.source}`,
      });
  }
  return { styles: [...chosen.values()], diagnostics };
}

/** Nobody's style gives way to a repository's. */
function rank({ origin, packageName }: OutputStyle): number {
  if (origin === "project") return 2;
  return packageName === undefined ? 0 : 1;
}

interface StyleBounds {
  /** Real folders that must contain every file, after following links; absent: no limit. */
  readonly within?: readonly string[] | undefined;
  readonly look?: LookBudget | undefined;
}

/** The styles of one folder, sorted by file, or of one file. A missing folder has none; a bad file costs itself. Never throws. */
export function loadStyles(
  place: string,
  origin: MacroOrigin,
  { within, look }: StyleBounds = {},
): StyleLoad {
  const styles: OutputStyle[] = [];
  const diagnostics: BriefingDiagnostic[] = [];
  const tell = (kind: BriefingDiagnostic["kind"], path: string, text: string, instead?: string): void => {
    diagnostics.push({ kind, path, message: `${path} ${text}`, instead });
  };
  for (const path of MARKDOWN.test(place) ? [place] : inFolder()) add(path);
  return { styles, diagnostics };

  function inFolder(): readonly string[] {
    const outside = leadsOut(place, within);
    if (outside !== undefined) {
      tell("refused", place, `is not used: ${outside}`);
      return [];
    }
    const { entries, problem } = listFolder(place, look);
    if (problem) tell(problem.kind, place, problem.text);
    const files = entries.filter(({ name }) => MARKDOWN.test(name));
    if (files.length > MAX_STYLES)
      tell("limit", place, `has ${files.length} output styles; only the first ${MAX_STYLES} are read`);
    return files.slice(0, MAX_STYLES).map(({ name }) => join(place, name));
  }

  function add(path: string): void {
    const outside = leadsOut(path, within);
    if (outside !== undefined) {
      tell("refused", path, `is not used: ${outside}`);
      return;
    }
    if (look !== undefined && !look.hasText) {
      tell("limit", path, `is not read: ${look.words}`);
      return;
    }
    const file = readTextFile(path, MAX_STYLE_BYTES, look);
    if (!file.ok || !file.isWhole) {
      const why = file.ok ? `an output style may have ${MAX_STYLE_BYTES} bytes` : file.problem;
      tell("unreadable", path, `is not used: ${why}`);
      return;
    }
    const { fields, body, problem, isOpen } = readFrontmatter(file.text, look);
    if (problem !== undefined)
      tell("unreadable", path, `: ${problem}; only its plain lines are used`, MEND_HEADER);
    if (isOpen)
      tell("unreadable", path, `: ${OPEN_HEADER}; all of it is the style's text`, "end it with ---");
    const text = withoutBlankEnds(body);
    if (text === "") {
      tell("unreadable", path, "is not used: it has no text below its header");
      return;
    }
    const idle = remarkOnKeys([...fields.keys()].filter((key) => !HONOURED_KEYS.has(key)));
    if (idle) tell("unsupported", path, `: ${idle.text}`, idle.instead);
    if (/^(?:false|no|off)$/i.test(textField(fields, KEEPS) ?? ""))
      tell("unsupported", path, `: "${KEEPS}: false" is not applied: the instructions of indus always stay`);
    const invisible = describeInvisible(file.text);
    if (invisible !== undefined)
      tell("invisible", path, `contains text that only the model can see (${invisible})`);
    const named = oneLine(textField(fields, "name") ?? "");
    const name = named === "" || named.length > MAX_NAME_CHARS ? basename(path).replace(MARKDOWN, "") : named;
    const description = oneLine(textField(fields, "description") ?? "");
    styles.push({ name: oneLine(name), description, body: text, origin, source: path });
  }
}

const MARKDOWN = /\.md$/i;
const KEEPS = "keep-coding-instructions";
const HONOURED_KEYS: ReadonlySet<string> = new Set(["name", "description", KEEPS]);

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

export interface ChosenStyle {
  readonly style?: OutputStyle | undefined;
  readonly diagnostics: readonly BriefingDiagnostic[];
}

/** The style of that name. If there is none, a diagnostic names the nearest one, and whatever was not read. */
export function chosenStyle(name: string, places: ProductPlaces): ChosenStyle {
  const { styles, diagnostics } = gatherStyles(places);
  const style = styles.find((each) => each.name === name);
  // What a file asks for in vain is told by lists.
  if (style)
    return {
      style,
      diagnostics: diagnostics.filter(({ path, kind }) => path === style.source && kind !== "unsupported"),
    };
  return {
    diagnostics: [
      {
        kind: "unsupported",
        path: "outputStyle",
        message: `none applies, because ${unknownStyle(name, styles)}`,
        instead: "/settings outputStyle NAME chooses one",
      },
      ...diagnostics,
    ],
  };
}

/** What to say of a name that none of these styles has. */
export function unknownStyle(name: string, styles: readonly Pick<OutputStyle, "name">[]): string {
  const names = styles.map((each) => each.name);
  const near = nearest(name, names);
  const known =
    names.length === 0
      ? "there is none here"
      : `expected one of ${[NO_STYLE, ...names].slice(0, MAX_NAMED).join(", ")}`;
  const meant = near === undefined ? "" : `; did you mean "${near}"?`;
  return `no output style is called ${JSON.stringify(name)}: ${known}${meant}`;
}

const MAX_NAMED = 20;
