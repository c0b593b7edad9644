// What makes a file a skill (agentskills.io). The set of keys is closed, but real skills carry more. So an
// unknown key only causes a warning; the skill is refused only if the caller asks for the closed rules.

import { basename, dirname } from "node:path";
import type { LookBudget } from "../store/look-budget.ts";
import {
  type FrontmatterValue,
  SKILL_DESCRIPTION_LIMIT,
  SKILL_NAME_LIMIT,
  type SkillFrontmatter,
  type SkillRules,
  type SkillWarning,
} from "./contract.ts";
import {
  type Frontmatter,
  MEND_HEADER,
  nameList,
  OPEN_HEADER,
  readFrontmatter,
  textField,
} from "./frontmatter.ts";
import { remarkOnKeys, remarkOnVariables, remarksOnSkill } from "./header-remarks.ts";
import { plainName } from "./written-names.ts";

export const SKILL_MANIFEST = "SKILL.md";
/** Why a text that is written as a skill is none: it is in a folder of skills, and not directly in it. */
export const NO_MANIFEST: string = `a skill in a folder of its own is called ${SKILL_MANIFEST}`;
const COMPATIBILITY_LIMIT = 500;
const MAX_SHOWN = 80;

/** A SKILL.md in its own folder, or a Markdown file directly in the root. */
export type SkillShape = "packaged" | "loose";

type SkillCheck =
  | {
      readonly kind: "ok";
      readonly name: string;
      readonly description: string;
      readonly body: string;
      readonly frontmatter: SkillFrontmatter;
      readonly warnings: readonly SkillWarning[];
    }
  | { readonly kind: "skipped" | "invalid"; readonly detail: string };

/** Checks the text of the file at `path`, or its beginning. Never throws. */
export function checkSkill(
  text: string,
  {
    path,
    shape,
    look,
    closed = false,
    isLenient = false,
  }: SkillRules & { readonly path: string; readonly shape: SkillShape; readonly look?: LookBudget },
): SkillCheck {
  const header = readFrontmatter(text, look);
  if (header.isOpen) return { kind: "invalid", detail: OPEN_HEADER };
  // A README next to the skill folders.
  if (!header.present && shape === "loose") return { kind: "skipped", detail: "it has no front matter" };
  const { fields } = header;
  const folder = basename(dirname(path));
  const declared = textField(fields, "name");
  const written = declared ?? folder;
  const name = isLenient ? plainName(written) : written;
  const read = projectFrontmatter(fields, declared);
  const described = isLenient ? describedLeniently(read.description, header.body) : read;
  const frontmatter = { ...read, description: described.description };
  const unknown = Object.keys(frontmatter.rest);
  const problem =
    notText(fields) ??
    nameProblem(name) ??
    (isLenient ? undefined : placeProblem({ declared, folder, path, shape, closed })) ??
    descriptionProblem(frontmatter.description) ??
    (closed && unknown.length > 0 ? `unknown keys: ${unknown.join(", ")}` : undefined);
  if (problem !== undefined) return { kind: "invalid", detail: problem };
  return {
    kind: "ok",
    name,
    description: frontmatter.description,
    body: header.body.trim(),
    frontmatter,
    warnings: [
      ...nameWarnings(written, name, shape === "packaged" ? folder : name),
      ...("warning" in described ? [described.warning] : []),
      ...warningsOf(header, frontmatter),
    ],
  };
}

/** What it is called here, where it is not called as it is written or as its folder is. */
function nameWarnings(written: string, name: string, folder: string): readonly SkillWarning[] {
  if (name !== written)
    return [
      {
        kind: "unsupported",
        text: `its name is ${JSON.stringify(written)}: in indus, it is called ${name}`,
        instead: "to choose its name, write it with lower-case letters, digits and hyphens",
      },
    ];
  if (name === folder) return [];
  return [
    {
      kind: "unsupported",
      text: `its name is ${JSON.stringify(name)}, and its folder's is ${JSON.stringify(folder)}`,
      instead: "rename one of the two",
    },
  ];
}

const MODEL_OFF = "disable-model-invocation";
/** As YAML 1.1 has them, in any case. */
const YES = /^(?:true|yes|on|y|1)$/i;
const NO = /^(?:false|no|off|n|0)$/i;
const TEXT_KEYS: readonly string[] = ["name", "description", "license", "compatibility"];
const KNOWN_KEYS: ReadonlySet<string> = new Set([...TEXT_KEYS, "metadata", "allowed-tools", MODEL_OFF]);

function projectFrontmatter(fields: Frontmatter["fields"], name: string | undefined): SkillFrontmatter {
  const optional = <Key extends string, Value>(key: Key, value: Value | undefined) =>
    (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
  return {
    ...optional("name", name),
    description: (textField(fields, "description") ?? "").replace(/\s+/g, " "),
    ...optional("license", textField(fields, "license")),
    ...optional("compatibility", textField(fields, "compatibility")),
    ...optional("metadata", fields.get("metadata")),
    ...optional("allowedTools", nameList(fields.get("allowed-tools"))),
    disableModelInvocation: fields.has(MODEL_OFF) && !isOneOf(NO, fields.get(MODEL_OFF)),
    rest: Object.fromEntries<FrontmatterValue>([...fields].filter(([key]) => !KNOWN_KEYS.has(key))),
  };
}

function isOneOf(words: RegExp, value: FrontmatterValue | undefined): boolean {
  return typeof value === "string" && words.test(value.trim());
}

function warningsOf(
  { problem, body, fields }: Frontmatter,
  { rest, allowedTools, compatibility = "" }: SkillFrontmatter,
): readonly SkillWarning[] {
  const warnings: SkillWarning[] = [];
  const idle = [...(allowedTools ? ["allowed-tools"] : []), ...Object.keys(rest)];
  for (const remark of [remarkOnKeys(idle), remarkOnVariables(body), ...remarksOnSkill(body)])
    if (remark) warnings.push({ kind: "unsupported", ...remark });
  if (problem !== undefined)
    warnings.push({
      kind: "unreadable",
      text: `${problem}; only its plain lines are used`,
      instead: MEND_HEADER,
    });
  const off = fields.get(MODEL_OFF) ?? "false";
  if (!isOneOf(YES, off) && !isOneOf(NO, off))
    warnings.push({
      kind: "unsupported",
      text: `its ${MODEL_OFF} is ${JSON.stringify(off).slice(0, MAX_SHOWN)}, not true or false, so the skill is not offered to the model`,
      instead: "write true or false",
    });
  if ([...compatibility].length > COMPATIBILITY_LIMIT)
    warnings.push({
      kind: "limit",
      text: `its compatibility is longer than ${COMPATIBILITY_LIMIT} characters`,
    });
  return warnings;
}

function notText(fields: Frontmatter["fields"]): string | undefined {
  const wrong = TEXT_KEYS.find((key) => fields.has(key) && typeof fields.get(key) !== "string");
  return wrong === undefined ? undefined : `its ${wrong} must be a string`;
}

function nameProblem(name: string): string | undefined {
  if ([...name].length > SKILL_NAME_LIMIT) return `its name is longer than ${SKILL_NAME_LIMIT} characters`;
  if (NAME.test(name)) return undefined;
  return `its name must be words of lower-case letters and digits, joined by single hyphens; found ${JSON.stringify(name)}`;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

interface PlaceFacts extends SkillRules {
  readonly declared: string | undefined;
  readonly folder: string;
  readonly path: string;
  readonly shape: SkillShape;
}

function placeProblem({ declared, folder, path, shape, closed }: PlaceFacts): string | undefined {
  if (declared === undefined || declared === folder) return undefined;
  // Under the closed rules a root can hold only one named loose file; one named after itself is as easy to find.
  if (shape === "loose" && closed !== true && basename(path).toLowerCase() === `${declared}.md`)
    return undefined;
  return `its name is ${JSON.stringify(declared)}, but its folder is ${JSON.stringify(folder)}; they must match`;
}

interface Described {
  readonly description: string;
  readonly warning?: SkillWarning;
}

/** As other agents take one that is missing or too long: the text's first paragraph, and the beginning. */
function describedLeniently(written: string, body: string): Described {
  const description = written === "" ? firstParagraph(body) : written;
  const characters = [...description];
  const isCut = characters.length > SKILL_DESCRIPTION_LIMIT;
  const fitting = isCut ? `${characters.slice(0, SKILL_DESCRIPTION_LIMIT - 1).join("")}…` : description;
  if (written === "" && description !== "") {
    const text = "it has no description: its first paragraph is used";
    return {
      description: fitting,
      warning: { kind: "unsupported", text, instead: "write one into its header" },
    };
  }
  if (!isCut) return { description };
  const text = `its description is longer than ${SKILL_DESCRIPTION_LIMIT} characters: only its beginning is used`;
  return { description: fitting, warning: { kind: "limit", text, instead: "shorten it" } };
}

/** The first lines in a row that are no heading; of a text of headings alone, the first one. */
function firstParagraph(body: string): string {
  const lines = body.split("\n").map((line) => line.trim());
  const begin = lines.findIndex((line) => line !== "" && !line.startsWith("#"));
  if (begin === -1) return (lines.find((line) => line !== "") ?? "").replace(/^#+/, "").trim();
  const after = lines.slice(begin);
  const end = after.findIndex((line) => line === "" || line.startsWith("#"));
  return (end === -1 ? after : after.slice(0, end)).join(" ").replace(/\s+/g, " ");
}

function descriptionProblem(description: string): string | undefined {
  if (description === "") return "it has no description";
  if ([...description].length <= SKILL_DESCRIPTION_LIMIT) return undefined;
  return `its description is longer than ${SKILL_DESCRIPTION_LIMIT} characters`;
}
