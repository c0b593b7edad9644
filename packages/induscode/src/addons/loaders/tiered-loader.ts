// The loader of every tier (design, section 6): data stays in process, code becomes a feature with a process of its own.
// Which one a source is, is told from its files alone.

import { lstatSync } from "node:fs";
import { extname, join } from "node:path";
import { describeError } from "indusagi/core";
import type { HostCapability } from "../../feature/contract.ts";
import { hashAddon } from "../content-hash.ts";
import {
  type AddonDescription,
  type AddonId,
  type AddonSource,
  type Admission,
  addonId,
  featureIdOf,
  type LoadedAddon,
  LoaderError,
  type ModuleLoader,
  PYTHON_EXTENSION,
} from "../contract.ts";
import { createDeclarativeLoader, readManifest } from "../declarative-loader.ts";
import { isAddonId } from "../manifest.ts";
import { DEFAULT_LIMITS, type ProtocolLimits, RpcError } from "../protocol/contract.ts";
import { type Capability, PROTOCOL_VERSION, type Registration } from "../protocol/messages.ts";
import { createAddonLog } from "../remote/addon-log.ts";
import { createAddonTimes, storeTimes } from "../remote/addon-times.ts";
import type { CodeAddon } from "../remote/contract.ts";
import { createHostCalls } from "../remote/host-calls.ts";
import { createQuarantine, type Quarantine } from "../remote/quarantine.ts";
import { createRegistrationCache, type RegistrationCache } from "../remote/registration-cache.ts";
import { createRemoteAddon, type RemoteAddon } from "../remote/remote-addon.ts";
import { contributionsOf, createRemoteFeature } from "../remote/remote-feature.ts";
import type { Sandbox } from "../sandbox/contract.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { addonEnvironment, policyOf, sandboxSpec } from "../sandbox/spec.ts";
import type { SandboxPolicy } from "../sandbox-policy.ts";
import { describeModule } from "./module.ts";
import { describeProcess } from "./process.ts";
import { describePython } from "./python.ts";
import { describeWasm } from "./wasm.ts";

export interface TieredLoaderDeps {
  /** Absolute; what grants for files are confined to. */
  readonly workspace: string;
  /** The product's home folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Refuses code that no OS sandbox would confine. */
  readonly requireSandbox: boolean;
  /** Default: the strongest that works on this machine. */
  readonly sandbox?: Sandbox;
  /** Of each addon's connection; default {@link DEFAULT_LIMITS}. */
  readonly limits?: ProtocolLimits;
}

/** The same, with what belongs to the home folder. */
interface CodeDeps extends Required<TieredLoaderDeps> {
  readonly cache: RegistrationCache;
  readonly quarantine: Quarantine;
  readonly confinement: (code: CodeAddon) => readonly string[];
}

/** A code addon of this session, for those who look after it. */
export interface CodeAddonHandle {
  readonly id: AddonId;
  readonly remote: RemoteAddon;
}

export interface TieredLoader extends ModuleLoader {
  /** The code addons that were loaded, in order. */
  readonly code: () => readonly CodeAddonHandle[];
}

export function createTieredLoader(given: TieredLoaderDeps): TieredLoader {
  const { home } = given;
  const { sandbox = createSandbox({ recordPath: join(home, "cache", "sandbox.json") }) } = given;
  const deps: CodeDeps = {
    limits: DEFAULT_LIMITS,
    ...given,
    sandbox,
    confinement: createConfinement(sandbox, given.requireSandbox),
    cache: createRegistrationCache({ home }),
    quarantine: createQuarantine({ home }),
  };
  const declarative = createDeclarativeLoader();
  const loaded: CodeAddonHandle[] = [];
  return {
    code: () => loaded,
    async describe(source) {
      const found = await codeAt(source, deps);
      return found ? describeCode(found.code, deps) : declarative.describe(source);
    },
    async load(source, admission) {
      const found = await codeAt(source, deps);
      if (!found) return declarative.load(source, admission);
      const { handle, addon } = await loadCode(found, admission, deps);
      loaded.push(handle);
      return addon;
    },
  };
}

interface FoundCode {
  readonly code: CodeAddon;
  readonly manifestWarnings: readonly string[];
}

/** The code addon that a source is; undefined for one that is data. */
async function codeAt(source: AddonSource, deps: CodeDeps): Promise<FoundCode | undefined> {
  if (isManifest(source.path)) {
    const { descriptor, warnings } = await readManifest(source);
    const { run } = descriptor;
    if (!run) return undefined;
    return { code: await codeOf(source, deps, { ...descriptor, run }), manifestWarnings: warnings };
  }
  requireAddonId(source);
  const isPython = extname(source.path) === PYTHON_EXTENSION;
  const code = await (isPython ? describePython(source) : describeModule(source, deps));
  return { code, manifestWarnings: [] };
}

/**
 * A name in a repository may be anything, also another addon's full id (`user:notes.py`), which a `--grant` for that one
 * would then trust. So it is held to what a manifest may say.
 */
function requireAddonId({ id, path }: AddonSource): void {
  if (isAddonId(id)) return;
  const detail = `its name makes the id ${JSON.stringify(id)}, which is no addon id: rename it with letters, digits, . _ - only, not like a content hash`;
  throw new LoaderError({ kind: "invalid", path }, detail);
}

type RunningDescriptor = Awaited<ReturnType<typeof readManifest>>["descriptor"] & {
  readonly run: NonNullable<Awaited<ReturnType<typeof readManifest>>["descriptor"]["run"]>;
};

async function codeOf(
  source: AddonSource,
  deps: CodeDeps,
  descriptor: RunningDescriptor,
): Promise<CodeAddon> {
  const { run } = descriptor;
  switch (run.kind) {
    case "process":
      return describeProcess(source, { ...descriptor, run });
    case "python":
      return describePython(source, descriptor);
    case "module":
      return describeModule(source, deps, descriptor);
    case "wasm":
      return describeWasm(source, descriptor);
  }
}

/** A folder is an addon by its manifest; anything else by what its name ends with. */
function isManifest(path: string): boolean {
  try {
    return extname(path) === ".toml" || lstatSync(path).isDirectory();
  } catch (cause) {
    throw new LoaderError({ kind: "io", path }, `it cannot be found: ${describeError(cause)}`, { cause });
  }
}

function describeCode(code: CodeAddon, { confinement }: CodeDeps): AddonDescription {
  const { id, version, description, capabilities, runs } = code;
  return {
    id,
    ...(version === undefined ? {} : { version }),
    ...(description === undefined ? {} : { description }),
    contributes: [`run ${runs}, in a process of its own; \`indus addons\` shows what it registers`],
    capabilities,
    // Asked late: finding out what this machine has starts a process, and where nobody is asked none is needed.
    confinement: () => confinement(code),
  };
}

/** What the report and the trust question say of the sandbox; the same for every Node program, and for every other. */
function createConfinement(sandbox: Sandbox, requireSandbox: boolean): CodeDeps["confinement"] {
  const known = new Map<boolean, readonly string[]>();
  return ({ runtime }) => {
    const isNode = runtime === "module" || runtime === "wasm";
    const told = known.get(isNode);
    if (told) return told;
    const level = sandbox.levelFor({ isNode });
    const open = sandbox.unconfined({ isNode }).map((sentence) => `not confined: ${sentence}`);
    const isRefused = requireSandbox && !isOsLevel(level);
    const refused = isRefused ? ["addons.requireSandbox is set: it would be refused"] : [];
    const lines = [`sandbox: ${level}`, ...open, ...refused];
    known.set(isNode, lines);
    return lines;
  };
}

function isOsLevel(level: string): boolean {
  return level === "bubblewrap" || level === "landlock";
}

async function loadCode(
  { code, manifestWarnings }: FoundCode,
  admission: Admission,
  deps: CodeDeps,
): Promise<{ readonly handle: CodeAddonHandle; readonly addon: LoadedAddon }> {
  const { source } = code;
  const { workspace, home, env, sandbox, requireSandbox, cache, quarantine } = deps;
  const program = { isNode: code.runtime === "module" || code.runtime === "wasm" };
  if (requireSandbox && !isOsLevel(sandbox.levelFor(program))) {
    const detail = `addons.requireSandbox is set, and this machine has no sandbox for it: ${sandbox.unconfined(program).join(" ")}`;
    throw new LoaderError({ kind: "unsupported", path: source.path }, detail);
  }
  const policy: SandboxPolicy = { ...policyOf(admission.grants, workspace), limits: deps.limits };
  const log = createAddonLog(home, code.id);
  const times = createAddonTimes();
  // Known before anything of it runs: it may be asked for nothing earlier.
  let protectedPaths: readonly string[] = [];
  const calls = createHostCalls({
    policy,
    cwd: workspace,
    protectedPaths: () => protectedPaths,
    log: log.write,
  });
  const key = `${admission.hash}-${PROTOCOL_VERSION}`;
  const known = cache.find(key);
  const tell = (text: string): void => calls.tell(text);
  const remote = createRemoteAddon({
    id: code.id,
    describe: {
      protocol: { min: PROTOCOL_VERSION, max: PROTOCOL_VERSION },
      id: code.id,
      cwd: workspace,
      grants: admission.grants as readonly Capability[], // the schema leaves the further keys of each kind open
    },
    ...(known ? { registration: known } : {}),
    async launch() {
      // The process may start long after the load, and somebody may have written to the folder since.
      if (hashAddon(source.root) !== admission.hash)
        throw new LoaderError(
          { kind: "io", path: source.path },
          "it changed since it was trusted; start indus again",
        );
      const program = await code.program(admission);
      const spec = sandboxSpec(program, admission.grants, workspace);
      protectedPaths = spec.protected;
      const { argv } = sandbox.confine(program.argv, spec);
      return { argv, cwd: program.cwd, env: addonEnvironment(policy, env) };
    },
    limits: policy.limits,
    calls,
    log: log.write,
    times,
    tell,
    quarantine: {
      isIn: () => quarantine.find(admission.hash) !== undefined,
      enter: (why) => quarantine.add({ hash: admission.hash, id: code.id, path: source.path, why }),
      leave: async () => void (await quarantine.release(admission.hash)),
    },
  });
  const registration = known ?? (await firstRegistration(remote, code));
  const unstored = known ? undefined : tryToStore(() => cache.store(key, registration));
  const id = await idOrEnd(registration, code, remote);
  const module = createRemoteFeature({
    addon: code,
    id,
    registration,
    remote,
    calls,
    timeoutMs: policy.timeoutMs,
    confinement: deps.confinement(code),
  });
  const addon: LoadedAddon = {
    id,
    module,
    warnings: [
      ...manifestWarnings,
      ...code.warnings,
      ...(unstored === undefined
        ? []
        : [`what ${code.id} registers could not be kept, so its process starts each time: ${unstored}`]),
    ],
    grants: [...admission.grants, ...impliedGrants(registration, code)],
    async dispose() {
      await remote.dispose();
      log.close();
      const table = times.table();
      if (Object.keys(table).length === 0) return;
      const unstored = tryToStore(() => storeTimes(home, featureIdOf(id, source.scope), table));
      if (unstored !== undefined) process.emitWarning(`the times of ${id} could not be kept: ${unstored}`);
    },
  };
  return { handle: { id, remote }, addon };
}

/** Why a thing that the addon can do without could not be kept in the home folder; undefined once it is. */
function tryToStore(store: () => void): string | undefined {
  try {
    store();
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

/** {@link idOf}; an addon that may not have its id leaves no process behind. */
async function idOrEnd(registration: Registration, code: CodeAddon, remote: RemoteAddon): Promise<AddonId> {
  try {
    return idOf(registration, code);
  } catch (error) {
    await remote.dispose();
    throw error;
  }
}

async function firstRegistration(remote: RemoteAddon, { source }: CodeAddon): Promise<Registration> {
  try {
    return await remote.register();
  } catch (cause) {
    await remote.dispose();
    if (cause instanceof LoaderError) throw cause;
    const isRegister = cause instanceof RpcError && isObject(cause.data) && cause.data.kind === "register";
    const kind = isRegister ? "register" : "io";
    throw new LoaderError({ kind, path: source.path }, describeError(cause), { cause });
  }
}

/** The id that the program declares wins over a derived one (seeds 000 and 002), and never over its manifest's. */
function idOf({ id }: Registration, code: CodeAddon): AddonId {
  if (id === undefined || id === code.id) return code.id;
  if (code.hasDeclaredId) {
    const detail = `its program calls itself "${id}" and its manifest "${code.id}": let both say the same`;
    throw new LoaderError({ kind: "invalid", path: code.source.path }, detail);
  }
  if (!isAddonId(id)) {
    const detail = `its program calls itself ${JSON.stringify(id)}, which is no addon id: letters, digits, . _ -`;
    throw new LoaderError({ kind: "invalid", path: code.source.path }, detail);
  }
  return addonId(id);
}

/**
 * What the trust in its content grants besides: to contribute what it registers, as long as its manifest does not list
 * contributions. One that does is held to the list (seed 004: what was recorded is compared with what was declared).
 */
function impliedGrants(registration: Registration, { capabilities }: CodeAddon): readonly HostCapability[] {
  const listed = new Set(capabilities.map(({ capability }) => capability.kind));
  return contributionsOf(registration).filter(({ kind }) => !listed.has(kind));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
