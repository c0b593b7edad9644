// Profiles of delegates on disk (seed 000, subagents): `.indus/agents/<name>.toml`, and Markdown with a header as other
// products have it. A profile describes a role and narrows its tools; it grants nothing.

import { basename, dirname, join } from "node:path";
import { describeError, isInside } from "indusagi/core";
import { BUILTIN_AGENTS } from "./builtin-agents.ts";
import {
  type BriefingDiagnostic,
  type BriefingFault,
  type MacroOrigin,
  type SubagentLoad,
  type SubagentProfile,
  TOOL_COLLECTIONS,
} from "./contract.ts";
import { listFolder } from "./folder-entries.ts";
import { nameList, readFrontmatter } from "./frontmatter.ts";
import { describeInvisible } from "./invisible-text.ts";
import { type ProductPlaces, productFolders } from "./places.ts";
import { readTextFile, realPathOf } from "./text-file.ts";
import { parseTomlTable } from "./toml.ts";

/** Where a project keeps its profiles (seed 000). */
export const AGENTS_DIR = ".indus/agents";
const FOREIGN_DIR = ".claude/agents";

const MAX_AGENT_BYTES = 64 * 1024;
const MAX_AGENTS = 100;
const MAX_LINE_CHARS = 1_024;
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const PROFILE_FILE = /\.(?:toml|md)$/i;

export type SubagentRead =
  | {
      readonly ok: true;
      readonly profile: SubagentProfile;
      readonly diagnostics: readonly BriefingDiagnostic[];
    }
  | { readonly ok: false; readonly fault: BriefingFault };

/** The profiles of all places: project before home before built in, and of two with one name the first. Never throws. */
export function gatherAgents(places: ProductPlaces): SubagentLoad {
  const profiles = new Map<string, SubagentProfile>();
  const diagnostics: BriefingDiagnostic[] = [];
  for (const { dir, origin } of productFolders(places, [AGENTS_DIR, FOREIGN_DIR])) {
    const load = discoverProfiles(dir, origin);
    diagnostics.push(...load.diagnostics);
    for (const profile of load.profiles) {
      const first = profiles.get(profile.name);
      if (first === undefined) {
        profiles.set(profile.name, profile);
        if (BUILTIN_AGENTS.some(({ name }) => name === profile.name))
          diagnostics.push(inPlaceOfBuiltin(profile));
      } else {
        const message = `${profile.source} is not used: the delegate ${profile.name} is already ${first.source}`;
        diagnostics.push({ kind: "collision", path: profile.source, message });
      }
    }
  }
  const builtins = BUILTIN_AGENTS.filter(({ name }) => !profiles.has(name));
  const { kept, dropped } = fitListing([...profiles.values()]);
  if (dropped[0]) {
    const message = `the list of delegates for the model is full; ${dropped.map(({ name }) => name).join(", ")} are left out`;
    diagnostics.push({ kind: "limit", path: dropped[0].source, message });
  }
  return { profiles: [...kept, ...builtins], diagnostics };
}

// What the model reads of delegates is in every request.
const MAX_LISTING_BYTES = 16 * 1024;

/** The person's own before a repository's, which must not crowd them out. */
function fitListing(profiles: readonly SubagentProfile[]): {
  readonly kept: readonly SubagentProfile[];
  readonly dropped: readonly SubagentProfile[];
} {
  const fitting = new Set<SubagentProfile>();
  let bytes = 0;
  for (const profile of profiles.toSorted((one, other) => rank(one) - rank(other))) {
    const { name, purpose, when = "" } = profile;
    const more = Buffer.byteLength(name + purpose + when);
    if (bytes + more > MAX_LISTING_BYTES) continue;
    bytes += more;
    fitting.add(profile);
  }
  return {
    kept: profiles.filter((profile) => fitting.has(profile)),
    dropped: profiles.filter((profile) => !fitting.has(profile)),
  };
}

function rank({ origin }: SubagentProfile): number {
  return origin === "user" ? 0 : 1;
}

function inPlaceOfBuiltin({ name, source }: SubagentProfile): BriefingDiagnostic {
  const message = `the delegate ${name} is ${source}, in the place of the built-in one`;
  return { kind: "collision", path: source, message };
}

/** The profiles of one folder, one level deep, sorted by file; a bad file costs itself only (seed 000). Never throws. */
export function discoverProfiles(dir: string, origin: MacroOrigin): SubagentLoad {
  const profiles: SubagentProfile[] = [];
  const diagnostics: BriefingDiagnostic[] = [];
  const { entries, problem } = listFolder(dir);
  if (problem !== undefined)
    diagnostics.push({ kind: "unreadable", path: dir, message: `${dir} cannot be looked into: ${problem}` });
  const files = entries.filter((entry) => !entry.isDirectory() && PROFILE_FILE.test(entry.name));
  if (files.length > MAX_AGENTS) {
    const message = `${dir} holds ${files.length} agents; only the first ${MAX_AGENTS} are read`;
    diagnostics.push({ kind: "limit", path: dir, message });
  }
  for (const { name } of files.slice(0, MAX_AGENTS)) {
    const path = join(dir, name);
    if (origin === "project" && !isInside(dirname(dirname(dir)), realPathOf(path))) {
      const message = `${path} is not used: it is a link that leads out of the project`;
      diagnostics.push({ kind: "refused", path, message });
      continue;
    }
    const read = readAgentFile(path, origin);
    if (read === undefined) continue;
    if (read.ok) {
      profiles.push(read.profile);
      diagnostics.push(...read.diagnostics);
    } else diagnostics.push({ kind: read.fault.kind, path, message: read.fault.message });
  }
  return { profiles, diagnostics };
}

/**
 * One profile; undefined for Markdown without a header, which is a text about agents and no agent. A fault's message begins
 * with `agent invalid: `. Never throws.
 */
export function readAgentFile(path: string, origin: MacroOrigin): SubagentRead | undefined {
  const file = readTextFile(path, MAX_AGENT_BYTES);
  if (!file.ok) return invalid(`${path} cannot be read: ${file.problem}`);
  if (!file.isWhole) return invalid(`${path} is longer than ${MAX_AGENT_BYTES} bytes`);
  const diagnostics: BriefingDiagnostic[] = [];
  const say = (kind: BriefingDiagnostic["kind"], message: string): void =>
    void diagnostics.push({ kind, path, message: `${path}: ${message}` });
  const inVain: string[] = [];
  try {
    const fields = path.toLowerCase().endsWith(".toml")
      ? tomlFields(file.text, inVain)
      : headerFields(file.text, inVain);
    if (fields === undefined) return undefined;
    const profile = profileOf(fields, { path, origin, inVain });
    if (fields.problem !== undefined) say("unreadable", `${fields.problem}; only its plain lines count`);
    if (inVain.length > 0) say("unsupported", `without effect: ${listed(inVain)}`);
    const invisible = describeInvisible(file.text);
    if (invisible !== undefined) say("invisible", `it holds text that only the model can see (${invisible})`);
    return { ok: true, profile, diagnostics };
  } catch (error) {
    if (error instanceof Misfit) return invalid(`${path}: ${error.message}`);
    return invalid(`${path}: ${describeError(error)}`);
  }
}

function invalid(detail: string): SubagentRead {
  return { ok: false, fault: { kind: "agent-invalid", message: `agent invalid: ${detail}` } };
}

/** What keeps a file from being a profile. */
class Misfit extends Error {}

/** What a file says, under the seed's names. */
interface AgentFields {
  readonly name?: string;
  readonly description?: string;
  readonly when?: string;
  readonly model?: string;
  readonly collection?: string;
  readonly tools?: readonly string[];
  readonly withheld?: readonly string[];
  readonly prompt?: string;
  readonly maxTurns?: number;
  /** Why only a part of the header was read. */
  readonly problem?: string;
}

const TOML_KEYS: readonly string[] = [
  "name",
  "description",
  "when",
  "model",
  "tool_collection",
  "tools",
  "withheld_tools",
  "prompt",
  "max_turns",
];

function tomlFields(source: string, inVain: string[]): AgentFields {
  const table = parseTomlTable(source);
  inVain.push(...Object.keys(table).filter((key) => !TOML_KEYS.includes(key)));
  const text = (key: string): string | undefined =>
    read(table, key, "a text", (value) => typeof value === "string");
  const names = (key: string): readonly string[] | undefined =>
    read(
      table,
      key,
      "a list of tool names",
      (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
    );
  return given({
    name: text("name"),
    description: text("description"),
    when: text("when"),
    model: text("model"),
    collection: text("tool_collection"),
    tools: names("tools"),
    withheld: names("withheld_tools"),
    prompt: text("prompt"),
    maxTurns: read<number>(table, "max_turns", "a positive whole number", isCount),
  });
}

function read<Value>(
  table: Readonly<Record<string, unknown>>,
  key: string,
  expected: string,
  fits: (value: unknown) => boolean,
): Value | undefined {
  const value = Object.hasOwn(table, key) ? table[key] : undefined;
  if (value === undefined || fits(value)) return value as Value | undefined;
  throw new Misfit(`expected ${key} to be ${expected}, found ${JSON.stringify(value)?.slice(0, 60)}`);
}

const HEADER_KEYS: readonly string[] = [
  "name",
  "description",
  "when",
  "model",
  "tools",
  "disallowedTools",
  "permissionMode",
  "maxTurns",
  "color", // of a label in another product: nothing is lost without it
];

function headerFields(source: string, inVain: string[]): AgentFields | undefined {
  const { fields, body, problem, present } = readFrontmatter(source);
  if (!present) return undefined;
  inVain.push(...[...fields.keys()].filter((key) => !HEADER_KEYS.includes(key)));
  const text = (key: string): string | undefined => {
    const value = fields.get(key);
    if (value === undefined || typeof value === "string") return value;
    throw new Misfit(`expected ${key} to be a text, found ${JSON.stringify(value).slice(0, 60)}`);
  };
  const maxTurns = text("maxTurns");
  if (maxTurns !== undefined && !isCount(Number(maxTurns)))
    throw new Misfit(`expected maxTurns to be a positive whole number, found ${maxTurns.slice(0, 60)}`);
  const mode = text("permissionMode");
  if (mode !== undefined && mode !== "default" && mode !== "plan")
    inVain.push(`permissionMode ${mode} (a file grants nothing)`);
  return given({
    name: text("name"),
    description: text("description"),
    when: text("when"),
    model: text("model"),
    collection: mode === "plan" ? "read-only" : undefined,
    tools: nameList(fields.get("tools")),
    withheld: nameList(fields.get("disallowedTools")),
    prompt: body,
    maxTurns: maxTurns === undefined ? undefined : Number(maxTurns),
    problem,
  });
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

interface ProfilePlace {
  readonly path: string;
  readonly origin: MacroOrigin;
  /** Gathers what the file asks for and nothing here does. */
  readonly inVain: string[];
}

function profileOf(fields: AgentFields, { path, origin, inVain }: ProfilePlace): SubagentProfile {
  const name = fields.name?.trim() ?? basename(path).replace(PROFILE_FILE, "");
  if (!NAME.test(name))
    throw new Misfit(
      `expected a name of 1 to 64 small letters, digits and hyphens, found ${JSON.stringify(name.slice(0, 80))}`,
    );
  const collection = TOOL_COLLECTIONS.find((each) => each === fields.collection);
  if (fields.collection !== undefined && collection === undefined)
    throw new Misfit(
      `expected tool_collection to be one of ${TOOL_COLLECTIONS.join(", ")}, found ${JSON.stringify(fields.collection.slice(0, 60))}`,
    );
  const prompt = fields.prompt?.trim() ?? "";
  const tools = fields.tools?.includes("*") ? undefined : fields.tools;
  return given({
    name,
    purpose: purposeOf(fields.description, prompt, name),
    when: oneLine(fields.when ?? "") || undefined,
    prompt: prompt === "" ? undefined : prompt,
    model: modelOf(fields.model, origin, inVain),
    toolCollection: collection,
    tools: tools && toolNames(tools, inVain),
    withheldTools: fields.withheld && toolNames(fields.withheld, inVain),
    maxTurns: fields.maxTurns,
    origin,
    source: path,
  });
}

function purposeOf(description: string | undefined, prompt: string, name: string): string {
  return oneLine(description ?? "") || oneLine(prompt.split("\n", 1)[0] ?? "") || name;
}

/** A repository may not choose who reads the person's code and at what price; the person's own files may. */
function modelOf(model: string | undefined, origin: MacroOrigin, inVain: string[]): string | undefined {
  const named = model?.trim();
  if (named === undefined || named === "" || named === "inherit") return undefined;
  if (origin === "user" && named.includes("/")) return named;
  const why = origin === "user" ? "write provider/model" : "only agents of your home folder choose one";
  inVain.push(`model ${named} (${why})`);
  return undefined;
}

// What other products call the same tools.
const FOREIGN_TOOLS: Readonly<Record<string, string>> = {
  Read: "read",
  Write: "write",
  Edit: "edit",
  MultiEdit: "edit",
  NotebookEdit: "edit",
  Bash: "bash",
  Grep: "grep",
  Glob: "find",
  LS: "ls",
  WebFetch: "webfetch",
  WebSearch: "websearch",
  TodoWrite: "todo_set",
  TodoRead: "todo_read",
};

function toolNames(names: readonly string[], inVain: string[]): readonly string[] {
  const found = names.map((name) => {
    const [plain = "", pattern] = name.split("(", 2);
    if (pattern !== undefined) inVain.push(`the pattern of ${name} (permission rules decide)`);
    return (Object.hasOwn(FOREIGN_TOOLS, plain) ? FOREIGN_TOOLS[plain] : undefined) ?? plain;
  });
  return [...new Set(found)];
}

const MAX_LISTED = 20;
const MAX_LISTED_CHARS = 120;

function listed(parts: readonly string[]): string {
  const shown = parts.slice(0, MAX_LISTED).map((part) => part.slice(0, MAX_LISTED_CHARS));
  return [...shown, ...(parts.length > MAX_LISTED ? [`${parts.length - MAX_LISTED} more`] : [])].join("; ");
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  const characters = [...line.slice(0, 2 * MAX_LINE_CHARS + 2)];
  return characters.length <= MAX_LINE_CHARS ? line : `${characters.slice(0, MAX_LINE_CHARS).join("")}…`;
}

/** The value without its absent fields. */
function given<Value extends object>(
  value: { readonly [Key in keyof Value]: Value[Key] | undefined },
): Value {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Value;
}
