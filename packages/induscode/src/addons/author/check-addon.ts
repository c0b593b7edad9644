// `indus addon check`: reads an addon as data, then lets it register inside its sandbox, and compares both with the rules
// and with each other.

import { describeError } from "indusagi/core";
import { capabilityInWords } from "../../feature/capabilities.ts";
import type { CapabilityRequest } from "../../feature/descriptor.ts";
import type { RegistryHost } from "../../feature/host.ts";
import { idleMatcherInWords, idleMatchers } from "../../feature/idle-matchers.ts";
import type { FeatureModule } from "../../feature/install.ts";
import { grantDeclared, installFeatures } from "../../feature/registry.ts";
import type { InstalledTool } from "../../feature/tool.ts";
import {
  type AddonDescription,
  type AddonSource,
  type LoadedAddon,
  LoaderError,
  type ModuleLoader,
} from "../contract.ts";
import { readManifest } from "../kinds/declarative-loader.ts";
import { hashAddon } from "../source/content-hash.ts";
import { sourcesOf, unusedPart } from "./capability-use.ts";
import { contributionLabels } from "./contribution-labels.ts";

interface CheckOptions {
  /** Uses a home folder of its own: an answer from a cache would not be a check. */
  readonly loader: ModuleLoader;
  /** The features that every session has: their names are taken. */
  readonly builtins: readonly FeatureModule[];
  /** Says which other names are taken. */
  readonly host: RegistryHost;
  /** Called with its tools while its process may run. Must not reject. */
  readonly tryOut?: ((tools: readonly InstalledTool[]) => Promise<void>) | undefined;
}

/** A `problem` keeps something in the addon from working; a `warning` may be intentional. */
export interface Finding {
  readonly severity: "problem" | "warning";
  readonly text: string;
}

export interface AddonCheck {
  readonly path: string;
  /** What its files declare; absent if they cannot be read. */
  readonly description?: Omit<AddonDescription, "confinement">;
  /** What confines its process, and what does not. */
  readonly confinement: readonly string[];
  /** Its own code ran there: it registered, or failed in that. */
  readonly hasRun: boolean;
  /** What would be committed: `command /hi`, `gate tool:before`. */
  readonly registers: readonly string[];
  /** Of its tools in each request, in bytes. */
  readonly toolBytes: number;
  readonly findings: readonly Finding[];
}

/** Runs the addon's registration. Never rejects: anything the addon does wrong is a finding. */
export async function checkAddon(source: AddonSource, options: CheckOptions): Promise<AddonCheck> {
  const findings: Finding[] = [];
  const problem = (text: string): void => void findings.push({ severity: "problem", text });
  const warn = (text: string): void => void findings.push({ severity: "warning", text });
  const path = source.root;
  let description: AddonDescription;
  try {
    description = await options.loader.describe(source);
  } catch (error) {
    problem(describeError(error));
    return { path, confinement: [], hasRun: false, registers: [], toolBytes: 0, findings };
  }
  const { confinement, ...data } = description;
  const facts = { path, description: data, confinement: confinement?.() ?? [] };
  const runsCode = facts.confinement.length > 0;
  let loaded: LoadedAddon | undefined;
  try {
    const grants = data.capabilities.map(({ capability }) => capability);
    loaded = await options.loader.load(source, { hash: hashAddon(source.root), grants });
    const registry = await installFeatures(options.builtins, grantDeclared, options.host);
    const report = await registry.add({ module: loaded.module, grants: loaded.grants });
    loaded.warnings.forEach(warn);
    const registers = contributionLabels(report);
    // Whoever adds a server did not write it, and it is of use without that part.
    const isOfUse = loaded.module.descriptor.runtime === "mcp" && registers.length > 0;
    for (const { kind, name, reason } of report.skipped)
      (isOfUse ? warn : problem)(`${kind} ${name} is skipped: ${reason}`);
    for (const { capability, required, reason } of report.denied)
      if (!required)
        warn(
          `the optional capability ${capabilityInWords(capability)} was not granted (${reason}); the addon works without it`,
        );
    for (const fault of report.faults) if (fault.kind !== "conflict") problem(fault.message);
    for (const { severity, text } of report.diagnostics) if (severity !== "info") warn(text);
    if (!report.enabled && registers.length + report.skipped.length === 0) problem("it contributes nothing");
    const { descriptor } = loaded.module;
    notRegistered(data.capabilities, descriptor).forEach(problem);
    const idle = idleMatchers(registry).filter(({ feature }) => feature === descriptor.id);
    idle.map(idleMatcherInWords).forEach(warn);
    (await unused(source, { asked: data.capabilities, runtime: descriptor.runtime })).forEach(warn);
    const tools = registry.tools.filter(({ feature }) => feature === descriptor.id);
    await options.tryOut?.(tools);
    const toolBytes = tools.reduce(
      (sum, { tool }) => sum + Buffer.byteLength(JSON.stringify(tool.descriptor())),
      0,
    );
    return { ...facts, hasRun: runsCode, registers, toolBytes, findings };
  } catch (error) {
    problem(describeError(error));
    const isLate = loaded !== undefined || (error instanceof LoaderError && error.kind === "register");
    return { ...facts, hasRun: runsCode && isLate, registers: [], toolBytes: 0, findings };
  } finally {
    await loaded?.dispose?.();
  }
}

type Descriptor = FeatureModule["descriptor"];

/** Contributions that the manifest lists but the program does not register; the registry refuses the opposite case. */
function notRegistered(asked: readonly CapabilityRequest[], descriptor: Descriptor): readonly string[] {
  const { declaredTools, declaredHooks, declaredTasks } = descriptor;
  return asked.flatMap(({ capability }) => {
    switch (capability.kind) {
      case "contribute_tool":
        return declaredTools.includes(capability.name)
          ? []
          : [`the tool ${capability.name} is declared but not registered`];
      case "contribute_hook":
        return declaredHooks.includes(capability.point)
          ? []
          : [`a hook at ${capability.point} is declared but not registered`];
      case "background_task":
        return declaredTasks.length > 0 ? [] : ["a background task is declared but not registered"];
      default:
        return [];
    }
  });
}

interface Asked {
  readonly asked: readonly CapabilityRequest[];
  readonly runtime: Descriptor["runtime"];
}

async function unused(source: AddonSource, { asked, runtime }: Asked): Promise<readonly string[]> {
  if (runtime === "mcp" || runtime === "hooks") return []; // what it starts asks the host for nothing
  const isData = runtime === "declarative";
  // What a manifest's gates and commands need is requested implicitly.
  const wanted = isData ? (await readManifest(source)).descriptor.capabilities : asked;
  const sources = isData ? await linesOf(source) : sourcesOf(source.root);
  return wanted.flatMap(({ capability }) => {
    const part = unusedPart(capability, sources);
    return part === undefined ? [] : [`${part} looks unused: nothing in its files requests it from the host`];
  });
}

/** A declarative addon can only use command lines. */
async function linesOf(source: AddonSource): Promise<string> {
  const { commands } = (await readManifest(source)).descriptor;
  return commands.some(({ exec }) => exec !== undefined) ? "exec" : "";
}
