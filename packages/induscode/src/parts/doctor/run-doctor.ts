// `indus doctor`: what this machine and this folder provide for a session, and which files there are not used, with what to do instead.
// It asks no model, starts no addon, and changes nothing except what is remembered about the sandbox.

import { getCompileCacheDir } from "node:module";
import { opensByHandle } from "indusagi/capabilities";
import { describeError, homeFolder } from "indusagi/core";
import { BUILT_IN_PROVIDERS, createGateway, type ProviderConfig, parseModelName } from "indusagi/llmgateway";
import { type AddonSource, addonId, featureIdOf } from "../../addons/contract.ts";
import { createQuarantine } from "../../addons/process/quarantine.ts";
import type { Sandbox } from "../../addons/sandbox/contract.ts";
import { createSandbox } from "../../addons/sandbox/sandbox.ts";
import { commandsUnconfinedAt } from "../../addons/sandbox/unconfined.ts";
import { hashAddon } from "../../addons/source/content-hash.ts";
import { discoverSources } from "../../addons/source/discover.ts";
import { createTrust } from "../../addons/source/trust.ts";
import { realPathOf } from "../../briefing/text-file.ts";
import { findWorkspaceRoot } from "../../briefing/workspace-root.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_OK, Problem } from "../../cli/problem.ts";
import { VERSION } from "../../cli/version.ts";
import { printableLine } from "../../console/printable-line.ts";
import { unknownTools } from "../../deck/builtins/delegate-roles.ts";
import { promptCommandsFeature } from "../../deck/builtins/prompt-commands.ts";
import { leavesSandbox } from "../../feature/capabilities.ts";
import { grantDeclared, installFeatures } from "../../feature/registry.ts";
import { addedServers } from "../../session/features/added-servers.ts";
import { builtinFeatures } from "../../session/features/builtin-features.ts";
import { type Finding, gatherFindings, olderMacros } from "../../session/features/findings.ts";
import { findForeignFiles, foreignPlaces } from "../../session/features/foreign-files.ts";
import { heldNamesHere } from "../../session/features/held-names-here.ts";
import { namedAddons } from "../../session/features/named-addons.ts";
import { chooseModel, limitsOf } from "../../session/models/model-choice.ts";
import { meantModel, withLogin } from "../../session/models/session-models.ts";
import { commandsOf } from "../../session/part-features.ts";
import { chooseMode } from "../../session/permissions/permission-policy.ts";
import { createSessionBriefing } from "../../session/session-briefing.ts";
import { loadSettings, type Settings } from "../../settings/load-settings.ts";
import { withKeyring, withStoredKeys } from "../../settings/stored-keys.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { unwritableHome } from "../../store/unwritable-home.ts";
import { leftTreesHere } from "../crew/trees/left-trees.ts";
import { connectionsHere } from "./doctor-connections.ts";
import { presentPlaces, READ_PLACES } from "./read-places.ts";

export interface Diagnosis {
  readonly version: string;
  readonly node: string;
  readonly system: string;
  readonly cwd: string;
  readonly projectRoot: string;
  readonly home: string;
  /** The model that a session would use, and why it cannot, or why there is none; names of variables, never their values. */
  readonly model: {
    readonly name?: string | undefined;
    readonly problem?: string | undefined;
    readonly keys: readonly string[];
  };
  /** How models are reached: address, keys (masked), proxy, certificates, clock, terminal. */
  readonly connections: readonly string[];
  /** What a session here would start with. */
  readonly permissionMode: string;
  readonly sandbox: {
    readonly level: string;
    readonly tried: readonly { readonly level: string; readonly works: boolean; readonly reason?: string }[];
    readonly unconfined: readonly string[];
    /** The same for the model's commands; empty where nothing confines them. */
    readonly commandsUnconfined: readonly string[];
  };
  readonly read: readonly { readonly what: string; readonly found: readonly string[] }[];
  readonly addons: readonly string[];
  readonly problems: readonly string[];
  readonly findings: readonly Finding[];
}

export async function runDoctor(line: Invocation<{ readonly count?: string | undefined }>): Promise<number> {
  const { flags } = line;
  if (flags.count !== undefined) return (await import("./run-count.ts")).runCount(flags.count, line);
  const diagnosis = await diagnose(workingDirectory(line), line);
  const text = flags.json ? JSON.stringify(diagnosis, undefined, 2) : doctorLines(diagnosis).join("\n");
  process.stdout.write(`${text}\n`);
  return EXIT_OK;
}

/** The output of `/doctor`. */
export async function doctorReport(line: Invocation): Promise<string> {
  return doctorLines(await diagnose(workingDirectory(line), line)).join("\n");
}

async function diagnose(cwd: string, { flags, env, startedIn, parts }: Invocation): Promise<Diagnosis> {
  const home = indusHome(env);
  const personHome = homeFolder(env);
  const person = realPathOf(personHome);
  const loaded = await loadSettings(home, cwd, parts);
  const { settings, problems } = loaded;
  const unwritable = unwritableHome(home);
  const held = await heldNamesHere(home);
  const { aliases, outputStyle } = settings;
  const briefing = await createSessionBriefing({
    ...{ flags, cwd, personHome, home, aliases, parts, outputStyle },
    heldBack: held.refusal,
  });
  const styles = await briefing.outputStyles.list();
  const said = new Set(briefing.diagnostics.map(({ message }) => message));
  const styleRemarks = styles.diagnostics.filter(({ message }) => !said.has(message));
  const named = await namedAddons(flags, settings, { cwd, home, personHome, startedIn });
  const { found, faults, strays } = discoverSources({ workspace: cwd, home }, named.sources);
  const builtins = await builtinFeatures({ settings, folder: cwd, home, personHome }, parts, env);
  const { reports, tools } = await installFeatures(
    [...builtins, await commandsOf(parts), promptCommandsFeature(briefing.commands)],
    grantDeclared,
  );
  const sandbox = createSandbox({
    recordPath: homePath(home, "sandboxLevel"),
    search: { path: env.PATH, workspace: cwd },
  });
  const strong = sandbox.strong();
  const places = { cwd, home: person, indusHome: home };
  const { model, provider } = await modelHere(flags.model, {
    settings: { ...settings, providers: await withKeyring(settings.providers, { env, home }) },
    env: withStoredKeys(env, home),
    hasAddons: found.length > 0,
  });
  const connections = connectionsHere({
    home,
    provider,
    modelProblem: model.problem,
    providers: settings.providers ?? [],
    env,
    isTerminal: process.stdout.isTTY === true,
  });
  const trusted = await createTrust({ home }).list();
  const outside = new Set(trusted.flatMap(({ path, granted }) => (leavesSandbox(granted) ? [path] : [])));
  return {
    version: VERSION,
    node: `${process.version} (${process.execPath})${ownCode()}`,
    system: `${process.platform} ${process.arch}`,
    cwd,
    projectRoot: findWorkspaceRoot(cwd, person),
    home,
    model,
    connections: connections.lines,
    permissionMode: modeHere(chooseMode(flags, loaded), sandbox),
    sandbox: {
      level: sandbox.levelFor({ isNode: true }),
      tried: sandbox.levels(),
      unconfined: sandbox.unconfined({ isNode: true }),
      commandsUnconfined: strong ? commandsUnconfinedAt(strong) : [],
    },
    read: READ_PLACES.map((place) => ({ what: place.what, found: presentPlaces(place, places) })),
    addons: found.map(
      ({ id, scope, path }) =>
        `${featureIdOf(id, scope)}  ${path}${outside.has(path) ? "  runs outside of the sandbox" : ""}`,
    ),
    problems: [
      ...problems,
      ...(unwritable === undefined ? [] : [unwritable]),
      ...new Set([
        ...(model.name !== undefined && model.problem !== undefined ? [model.problem] : []),
        ...movedAddressProblems(env),
      ]),
      ...connections.problems,
      ...(opensByHandle() ? [] : [PATHS_ONLY]),
      ...quarantinedAmong(found, home),
      ...named.problems,
      ...held.lines(cwd),
      ...leftTreesHere(home, cwd),
      ...faults.map(({ message }) => message),
    ],
    findings: [
      ...gatherFindings({
        diagnostics: [...briefing.diagnostics, ...styleRemarks],
        foreign: findForeignFiles({
          ...foreignPlaces(cwd, { home, personHome: person }, [
            ...briefing.folderDocs.files(),
            ...(flags["mcp-config"] ?? []),
            ...addedServers(home),
          ]),
          isThorough: true,
        }),
        commands: briefing.commands,
        reports,
        strays,
        delegates: unknownTools(briefing.subagents, tools),
        packages: homePath(home, "packages"),
      }),
      ...olderMacros(briefing.commands),
    ],
  };
}

const PATHS_ONLY =
  "this system does not report where an open file is (no /proc): files are opened by path and checked again after each step, " +
  "so a folder that is swapped at the right moment can redirect a write, which is then reported";

/** Node keeps its own code cache only if the one shipped with the product does not fit (`bin/product.cjs`). */
function ownCode(): string {
  const folder = getCompileCacheDir();
  if (folder === undefined) return "";
  return `; the compiled code shipped with indus does not fit this Node, which caches its own in ${folder}`;
}

/** No addon runs here, so what the quarantined ones guard is unknown. */
function quarantinedAmong(sources: readonly AddonSource[], home: string): readonly string[] {
  const quarantine = createQuarantine({ home });
  if (quarantine.list().length === 0) return [];
  return sources.flatMap(({ root, scope }) => {
    let entry: ReturnType<typeof quarantine.find>;
    try {
      entry = quarantine.find(hashAddon(root));
    } catch (error) {
      return [describeError(error)];
    }
    if (entry === undefined) return [];
    const name = featureIdOf(addonId(entry.id), scope);
    return [
      `${name} has been in quarantine since ${entry.at}; \`indus addons\` shows what is unguarded as a result. Last fault: ${entry.why}`,
    ];
  });
}

interface ModelFacts {
  readonly settings: Settings;
  /** With stored keys. */
  readonly env: NodeJS.ProcessEnv;
  readonly hasAddons: boolean;
}

interface ModelHere {
  readonly model: Diagnosis["model"];
  /** The provider that the model has, if that is known. */
  readonly provider?: ProviderConfig | undefined;
}

/** Found and resolved as a session does; nothing is sent to its provider. */
async function modelHere(
  named: string | undefined,
  { settings, env, hasAddons }: ModelFacts,
): Promise<ModelHere> {
  const own = (settings.providers ?? []).flatMap(({ apiKeyEnv }) =>
    apiKeyEnv === undefined ? [] : [apiKeyEnv],
  );
  const keys = [...new Set([...MODEL_VARIABLES, ...own])].filter((name) => env[name]);
  let name = named ?? settings.model;
  try {
    const choice = await chooseModel({ settings, env, named });
    const models = limitsOf(choice.models, settings.models);
    const gateway = createGateway({ providers: choice.providers, models, env });
    const { aliases = {} } = settings;
    name = choice.name;
    name = meantModel(name, { providers: gateway.providers, own: Object.keys(models), aliases });
    const id = parseModelName(name)?.provider;
    const provider = [...choice.providers, ...BUILT_IN_PROVIDERS].find((each) => each.id === id);
    const found = gateway.resolve(name);
    const brings =
      hasAddons && !provider ? " An addon may add this provider; indus doctor loads no addons." : "";
    return {
      model: { name, problem: found.ok ? undefined : withLogin(found.fault, name).message + brings, keys },
      provider,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { model: { name, problem: error.message, keys } };
  }
}

/** What is wrong with the addresses that the environment sets for built-in providers, whichever model is used. */
function movedAddressProblems(env: NodeJS.ProcessEnv): readonly string[] {
  const gateway = createGateway({ env });
  return gateway.providers.flatMap(({ id, isMoved }) => {
    const found = isMoved === true ? gateway.resolve(`${id}/any`) : undefined;
    return found && !found.ok && found.fault.kind === "request" ? [found.fault.message] : [];
  });
}

/** Without bubblewrap the default is another one. */
function modeHere(chosen: ReturnType<typeof chooseMode>, sandbox: Sandbox): string {
  const { mode, isDefault, startsPlanning } = chosen;
  if (startsPlanning || !isDefault) return startsPlanning ? "plan" : mode;
  const isConfined = sandbox.strong()?.level === "bubblewrap";
  return `${mode === "auto" && !isConfined ? "acceptEdits" : mode}, by default`;
}

const MODEL_VARIABLES: readonly string[] = BUILT_IN_PROVIDERS.flatMap(({ apiKeyEnv, baseUrlEnv }) =>
  [apiKeyEnv, baseUrlEnv].filter((name) => name !== undefined),
);

/** Text from a repository never spans lines. */
function doctorLines(diagnosis: Diagnosis): readonly string[] {
  const { version, node, system, cwd, projectRoot, home, model, connections, sandbox, read, addons } =
    diagnosis;
  const { problems, findings, permissionMode } = diagnosis;
  const root = projectRoot === cwd ? "" : `, in the project ${projectRoot}`;
  const keys = model.keys.length === 0 ? "" : `  (set: ${model.keys.join(", ")})`;
  const lines: readonly (readonly [string, readonly string[]])[] = [
    [
      `indus ${version}`,
      [`node    ${node}`, `system  ${system}`, `folder  ${cwd}${root}`, `home    ${home}`],
    ],
    ["model", [`${model.name ?? model.problem ?? "none"}${keys}`]],
    ["connection to models", connections],
    [`permission mode: ${permissionMode}`, []],
    [
      `addon sandbox: ${sandbox.level}`,
      [
        ...sandbox.tried.map(
          ({ level, works, reason = "" }) => `${level} ${works ? "works" : `does not work: ${reason}`}`,
        ),
        ...[...sandbox.unconfined, ...sandbox.commandsUnconfined].map(
          (sentence) => `not confined: ${sentence}`,
        ),
      ],
    ],
    [
      "read from",
      read.map(({ what, found }) => `${what}: ${found.length === 0 ? "nothing" : found.join(", ")}`),
    ],
    ["addons (`indus addons` shows what each contributes)", addons.length === 0 ? ["none"] : addons],
    ["problems", problems],
    [
      findings.length === 0 ? "not used: nothing found" : "not used",
      findings.flatMap(({ why, instead }) => [why, `  instead: ${instead}`]),
    ],
  ];
  return lines
    .filter(([head, items]) => items.length > 0 || /^not used|^permission/.test(head))
    .flatMap(([head, items]) => [head, ...items.map((item) => `  ${printableItem(item)}`), ""])
    .slice(0, -1);
}

function printableItem(item: string): string {
  const indent = /^ */.exec(item)?.[0] ?? "";
  return indent + printableLine(item.slice(indent.length));
}
