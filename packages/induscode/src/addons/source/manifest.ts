// The manifest of a declarative addon: data, not code. `examples/addons/README.md` is its reference for people;
// the readers below are its schema.

import type { ModelLimits, WireName } from "indusagi/llmgateway";
import { isThisMachine, nameOfHost } from "../../feature/capabilities.ts";
import type { CapabilityRequest, FailurePolicy } from "../../feature/descriptor.ts";
import type { HookEvent } from "../../feature/events.ts";
import { EVENT_TRAITS, HOOK_EVENTS } from "../../feature/events.ts";
import { type AddonId, addonId, LoaderError, type McpServer } from "../contract.ts";
import { readCapability } from "./capability-kinds.ts";
import { type ArgumentCondition, MAX_GLOB_LENGTH } from "./gate-condition.ts";
import { parseToml } from "./parse-toml.ts";
import { type ManifestReport, TableReader } from "./table-reader.ts";

/** A slash command. `exec` is the line that it runs; without one it does nothing but show in the palette. */
export interface CommandDescriptor {
  readonly name: string;
  readonly summary: string;
  readonly exec?: string | undefined;
}

/** A rule that stops an event. With a tool's name or a condition it fires only for tool payloads that match. */
export interface GateDescriptor {
  readonly event: HookEvent;
  readonly matchTool?: string | undefined;
  readonly condition?: ArgumentCondition | undefined;
  readonly reason: string;
  readonly onFailure?: FailurePolicy | undefined;
}

/** A server of models, which the host asks on the person's behalf. */
export interface ProviderDescriptor {
  readonly id: string;
  readonly wire: WireName;
  readonly baseUrl: string;
  readonly secret?: string | undefined;
  readonly models: Readonly<Record<string, ModelLimits>>;
}

/** What `[run]` starts: the addon's program (tiers 1 and 2). Entries, and the file with hooks, are `/`-separated paths within its folder. */
export type RunDescriptor = (
  | { readonly kind: "process"; readonly command: readonly string[] }
  | { readonly kind: "module" | "python" | "wasm"; readonly entry: string }
  | { readonly kind: "mcp"; readonly server: McpServer }
  | { readonly kind: "hooks"; readonly file: string }
) & {
  readonly memoryMb?: number | undefined;
  /** How long a start with its registration may take, and how long a call. */
  readonly startSeconds?: number | undefined;
  readonly callSeconds?: number | undefined;
};

export interface AddonDescriptor {
  readonly id: AddonId;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  /** Applies to the whole addon: what it guards stays closed while it fails or is in quarantine. */
  readonly onFailure?: FailurePolicy | undefined;
  /** Its package brings skills, commands or agents, or MCP servers that are packages of their own. */
  readonly bringsTexts?: boolean | undefined;
  readonly commands: readonly CommandDescriptor[];
  readonly gates: readonly GateDescriptor[];
  /** Absent if it has none. */
  readonly providers?: readonly ProviderDescriptor[] | undefined;
  /** Makes it a code addon; then it has no gates and commands of its own, because its program registers them. */
  readonly run?: RunDescriptor | undefined;
  /** Its `[[capability]]` tables; what its gates and commands need is not among them. */
  readonly capabilities: readonly CapabilityRequest[];
}

export interface ParsedManifest {
  readonly descriptor: AddonDescriptor;
  /** Unknown keys, and rules that can never have an effect. One line each. */
  readonly warnings: readonly string[];
}

export const MAX_MANIFEST_BYTES: number = 256 * 1024;
export const MAX_ID_LENGTH = 100;
// Scopes and hashes are told apart from ids by their form: neither may pass for an id in a `--grant`.
const ID = /^[a-z0-9][a-z0-9._-]*$/i;
const HASH_PREFIX = /^[0-9a-f]{12,}$/i;
// Typed by hand, so it is plain; the registry requires the same of every command.
const COMMAND_NAME = /^[a-z0-9][a-z0-9:_-]{0,63}$/;

/** Whether a text can be an addon's id. */
export function isAddonId(text: string): boolean {
  return text.length <= MAX_ID_LENGTH && ID.test(text) && !isHashPrefix(text);
}

/** Whether `text` reads as the beginning of a content hash: at least twelve digits, which no name matches by accident. */
export function isHashPrefix(text: string): boolean {
  return HASH_PREFIX.test(text);
}

/** The bytes of a manifest as text. Throws a {@link LoaderError} of kind `toml` if they are not UTF-8. */
export function decodeManifest(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new LoaderError({ kind: "toml", path }, "it is not valid UTF-8 text", { cause });
  }
}

/** Parses and checks a manifest. Rejects only with a {@link LoaderError} of kind `toml` or `invalid`. */
export async function parseManifest(text: string, path: string): Promise<ParsedManifest> {
  const report: ManifestReport = { path, warnings: [] };
  if (Buffer.byteLength(text) > MAX_MANIFEST_BYTES)
    throw new LoaderError({ kind: "invalid", path }, `it is larger than ${MAX_MANIFEST_BYTES} bytes`);
  const document = new TableReader(await parseToml(text, path), "", report);
  const id = document.requiredText("id");
  if (id.length > MAX_ID_LENGTH)
    document.refuse(`"id" may have at most ${MAX_ID_LENGTH} characters, got ${id.length}`);
  if (!ID.test(id))
    document.refuse(
      `"id" must consist of letters, digits, . _ - and begin with a letter or digit; got "${id}"`,
    );
  if (isHashPrefix(id)) document.refuse(`"id" must not look like a content hash; got "${id}"`);
  const version = document.anyText("version");
  const description = document.anyText("description");
  const onFailure = document.choice("on-failure", FAILURE_POLICIES);
  const bringsTexts = document.flag("brings-texts");
  const run = readRun(document.table("run"));
  const providers = document.tables("provider").map(readProvider);
  const descriptor: AddonDescriptor = {
    id: addonId(id),
    version,
    description,
    onFailure,
    bringsTexts,
    run,
    commands: document.tables("command").map(readCommand),
    gates: document.tables("gate").map(readGate),
    providers: providers.length === 0 ? undefined : providers,
    capabilities: document.tables("capability").map(readRequest),
  };
  document.finish();
  if (run && descriptor.commands.length + descriptor.gates.length > 0)
    document.refuse(
      "a manifest with [run] cannot have [[gate]] or [[command]]: the program registers its own",
    );
  if (run && providers.length > 0)
    document.refuse(
      "a manifest with [run] cannot have [[provider]]: move it to a separate addon that has no [run]",
    );
  if (run?.kind !== "mcp" && descriptor.capabilities.some(namesPort))
    document.refuse(
      '"hosts" can name ports for an MCP server only: any other addon is granted a host by its name',
    );
  return {
    descriptor,
    warnings: [...report.warnings, ...idleGates(descriptor, path), ...dearGates(descriptor, path)],
  };
}

function namesPort({ capability }: CapabilityRequest): boolean {
  return capability.kind === "network" && capability.hosts.some((host) => nameOfHost(host) !== host);
}

const PROVIDER_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const VARIABLE = /^[A-Z][A-Z0-9_]{0,63}$/;
const WIRE_NAMES = ["chat", "gemini", "messages", "responses"] as const satisfies readonly WireName[];
const MAX_TOKENS = 100_000_000;

function readProvider(table: TableReader): ProviderDescriptor {
  const id = table.requiredText("id");
  if (!PROVIDER_ID.test(id))
    table.refuse(
      `"${id}" is not a provider name: use lower-case letters, digits, . _ -, at most 64 characters`,
    );
  const wire = table.choice("wire", WIRE_NAMES) ?? table.refuse('"wire" is missing: give a string');
  const baseUrl = table.requiredText("base-url");
  const problem = providerAddressProblem(baseUrl);
  if (problem !== undefined) table.refuse(`"base-url" ${problem}`);
  const secret = table.text("secret");
  if (secret !== undefined && !VARIABLE.test(secret))
    table.refuse(`"secret" must be the name of an environment variable in capitals; got "${secret}"`);
  const models = table.tables("model").map((model) => {
    const name = model.requiredText("id");
    const contextWindow = model.wholeNumber("context-window", { min: 1, max: MAX_TOKENS });
    const maxOutputTokens = model.wholeNumber("max-output-tokens", { min: 1, max: MAX_TOKENS });
    const images = model.flag("images");
    model.finish();
    const limits = {
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(images === undefined ? {} : { images }),
    };
    return [name, limits] as const;
  });
  table.finish({ closed: true });
  return {
    id,
    wire,
    baseUrl,
    secret,
    models: Object.fromEntries(models),
  };
}

/** The conversation is sent there: over https, or on this machine. */
function providerAddressProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || /[{}]/.test(text)) return "is not a URL";
  if (url.username || url.password || url.search || url.hash)
    return "must be a URL without user name, password or query";
  if (url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname)))
    return undefined;
  return "must be an https URL, or an http URL of this machine";
}

export const FAILURE_POLICIES: readonly FailurePolicy[] = ["allow", "block"];

const MIN_MEMORY_MB = 16;
const MAX_MEMORY_MB = 4_096;
/** The most that a manifest may give a start, in seconds. */
export const MAX_START_SECONDS = 300;
/** The same for a call. */
export const MAX_CALL_SECONDS = 300;

function readRun(table: TableReader | undefined): RunDescriptor | undefined {
  if (!table) return undefined;
  const command = table.list("command");
  const entries = (["module", "python", "wasm"] as const).flatMap((kind) => {
    const entry = table.text(kind);
    return entry === undefined ? [] : [{ kind, entry }];
  });
  const servers = readServers(table);
  const hooks = table.text("hooks");
  const memoryMb = table.wholeNumber("memory-mb", { min: MIN_MEMORY_MB, max: MAX_MEMORY_MB });
  const startSeconds = table.wholeNumber("start-seconds", { min: 1, max: MAX_START_SECONDS });
  const callSeconds = table.wholeNumber("call-seconds", { min: 1, max: MAX_CALL_SECONDS });
  table.finish();
  const programs = command.length > 0 ? [{ kind: "process" as const, command }] : [];
  const hung = hooks === undefined ? [] : [{ kind: "hooks" as const, file: hooks }];
  const [run, another] = [...programs, ...entries, ...servers, ...hung];
  if (!run || another)
    return table.refuse("specify exactly one of command, hooks, mcp, mcp-url, module, python, wasm");
  return {
    ...run,
    memoryMb,
    startSeconds,
    callSeconds,
  };
}

/** `mcp`, with `[run.env]`, and `mcp-url`, with `[run.headers]`. */
function readServers(table: TableReader): readonly Extract<RunDescriptor, { readonly kind: "mcp" }>[] {
  const command = table.list("mcp");
  const url = table.text("mcp-url");
  const env = table.dictionary("env");
  const headers = table.dictionary("headers");
  if (env && command.length === 0) table.refuse('"env" belongs to "mcp"');
  if (headers && url === undefined) table.refuse('"headers" belongs to "mcp-url"');
  const problem = url === undefined ? undefined : serverAddressProblem(url);
  if (problem !== undefined) table.refuse(`"mcp-url" ${problem}`);
  return [
    ...(command.length > 0 ? [{ kind: "mcp" as const, server: { command, env: env ?? {} } }] : []),
    ...(url === undefined ? [] : [{ kind: "mcp" as const, server: { url, headers: headers ?? {} } }]),
  ];
}

function serverAddressProblem(text: string): string | undefined {
  const url = URL.parse(text);
  const isAddress = url?.protocol === "https:" || (url?.protocol === "http:" && isThisMachine(url.hostname));
  if (!isAddress || url.username || url.password || url.hash)
    return "must be an https URL, or an http URL of this machine, without user name, password or fragment";
  return undefined;
}

function readCommand(table: TableReader): CommandDescriptor {
  const name = table.requiredText("name");
  if (!COMMAND_NAME.test(name))
    table.refuse(
      `"${name}" is not a command name: use lower-case letters, digits, - _ : without the slash, at most 64 characters`,
    );
  const summary = table.requiredAnyText("summary");
  const exec = table.lines("exec");
  table.finish();
  return { name, summary, exec: exec === undefined || exec.trim() === "" ? undefined : exec };
}

function readGate(table: TableReader): GateDescriptor {
  table.requiredText("event");
  const event = table.choice("event", HOOK_EVENTS) ?? table.refuse('"event" is missing: give a string');
  const matchTool = table.anyText("match-tool");
  const condition = readCondition(table);
  const reason = table.requiredAnyText("reason");
  const onFailure = table.choice("on-failure", FAILURE_POLICIES);
  table.finish({ closed: true }); // a gate without its intended matcher would stop everything, or guard nothing
  return {
    event,
    matchTool,
    condition,
    reason,
    onFailure,
  };
}

function readCondition(table: TableReader): ArgumentCondition | undefined {
  const argument = table.anyText("match-arg");
  const rules = {
    glob: table.anyTexts("glob"),
    startsWith: table.anyTexts("starts-with"),
    contains: table.anyTexts("contains"),
  };
  const isEmpty = Object.values(rules).every((list) => list.length === 0);
  if (argument === undefined && isEmpty) return undefined;
  // Half a condition must not become a gate without one.
  if (argument === undefined)
    table.refuse('"match-arg" is missing: specify the argument that glob, starts-with and contains examine');
  if (isEmpty) table.refuse('"match-arg" also needs one of glob, starts-with, contains');
  const tooLong = rules.glob.find((glob) => glob.length > MAX_GLOB_LENGTH);
  if (tooLong !== undefined)
    table.refuse(`"glob" may have at most ${MAX_GLOB_LENGTH} characters, got ${tooLong.length}`);
  return { argument, ...rules };
}

/** One `[[capability]]` table. */
export function readRequest(table: TableReader): CapabilityRequest {
  const capability = readCapability(table);
  const reason = table.requiredText("reason");
  const required = table.flag("required") ?? true;
  table.finish();
  return { capability, required, reason };
}

/** This many rules can look at the longest text for globs, or at what a model writes in one call, within the effort. */
const MANY_RULES = 128;

/** Gates that a long text can push past their effort: whether it then passes should be the author's choice. */
function dearGates({ gates, onFailure }: AddonDescriptor, path: string): readonly string[] {
  if (onFailure === "block") return [];
  return [...new Set(gates.map(({ event }) => event))].flatMap((event) => {
    const open = gates.filter((gate) => gate.event === event && gate.onFailure !== "block");
    const rules = open.reduce(
      (sum, { condition }) => sum + (condition?.glob.length ?? 0) + (condition?.contains.length ?? 0),
      0,
    );
    if (rules <= MANY_RULES) return [];
    return [
      `${path}: its gates at ${event} have ${rules} rules: a very long string exceeds what they may examine, and then passes unless they set on-failure = "block"`,
    ];
  });
}

function idleGates({ gates }: AddonDescriptor, path: string): readonly string[] {
  return gates.flatMap(({ event, matchTool, condition }, at) => {
    const isScoped = matchTool !== undefined || condition !== undefined;
    if (isScoped && EVENT_TRAITS[event].group !== "tool")
      return [`${path}: [[gate]] ${at + 1} never fires: ${event} carries no tool call`];
    if (!EVENT_TRAITS[event].guards)
      return [`${path}: [[gate]] ${at + 1} stops nothing: a stop at ${event} is only reported`];
    return [];
  });
}
