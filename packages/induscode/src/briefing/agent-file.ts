// Reads one delegate's profile from one file: TOML, or Markdown with a header, the form other products
// use. A profile describes a role and narrows what it may use; it grants nothing.

import { basename } from "node:path";
import { describeError } from "indusagi/core";
import type { LookBudget } from "../store/look-budget.ts";
import { parseTomlNow } from "../store/toml.ts";
import {
  type BriefingDiagnostic,
  type BriefingFault,
  type FrontmatterValue,
  type MacroOrigin,
  type SubagentProfile,
  TOOL_COLLECTIONS,
} from "./contract.ts";
import { MEND_HEADER, nameList, OPEN_HEADER, readFrontmatter, withoutBlankEnds } from "./frontmatter.ts";
import { remarkOnVariables } from "./header-remarks.ts";
import { describeInvisible } from "./invisible-text.ts";
import { readTextFile } from "./text-file.ts";
import { plainName } from "./written-names.ts";

/** Names of files that can be profiles. */
export const PROFILE_FILE: RegExp = /\.(?:toml|md)$/i;

/** More than a context document may have: an agent's rules cannot be cut without losing their meaning. */
const MAX_AGENT_BYTES = 64 * 1024;
const MAX_LINE_CHARS = 1_024;
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

type SubagentRead =
  | {
      readonly ok: true;
      readonly profile: SubagentProfile;
      readonly diagnostics: readonly BriefingDiagnostic[];
    }
  | { readonly ok: false; readonly fault: BriefingFault };

/** Names of texts about what is next to them. */
export const TEXT_ABOUT: RegExp = /^(?:readme|(?:contributing|changelog|license|index|agents|claude)\.)/i;

/**
 * Reads one profile; undefined for Markdown without a header whose name says that it is a text about the others. A fault's
 * message begins with `agent invalid: `. Never throws.
 */
export function readAgentFile(
  path: string,
  origin: MacroOrigin,
  look?: LookBudget,
): SubagentRead | undefined {
  const file = readTextFile(path, MAX_AGENT_BYTES, look);
  if (!file.ok) return invalid(`${path} cannot be read: ${file.problem}`);
  if (!file.isWhole) return invalid(`${path} is longer than ${MAX_AGENT_BYTES} bytes`);
  try {
    const document = /\.toml$/i.test(path) ? tomlDocument(file.text) : markdownDocument(file.text, look);
    if (document === undefined)
      return TEXT_ABOUT.test(basename(path)) ? undefined : invalid(`${path}: ${NO_HEADER}`);
    const { profile, inVain } = readProfile(document, path, origin);
    const invisible = describeInvisible(file.text);
    const variables = remarkOnVariables(document.prompt);
    const remarks: readonly (readonly [
      BriefingDiagnostic["kind"],
      string | undefined,
      (string | undefined)?,
    ])[] = [
      ["unreadable", document.problem && `${document.problem}; only its plain lines are used`, MEND_HEADER],
      ["unsupported", inVain.length > 0 ? `not supported, ignored: ${listed(inVain)}` : undefined],
      ["unsupported", variables?.text, variables?.instead],
      ["invisible", invisible && `it contains text that only the model can see (${invisible})`],
    ];
    const diagnostics = remarks.flatMap(([kind, remark, instead]): readonly BriefingDiagnostic[] =>
      remark === undefined ? [] : [{ kind, path, message: `${path}: ${remark}`, instead }],
    );
    return { ok: true, profile, diagnostics };
  } catch (error) {
    return invalid(`${path}: ${describeError(error)}`);
  }
}

const NO_HEADER = "it has no header: an agent's Markdown begins with --- and its description";

function invalid(detail: string): SubagentRead {
  return { ok: false, fault: { kind: "agent-invalid", message: `agent invalid: ${detail}` } };
}

interface AgentDocument {
  readonly fields: Fields;
  readonly prompt: string;
  /** Why only some of the fields were read. */
  readonly problem?: string | undefined;
}

// A profile is flat; deeper nesting only serves to exhaust the stack.
const MAX_DEPTH = 8;

/** Throws when the text is not TOML or its prompt is not a string. */
function tomlDocument(text: string): AgentDocument {
  const fields = new Fields(Object.entries(parseTomlNow(text, MAX_DEPTH)));
  return { fields, prompt: fields.asWritten("prompt") ?? "" };
}

function markdownDocument(text: string, look: LookBudget | undefined): AgentDocument | undefined {
  const { fields, body, present, problem, isOpen } = readFrontmatter(text, look);
  if (isOpen) throw new Error(OPEN_HEADER);
  if (!present) return undefined;
  return { fields: new Fields(fields), prompt: body, problem };
}

/** A file's fields, each key taken once: keys left over are not supported. Throws a readable error for a value that does not fit. */
class Fields {
  readonly #left: Map<string, unknown>;

  constructor(entries: Iterable<readonly [string, unknown]>) {
    this.#left = new Map(entries);
  }

  /** The keys that were not taken. */
  get left(): readonly string[] {
    return [...this.#left.keys()];
  }

  text(key: string): string | undefined {
    return this.asWritten(key)?.trim();
  }

  asWritten(key: string): string | undefined {
    const value = this.#take(key);
    if (value === undefined || typeof value === "string") return value;
    throw misfit(key, "a string", value);
  }

  names(...keys: readonly string[]): readonly string[] | undefined {
    const [key = "", value] = this.#takeFirst(keys);
    if (value === undefined) return undefined;
    const names = nameList(value as FrontmatterValue); // undefined for anything but a text or a list
    if (names !== undefined && (typeof value === "string" || names.length === (value as []).length))
      return names;
    throw misfit(key, "a list of tool names", value);
  }

  count(...keys: readonly string[]): number | undefined {
    const [key = "", value] = this.#takeFirst(keys);
    if (value === undefined) return undefined;
    const count = typeof value === "string" ? Number(value) : value;
    if (Number.isSafeInteger(count) && (count as number) > 0) return count as number;
    throw misfit(key, "a positive whole number", value);
  }

  #takeFirst(keys: readonly string[]): readonly [key?: string, value?: unknown] {
    const found = keys.map((key) => [key, this.#take(key)] as const);
    return found.find(([, value]) => value !== undefined) ?? [];
  }

  #take(key: string): unknown {
    const value = this.#left.get(key);
    this.#left.delete(key);
    return value;
  }
}

function misfit(what: string, expected: string, found: unknown): Error {
  return new Error(`expected ${what} to be ${expected}, found ${JSON.stringify(found)?.slice(0, 80)}`);
}

interface ProfileRead {
  readonly profile: SubagentProfile;
  /** What the file asks for that is not supported here. */
  readonly inVain: readonly string[];
}

/** Accepts each key in our spelling and in that of the products people bring files from. */
function readProfile({ fields, prompt }: AgentDocument, path: string, origin: MacroOrigin): ProfileRead {
  const inVain: string[] = [];
  const written = fields.text("name") ?? basename(path).replace(PROFILE_FILE, "");
  const name = NAME.test(written) ? written : plainName(written);
  if (name !== written) inVain.push(`the name ${JSON.stringify(written)} (in indus, it is called ${name})`);
  if (!NAME.test(name)) throw misfit("the name", "1 to 64 lower-case letters, digits and hyphens", name);
  const collection = fields.text("tool_collection");
  const toolCollection = TOOL_COLLECTIONS.find((each) => each === collection);
  if (collection !== undefined && toolCollection === undefined)
    throw misfit("tool_collection", `one of ${TOOL_COLLECTIONS.join(", ")}`, collection);
  const mode = fields.text("permissionMode");
  if (mode !== undefined && mode !== "default" && mode !== "plan")
    inVain.push(`permissionMode ${mode} (a file grants nothing)`);
  fields.text("color"); // a label's colour in another product: it can be ignored
  const tools = fields.names("tools");
  const description = fields.text("description") ?? "";
  if (oneLine(description)?.endsWith("…") && !description.endsWith("…"))
    inVain.push(`the description after ${MAX_LINE_CHARS} characters`);
  const profile = withoutAbsent<SubagentProfile>({
    name,
    purpose: oneLine(description) ?? oneLine(prompt.trim().split("\n", 1)[0]) ?? name,
    when: oneLine(fields.text("when")),
    prompt: withoutBlankEnds(prompt) || undefined,
    model: modelOf(fields.text("model")),
    toolCollection: mode === "plan" ? "read-only" : toolCollection,
    tools: tools?.includes("*") ? undefined : toolNames(tools, inVain),
    withheldTools: toolNames(fields.names("withheld_tools", "disallowedTools"), inVain),
    maxTurns: fields.count("max_turns", "maxTurns"),
    origin,
    source: path,
  });
  return { profile, inVain: [...fields.left, ...inVain] };
}

/** Whoever gathers the agents knows whether they get it ({@link modelProblem}). */
function modelOf(model: string | undefined): string | undefined {
  return model === "" || model === "inherit" ? undefined : model;
}

// Other products' names for the same tools.
const FOREIGN_TOOLS: ReadonlyMap<string, string> = new Map([
  ["Read", "read"],
  ["Write", "write"],
  ["Edit", "edit"],
  ["MultiEdit", "edit"],
  ["NotebookEdit", "edit"],
  ["Bash", "bash"],
  ["Grep", "grep"],
  ["Glob", "find"],
  ["LS", "ls"],
  ["WebFetch", "webfetch"],
  ["WebSearch", "websearch"],
  ["TodoWrite", "todo_set"],
  ["TodoRead", "todo_read"],
  ["NotebookRead", "read"],
  ["BashOutput", "process"],
  ["KillBash", "process"],
  ["KillShell", "process"],
  ["Task", "task"],
  ["Agent", "task"],
  ["AskUserQuestion", "ask_user"],
]);

function toolNames(names: readonly string[] | undefined, inVain: string[]): readonly string[] | undefined {
  const found = names?.map((name) => {
    const [plain = "", pattern] = name.split("(", 2);
    if (pattern !== undefined) inVain.push(`the pattern in ${name} (permission rules decide)`);
    return FOREIGN_TOOLS.get(plain) ?? plain;
  });
  return found && [...new Set(found)];
}

const MAX_LISTED = 20;
const MAX_LISTED_CHARS = 120;

function listed(parts: readonly string[]): string {
  const shown = parts.slice(0, MAX_LISTED).map((part) => part.slice(0, MAX_LISTED_CHARS));
  return [...shown, ...(parts.length > MAX_LISTED ? [`${parts.length - MAX_LISTED} more`] : [])].join("; ");
}

/** Undefined when nothing is left. */
function oneLine(text = ""): string | undefined {
  const line = text.trim().replace(/\s+/g, " ");
  const characters = [...line.slice(0, 2 * MAX_LINE_CHARS + 2)];
  if (characters.length <= MAX_LINE_CHARS) return line || undefined;
  return `${characters.slice(0, MAX_LINE_CHARS).join("")}…`;
}

function withoutAbsent<Value extends object>(
  value: {
    readonly [Key in keyof Value]: Value[Key] | undefined;
  },
): Value {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Value;
}
