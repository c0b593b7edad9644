// Tier 0: turns a manifest into a feature that replays it. No code of the addon runs here, so its registration cannot fail.

import { realpathSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { describeError, readBoundedFile } from "indusagi/core";
import type { Command, CommandContext } from "../../feature/command.ts";
import type { CapabilityRequest, HostCapability } from "../../feature/descriptor.ts";
import type { GateDecision, HookHandler } from "../../feature/handler.ts";
import type { FeatureInstallContext, FeatureModule } from "../../feature/install.ts";
import { meansTool } from "../../feature/tool-names.ts";
import {
  type AddonDescription,
  type AddonSource,
  ENTRY_EXTENSIONS,
  featureIdOf,
  LoaderError,
  MANIFEST_FILENAME,
  type ModuleLoader,
} from "../contract.ts";
import { type ArgumentCondition, conditionHolds } from "../source/gate-condition.ts";
import { createGateEfforts, type GateEffort } from "../source/gate-effort.ts";
import {
  type AddonDescriptor,
  type CommandDescriptor,
  decodeManifest,
  type GateDescriptor,
  MAX_MANIFEST_BYTES,
  type ParsedManifest,
  type ProviderDescriptor,
  parseManifest,
} from "../source/manifest.ts";
import { argumentWords } from "./argument-words.ts";

export type DeclarativeLoader = ModuleLoader;

/** Loads folders that contain a manifest, and manifest files. Stateless. */
export function createDeclarativeLoader(): DeclarativeLoader {
  return {
    async describe(source) {
      const { descriptor } = await readManifest(source);
      return describeAddon(descriptor);
    },
    async load(source, { grants, name }) {
      const { descriptor, warnings } = await readManifest(source);
      const { id, problem } = (await name?.(descriptor.id)) ?? { id: descriptor.id };
      return {
        id,
        module: createModule({ ...descriptor, id }, source),
        warnings: problem === undefined ? warnings : [problem, ...warnings],
        grants,
      };
    },
  };
}

const EXECUTE: HostCapability = { kind: "files", read: false, write: false, execute: true };

function createModule(descriptor: AddonDescriptor, { scope }: AddonSource): FeatureModule {
  const { id, version, onFailure, bringsTexts, commands, gates, providers = [] } = descriptor;
  return {
    descriptor: {
      id: featureIdOf(id, scope),
      displayName: id,
      version,
      runtime: "declarative",
      onFailure,
      requestedCapabilities: requestsOf(descriptor),
      declaredTools: [],
      declaredCommands: commands.map((command) => command.name),
      declaredHooks: eventsOf(descriptor),
      declaredTasks: [],
      bringsTexts,
    },
    install(context) {
      const effortAt = createGateEfforts();
      const begun = new Set<string>();
      for (const gate of gates) {
        const isFirst = !begun.has(gate.event);
        begun.add(gate.event);
        context.hooks.on(
          gate.event,
          gateHandler(gate, (payload) => effortAt(payload, isFirst)),
        );
      }
      for (const command of commands) context.commands.register(replay(command, context));
      for (const { id: name, wire, baseUrl, secret, models } of providers) {
        const key = secret === undefined ? {} : { apiKeyEnv: secret };
        const config = { id: name, wire, baseUrl, ...key };
        context.providers.register({ config, secret, models });
      }
    },
  };
}

function eventsOf({ gates }: AddonDescriptor): readonly GateDescriptor["event"][] {
  return [...new Set(gates.map((gate) => gate.event))];
}

/** What the gates and commands need, and what the manifest requests in addition. */
function requestsOf(descriptor: AddonDescriptor): readonly CapabilityRequest[] {
  const hooks = eventsOf(descriptor).map((point): CapabilityRequest => {
    const reasons = descriptor.gates.filter(({ event }) => event === point).map(({ reason }) => reason);
    const reason = `it stops ${point}: ${[...new Set(reasons)].join("; ")}`;
    return { capability: { kind: "contribute_hook", point }, required: true, reason };
  });
  const names = descriptor.commands.flatMap(({ name, exec }) => (exec === undefined ? [] : [`/${name}`]));
  const reason = `${names.join(", ")} ${names.length === 1 ? "runs" : "run"} a command`;
  const execute =
    names.length === 0 ? [] : [{ capability: EXECUTE, required: true, neededBy: names, reason }];
  return [
    ...hooks,
    ...execute,
    ...(descriptor.providers ?? []).flatMap(providerRequests),
    ...descriptor.capabilities,
  ];
}

/** A provider's host and key. Without them only the provider is skipped. */
function providerRequests({ id, baseUrl, secret }: ProviderDescriptor): readonly CapabilityRequest[] {
  const host = new URL(baseUrl).hostname;
  const facts = { required: true, neededBy: [id] };
  const network = { kind: "network", purpose: "models", hosts: [host] } as const;
  return [
    { capability: network, ...facts, reason: `indus sends requests to the models of ${id} there` },
    ...(secret === undefined
      ? []
      : [{ capability: { kind: "secret", id: secret } as const, ...facts, reason: `the key of ${id}` }]),
  ];
}

function describeAddon(descriptor: AddonDescriptor): AddonDescription {
  const { id, version, description, gates, commands, providers = [] } = descriptor;
  return {
    id,
    version,
    description,
    contributes: [
      ...gates.map(gateInWords),
      ...commands.map(commandInWords),
      ...providers.map(providerInWords),
    ],
    capabilities: requestsOf(descriptor),
  };
}

function gateInWords({ event, matchTool, condition, reason }: GateDescriptor): string {
  const tool = matchTool === undefined ? "" : ` of ${matchTool}`;
  return `stops ${event}${tool}${condition ? conditionInWords(condition) : ""}: ${reason}`;
}

function providerInWords({ id, baseUrl, secret }: ProviderDescriptor): string {
  const key = secret === undefined ? "without a key" : `with the key in ${secret}`;
  return `lets you choose models of ${id}: conversations with them go to ${baseUrl}, ${key}`;
}

function conditionInWords({ argument, glob, startsWith, contains }: ArgumentCondition): string {
  const quoted = (rules: readonly string[]): string => rules.map((rule) => JSON.stringify(rule)).join(" or ");
  const parts = [
    startsWith.length > 0 ? `starts with ${quoted(startsWith)}` : "",
    contains.length > 0 ? `contains ${quoted(contains)}` : "",
    glob.length > 0 ? `matches ${quoted(glob)}` : "",
  ];
  return ` when its ${argument} ${parts.filter(Boolean).join(" and ")}`;
}

function commandInWords({ name, summary, exec }: CommandDescriptor): string {
  const note = summary.trim() === "" ? "" : ` (${summary})`;
  if (exec === undefined) return `/${name} does nothing by itself${note}`;
  return `/${name} runs: ${exec.replaceAll("\n", "⏎").replaceAll("\t", "⇥")} ${note}`.trimEnd();
}

function gateHandler(gate: GateDescriptor, effortAt: (payload: object) => GateEffort): HookHandler {
  const { reason, onFailure, matchTool, condition } = gate;
  return {
    kind: "gate",
    match: matchTool,
    matchArgument: condition?.argument,
    onFailure,
    run: (payload): GateDecision | undefined =>
      fires(gate, payload, effortAt(payload)) ? { stop: true, reason } : undefined,
  };
}

type AnyPayload = Parameters<HookHandler["run"]>[0];

/** An unconditional gate always fires; a scoped one only for tool payloads that match. */
function fires({ matchTool, condition }: GateDescriptor, payload: AnyPayload, effort: GateEffort): boolean {
  if (matchTool === undefined && condition === undefined) return true;
  if (!("callId" in payload)) return false;
  if (matchTool !== undefined && !meansTool(matchTool, payload.name)) return false;
  return condition === undefined || conditionHolds(condition, payload.args, effort);
}

function replay({ name, summary, exec }: CommandDescriptor, { grants }: FeatureInstallContext): Command {
  const mayExecute = grants.some((grant) => grant.kind === "files" && grant.execute);
  return {
    name,
    summary,
    argumentHint: exec === undefined ? undefined : "[arguments]",
    async run(context) {
      if (exec === undefined) return; // does nothing, but is listed
      if (!mayExecute) context.say(`/${name} has no grant to run commands.`);
      else await runLine(exec, context);
    },
  };
}

/** The words after the command are passed to `exec` separately from its line; `exec` quotes them. */
async function runLine(exec: string, { args, handles, say }: CommandContext): Promise<void> {
  if (!handles.exec) return; // without the handle in this run mode, the command does nothing
  const parsed = argumentWords(args);
  if (!parsed.ok) return say(`Nothing was run: ${parsed.problem}.`);
  // The words come after its last line, so that they are no command of their own.
  const line = parsed.words.length === 0 ? exec : exec.trimEnd();
  const { stdout, stderr, code } = await handles.exec(line, parsed.words);
  for (const text of [stdout, stderr]) if (text.trim() !== "") say(text.trimEnd());
  if (code !== 0) say(code === null ? "It was killed by a signal." : `It exited with code ${code}.`);
}

/** The manifest of a folder, or a manifest file itself. Rejects with a {@link LoaderError}. */
export async function readManifest({ path }: AddonSource): Promise<ParsedManifest> {
  const manifest = manifestPath(path);
  let bytes: Uint8Array;
  try {
    bytes = readBoundedFile(manifest, MAX_MANIFEST_BYTES);
  } catch (cause) {
    throw new LoaderError({ kind: "io", path: manifest }, `it cannot be read: ${describeError(cause)}`, {
      cause,
    });
  }
  return parseManifest(decodeManifest(bytes, manifest), manifest);
}

/** Opening a file checks only the last component of its path for links, so the components before it are resolved here. */
function manifestPath(path: string): string {
  let isFolder: boolean;
  let real: string;
  try {
    real = realpathSync.native(path);
    isFolder = statSync(real).isDirectory();
  } catch (cause) {
    throw new LoaderError({ kind: "io", path }, `it cannot be found: ${describeError(cause)}`, { cause });
  }
  if (isFolder) return join(real, MANIFEST_FILENAME);
  if (basename(real) === MANIFEST_FILENAME) return real;
  throw new LoaderError({ kind: "unsupported", path }, otherTier(extname(real)));
}

function otherTier(extension: string): string {
  const declarative = `the declarative loader reads ${MANIFEST_FILENAME} only`;
  if (ENTRY_EXTENSIONS.includes(extension))
    return `a ${extension} addon is code and needs the module loader (tier 1); ${declarative}`;
  if (extension === ".py") return `a .py addon is code and needs the Python loader (tier 1); ${declarative}`;
  if (extension === ".wasm")
    return `a .wasm addon is code and needs the WASM loader (tier 2); ${declarative}`;
  return `it is neither a folder nor a ${MANIFEST_FILENAME}; ${declarative}`;
}
