// The command line of programs that drive an agent by stream-json: their flags, in their spelling, as ours. What has no meaning here is
// said and left out, so that such a program goes on.

import { parseArgs } from "node:util";
import { isTable } from "indusagi/core";
import { splitNames } from "../../briefing/written-names.ts";
import { ANY_SESSION, type Flags } from "../../cli/flags.ts";
import { EXIT_USAGE, Problem } from "../../cli/problem.ts";
import type { StartMode } from "../../deck/permissions/modes.ts";
import { parseRule } from "../../deck/permissions/rules.ts";
import { builtinToolName } from "../../feature/tool-names.ts";
import { rulesBesides } from "./only-tools.ts";

export type Format = "text" | "json" | "stream-json";

/** A line that was read. */
export interface WrapperLine {
  readonly flags: Flags;
  readonly input: Exclude<Format, "json">;
  readonly output: Format;
  /** The task, if it is on the line. */
  readonly words: readonly string[];
  readonly outputSchema: unknown;
  /** Pieces of answers are sent as they come. */
  readonly hasPieces: boolean;
  /** The program answers permission questions on its end of the pipe. */
  readonly asksProgram: boolean;
  /** The mode is {@link DONT_ASK}. */
  readonly asksNobody: boolean;
  /** What does not apply, one line each. */
  readonly remarks: readonly string[];
}

const INPUTS = ["text", "stream-json"] as const;
const OUTPUTS = ["text", "json", "stream-json"] as const;

/** With a value, without one, and with any number of values. Both spellings of a word are the same flag. */
const VALUES = [
  ...[
    "input-format",
    "output-format",
    "model",
    "fallback-model",
    "max-turns",
    "max-budget-usd",
    "permission-mode",
  ],
  ...[
    "permission-prompt-tool",
    "system-prompt",
    "append-system-prompt",
    "json-schema",
    "resume",
    "session-id",
    "effort",
  ],
  ...["setting-sources", "settings", "agents", "cwd", "thinking", "max-thinking-tokens", "cassette", "grant"],
] as const;
const BARE = [
  ...["print", "verbose", "continue", "fork-session", "include-partial-messages", "strict-mcp-config"],
  ...["replay-user-messages", "dangerously-skip-permissions", "allow-dangerously-skip-permissions"],
] as const;
const LISTS = ["allowed-tools", "disallowed-tools", "tools", "add-dir", "mcp-config", "plugin-dir"] as const;
/** Every flag that is known there, by its name in small letters. */
export const WRAPPER_FLAGS: readonly string[] = [...VALUES, ...BARE, ...LISTS];

const SHORT: Readonly<Record<string, string>> = { p: "print", c: "continue", r: "resume" };

/** What would be asked about is refused. */
export const DONT_ASK = "dontAsk";

const MODES: Readonly<Record<string, StartMode>> = {
  default: "ask",
  ask: "ask",
  acceptEdits: "acceptEdits",
  plan: "plan",
  auto: "auto",
  [DONT_ASK]: "ask",
  bypassPermissions: "bypass",
  bypass: "bypass",
  "read-only": "read-only",
};
/** What is meant by how hard it thinks; `max` is ours as well. */
const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  "setting-sources":
    "the person's settings always apply, and a repository's can only restrict; set modes and rules with flags",
  settings: "settings are read from indus's own files",
  agents: "delegates are read from .indus/agents and .claude/agents",
  "session-id": "a session gets its own id, which the first message contains",
  "add-dir": "allow a folder with a rule: --allowedTools 'read(/folder/**)'",
  "plugin-dir": "plugins are added with indus add",
  "strict-mcp-config": "the session also has the MCP servers of the person's addons",
  thinking: "to set how hard a model thinks, use --effort",
  "max-thinking-tokens": "to set how hard a model thinks, use --effort",
  "replay-user-messages": "messages that were sent are not echoed",
};

/** Our mode of that name; undefined if there is none. */
export function modeOf(name: unknown): StartMode | undefined {
  return typeof name === "string" && Object.hasOwn(MODES, name) ? MODES[name] : undefined;
}

/** The name that such programs have for a mode. */
export function modeName(mode: StartMode): string {
  return Object.entries(MODES).find(([, ours]) => ours === mode)?.[0] ?? mode;
}

/** Throws a {@link Problem} for a value that cannot be meant. */
export function readWrapperLine(argv: readonly string[]): WrapperLine {
  const { values, words, unknown } = parsed(argv);
  const one = (name: (typeof VALUES)[number]): string | undefined => values.get(name)?.at(-1);
  const has = (name: (typeof BARE)[number]): boolean => values.has(name);
  const list = (name: (typeof LISTS)[number]): readonly string[] => values.get(name) ?? [];
  const remarks = [
    ...unknown.map((name) => `unknown flag ${name}, which is ignored`),
    ...Object.entries(WITHOUT_EFFECT).flatMap(([name, why]) =>
      values.has(name) ? [`--${name} has no effect: ${why}`] : [],
    ),
  ];
  const rules = (name: "allowed-tools" | "disallowed-tools"): readonly string[] =>
    list(name)
      .flatMap(splitNames)
      .flatMap((text) => {
        const problem = ruleProblem(text);
        if (problem === undefined) return [text];
        if (name === "disallowed-tools" && "problem" in parseRule(text))
          throw new Problem(
            `--${name}: ${problem}. It is meant to forbid something, so it cannot be ignored`,
            EXIT_USAGE,
          );
        remarks.push(`--${name} ${text} has no effect: ${problem}`);
        return [];
      });
  const input = oneOf("input-format", one("input-format") ?? "text", INPUTS);
  const output = oneOf("output-format", one("output-format") ?? "text", OUTPUTS);
  const promptTool = one("permission-prompt-tool");
  if (promptTool !== undefined && promptTool !== "stdio")
    remarks.push(
      `--permission-prompt-tool ${promptTool} has no effect: questions go only to stdio; calls that nobody answers about are refused`,
    );
  const effort = one("effort");
  const skips = has("dangerously-skip-permissions");
  const mode = one("permission-mode");
  if (mode !== undefined && modeOf(mode) === undefined)
    throw new Problem(`--permission-mode takes ${Object.keys(MODES).join(", ")}; got "${mode}"`, EXIT_USAGE);
  const asksNobody = mode === DONT_ASK && !skips;
  if (asksNobody)
    remarks.push("--permission-mode dontAsk: nobody is asked; calls that no rule allows are refused");
  return {
    input,
    output,
    words,
    outputSchema: jsonValue("json-schema", one("json-schema")),
    hasPieces: has("include-partial-messages"),
    asksProgram: promptTool === "stdio",
    asksNobody,
    remarks,
    flags: {
      json: true,
      model: one("model"),
      "fallback-model": values.get("fallback-model"),
      "max-turns": one("max-turns"),
      "max-cost": one("max-budget-usd"),
      "permission-mode": skips ? "bypass" : mode === undefined ? undefined : modeOf(mode),
      system: one("system-prompt"),
      "append-system": one("append-system-prompt"),
      thinking: effort === undefined ? undefined : oneOf("effort", effort, EFFORTS),
      continue: has("continue") || undefined,
      resume: one("resume"),
      fork: has("fork-session") || undefined,
      allow: rules("allowed-tools"),
      deny: [...rules("disallowed-tools"), ...(values.has("tools") ? onlyTools(list("tools"), remarks) : [])],
      grant: values.get("grant"),
      cwd: one("cwd"),
      "mcp-config": list("mcp-config").flatMap((text) => withoutOwnServers(text, remarks)),
      cassette: one("cassette"),
    },
  };
}

interface Parsed {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly words: readonly string[];
  readonly unknown: readonly string[];
}

function parsed(argv: readonly string[]): Parsed {
  const values = new Map<string, string[]>();
  const words: string[] = [];
  const unknown: string[] = [];
  const isOf = (names: readonly string[], name: string): boolean => names.includes(name);
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries([
      ...[...VALUES, ...LISTS]
        .flatMap((name) => [name, camel(name)])
        .map((name) => [name, { type: "string" as const }]),
      ...Object.entries(SHORT).map(([short, name]) => [
        name,
        { type: name === "resume" ? ("string" as const) : ("boolean" as const), short },
      ]),
    ]),
  });
  let open: string[] | undefined; // a list takes the words that follow it
  for (const token of tokens) {
    if (token.kind === "option-terminator") open = undefined;
    else if (token.kind === "positional") (open ?? words).push(token.value);
    else {
      const name = kebab(token.name);
      open = undefined;
      if (!WRAPPER_FLAGS.includes(name)) {
        unknown.push(token.rawName);
        continue;
      }
      const all = values.get(name) ?? [];
      values.set(name, all);
      if (typeof token.value === "string") all.push(token.value);
      else if (isOf(VALUES, name)) throw new Problem(`${token.rawName} needs a value`, EXIT_USAGE);
      if (isOf(LISTS, name)) open = all;
    }
  }
  if (values.get("resume")?.includes(ANY_SESSION)) throw new Problem("--resume needs an id here", EXIT_USAGE);
  return { values, words, unknown };
}

/** What denies the others; with `default` among the names, nothing. */
function onlyTools(texts: readonly string[], remarks: string[]): readonly string[] {
  const names = texts.flatMap(splitNames);
  if (names.includes("default")) return [];
  const tools = names.flatMap((name) => {
    const tool = builtinToolName(name);
    if (tool === undefined) remarks.push(`--tools ${name} has no effect: indus has no such tool`);
    return tool ?? [];
  });
  return rulesBesides(tools);
}

/** Without the servers that live in the program, whose tools nothing would confine. */
function withoutOwnServers(text: string, remarks: string[]): readonly string[] {
  if (!text.trimStart().startsWith("{")) return [text];
  const config = jsonValue("mcp-config", text);
  if (!isTable(config) || !isTable(config.mcpServers)) return [text];
  const all = Object.entries(config.mcpServers);
  const others = all.filter(([, server]) => !isTable(server) || server.type !== "sdk");
  if (others.length < all.length)
    remarks.push(
      "--mcp-config: servers that live in the program have no effect: make them separate programs",
    );
  if (others.length === 0) return [];
  return [JSON.stringify({ ...config, mcpServers: Object.fromEntries(others) })];
}

/** A rule that names nothing here would end a session of a person's; such programs name tools that only their agent has. */
function ruleProblem(text: string): string | undefined {
  const rule = parseRule(text);
  if ("problem" in rule) return rule.problem;
  const isKnown = rule.builtin !== undefined || rule.isOutside === true || rule.tool.startsWith("mcp__");
  return isKnown ? undefined : "indus has no such tool";
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function camel(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function oneOf<const Values extends readonly string[]>(
  flag: string,
  given: string,
  values: Values,
): Values[number] {
  const found = values.find((value) => value === given);
  if (found === undefined)
    throw new Problem(`--${flag} takes ${values.join(", ")}; got "${given}"`, EXIT_USAGE);
  return found;
}

function jsonValue(flag: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(`--${flag} takes JSON; got ${text.slice(0, 60)}`, EXIT_USAGE);
  }
}
