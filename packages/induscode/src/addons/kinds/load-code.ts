// How a code addon becomes a feature of the session: what confines its process, what the host answers it, what it registers
// and under which id. If its registration is cached, none of its code runs here.

import { describeError, type SecretMask } from "indusagi/core";
import type { FailurePolicy, FeatureId, HostCapability } from "../../feature/descriptor.ts";
import { faultKindOf } from "../../feature/fault-kind.ts";
import {
  type AddonId,
  type Admission,
  addonId,
  featureIdOf,
  type GivenName,
  type LoadedAddon,
  LoaderError,
} from "../contract.ts";
import { createAddonLog } from "../process/addon-log.ts";
import { createAddonTimes, storeTimes } from "../process/addon-times.ts";
import type { CodeAddon } from "../process/contract.ts";
import { type FailurePolicies, guardsInWords, guardsOf, stricter } from "../process/guards.ts";
import { createHostCalls, type HostCalls } from "../process/host-calls.ts";
import { isProtectedPath, type Protection } from "../process/protected-path.ts";
import type { ProtocolLimits } from "../process/protocol/contract.ts";
import { type Capability, PROTOCOL_VERSION, type Registration } from "../process/protocol/messages.ts";
import { type ReadRegistration, readRegistration } from "../process/protocol/read-registration.ts";
import type { Quarantine } from "../process/quarantine.ts";
import type { RegistrationCache } from "../process/registration-cache.ts";
import { createRemoteAddon, type RemoteAddon } from "../process/remote-addon.ts";
import { contributionsOf, createRemoteFeature } from "../process/remote-feature.ts";
import type { Sandbox } from "../sandbox/contract.ts";
import { createGrantedHosts } from "../sandbox/granted-hosts.ts";
import type { SandboxPolicy } from "../sandbox/sandbox-policy.ts";
import { addonEnvironment, policyOf, sandboxSpec, secretVariables } from "../sandbox/spec.ts";
import { namesOf } from "../source/addon-names.ts";
import type { HeldNames } from "../source/held-names.ts";
import type { KnownContent } from "../source/known-content.ts";
import { isAddonId } from "../source/manifest.ts";
import type { Confinement } from "./confinement.ts";
import { networkProblem } from "./mcp.ts";
import { runnerNodeProblem } from "./runner-node.ts";
import type { LoadCompiler } from "./source-compiler.ts";

/** What every code addon of a session shares. */
export interface CodeDeps {
  /** Absolute; what grants for files are confined to. */
  readonly workspace: string;
  /** The product's home folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sandbox: Sandbox;
  /** The limits of each addon's connection. */
  readonly limits: ProtocolLimits;
  readonly confinement: Confinement;
  /** Shared: one process compiles the TypeScript of all addons. */
  readonly compiler: LoadCompiler;
  readonly content: Pick<KnownContent, "hashToRun">;
  readonly cache: RegistrationCache;
  readonly quarantine: Quarantine;
  /** What a failing gate does if it does not specify that itself. */
  readonly onGateFailure: FailurePolicy;
  /** Ids of addons that must work: what they guard is closed when they fail. */
  readonly required: readonly string[];
  /** Keeps secrets out of what is stored about an addon. */
  readonly secrets?: Pick<SecretMask, "add" | "text" | "stream">;
  /** The person's mode is read-only: an addon's process writes nothing, whatever it was granted. */
  readonly isReadOnly?: boolean;
  /** Real paths of what agents read as instructions in this session, whatever their names. */
  readonly documents?: (names: readonly string[]) => readonly string[];
  /** Holds names that appear while a process that may write is running. */
  readonly held?: Pick<HeldNames, "begin"> | undefined;
}

/** A code addon of this session, for managing it. */
export interface CodeAddonHandle {
  readonly id: AddonId;
  /** Every name a person can use for it. */
  readonly names: readonly string[];
  readonly feature: FeatureId;
  /** The hash of its content. */
  readonly hash: string;
  readonly remote: RemoteAddon;
  /** Since when it has not run, why, what is unguarded because of it and what to do; undefined while it runs. */
  readonly quarantine: () => string | undefined;
}

function withoutWriting(grant: HostCapability): HostCapability {
  return grant.kind === "files" ? { ...grant, write: false } : grant;
}

/** Rejects with a {@link LoaderError}; in that case nothing of the addon is left. */
export async function loadCode(
  code: CodeAddon,
  admission: Admission,
  deps: CodeDeps,
): Promise<{ readonly handle: CodeAddonHandle; readonly addon: LoadedAddon }> {
  const { source } = code;
  const { workspace, home, env, sandbox, confinement, content, cache, quarantine, secrets } = deps;
  const refusal = runnerNodeProblem(code) ?? confinement.refusal(code) ?? networkProblem(code, sandbox);
  if (refusal !== undefined) throw new LoaderError({ kind: "unsupported", path: source.path }, refusal);
  const { grants } = admission;
  const policy: SandboxPolicy = { ...policyOf(grants, workspace), limits: deps.limits };
  const key = `${admission.hash}-${PROTOCOL_VERSION}`;
  const known = cache.find(key);
  const nameOf = async (declared: AddonId): Promise<GivenName> =>
    (await admission.name?.(declared)) ?? { id: declared };
  // Until its first registration, the only information is in its files.
  const { id: early } = await nameOf(known ? idOf(known, code) : code.id);
  let called = early;
  const log = createAddonLog(home, early, secrets);
  const times = createAddonTimes();
  // Known before any of its code runs: no request can arrive earlier.
  let protection: Protection | undefined;
  const calls = createHostCalls({
    policy,
    cwd: workspace,
    isProtected: (realPath) => !protection || isProtectedPath(realPath, protection),
    log: log.write,
  });
  const hosts =
    code.runtime === "mcp" && sandbox.levelFor({ isNode: false }) === "bubblewrap"
      ? createGrantedHosts(grants, log.write)
      : undefined;
  const secretsOfServer = code.runtime === "mcp" ? secretVariables(grants, env) : {};
  for (const [name, value] of Object.entries(secretsOfServer)) secrets?.add(name, value);
  const changedTools = (found: Registration): string => {
    const problem = tryToStore(() => cache.store(key, found));
    const next =
      problem === undefined ? "the next start offers the new ones" : `they cannot be stored: ${problem}`;
    return `the tools of the MCP server of ${called} have changed: ${next}`;
  };
  const remote = createRemoteAddon({
    id: early,
    describe: {
      protocol: { min: PROTOCOL_VERSION, max: PROTOCOL_VERSION },
      id: early,
      cwd: workspace,
      grants: grants as readonly Capability[], // the schema allows further keys for each kind
    },
    registration: known,
    async launch() {
      // The process may start long after the load, and the folder may have been changed since.
      if (content.hashToRun(source) !== admission.hash)
        throw new LoaderError(
          { kind: "io", path: source.path },
          "it has changed since it was trusted; start indus again",
        );
      const program = await code.program(admission);
      const held = deps.isReadOnly ? grants.map(withoutWriting) : grants;
      const reach = sandboxSpec(program, held, workspace, deps.documents);
      const spec = hosts === undefined ? reach : { ...reach, proxy: hosts.folder() };
      protection = { root: spec.writable[0] ?? workspace, places: spec.protected };
      if (spec.closed)
        log.write(`read-only, because they contain too many entries: ${spec.closed.join(", ")}`);
      const { argv, level } = sandbox.confine(program.argv, spec);
      if (spec.writable.length > 0)
        deps.held?.begin({
          ...{ addon: called, root: workspace, kept: spec.protected },
          isConfined: level !== "none",
        });
      return { argv, cwd: program.cwd, env: { ...secretsOfServer, ...addonEnvironment(policy, env) } };
    },
    limits: policy.limits,
    startMs: code.startMs,
    isServer: code.runtime === "mcp",
    calls,
    log: log.write,
    times,
    tell: calls.tell,
    onChanged: code.runtime === "mcp" ? changedTools : undefined,
    quarantine: {
      guards: (found) => (found ? guardsNow(readRegistration(found)) : []),
      isIn: () => quarantine.find(admission.hash) !== undefined,
      enter: (why) => {
        const masked = secrets?.text(why) ?? why;
        return quarantine.add({ hash: admission.hash, id: early, path: source.path, why: masked });
      },
      leave: async () => void (await quarantine.release(admission.hash)),
    },
  });
  const isRequired = (): boolean => namesOf(source, called).some((each) => deps.required.includes(each));
  const policies = (found: ReadRegistration): FailurePolicies => ({
    addon: failurePolicy(found, code, isRequired()),
    gates: deps.onGateFailure,
  });
  const guardsNow = (found: ReadRegistration): readonly string[] =>
    guardsInWords(guardsOf(found, policies(found)));
  const answer = known ?? (await firstRegistration(remote, code, calls));
  // What its kit could not record, a later one may: it is asked again. A server's tools are as they are.
  const isFinal = code.runtime === "mcp" || (answer.skipped ?? []).length === 0;
  const unstored = known || !isFinal ? undefined : tryToStore(() => cache.store(key, answer));
  const registration = readRegistration(answer);
  const { id, problem } = await nameOf(await idOrEnd(registration, code, remote, calls));
  called = id;
  const module = createRemoteFeature({
    addon: code,
    id,
    registration,
    onFailure: policies(registration).addon,
    remote,
    calls,
    timeoutMs: code.callMs ?? policy.timeoutMs,
    confinement: confinement.lines(code),
  });
  const addon: LoadedAddon = {
    id,
    module,
    warnings: [
      ...(problem === undefined ? [] : [problem]),
      ...code.warnings,
      ...calls
        .takeEarly()
        .map(({ severity, text }) => `${featureIdOf(id, source.scope)}: ${severity}: ${text}`),
      ...(unstored === undefined
        ? []
        : [`the registration of ${id} could not be cached, so its process starts each time: ${unstored}`]),
    ],
    grants: [...grants, ...impliedGrants(registration, code)],
    rests: () => remote.state() === "quarantined",
    dispose() {
      ended ??= end();
      return ended;
    },
  };
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await remote.dispose();
    hosts?.end();
    log.close();
    const table = times.table();
    if (Object.keys(table).length === 0) return;
    const problem = tryToStore(() => storeTimes(home, featureIdOf(id, source.scope), table));
    if (problem !== undefined) process.emitWarning(`the times of ${id} could not be saved: ${problem}`);
  };
  const feature = featureIdOf(id, source.scope);
  const quarantined = (): string | undefined => {
    if (remote.state() !== "quarantined") return undefined;
    const entry = quarantine.find(admission.hash);
    return [
      `${feature} ${entry ? `has been in quarantine since ${entry.at}` : "is in quarantine"}.`,
      ...guardsNow(registration),
      `To run it again: indus addons restart ${id}.`,
      ...(entry ? [`The last fault: ${entry.why}`] : []),
    ].join(" ");
  };
  const names = namesOf(source, id);
  return { handle: { id, names, feature, hash: admission.hash, remote, quarantine: quarantined }, addon };
}

/** What closes the guards of a failing addon: its manifest, its program, or the person who requires it. */
function failurePolicy(
  { onFailure }: ReadRegistration,
  code: CodeAddon,
  isRequired: boolean,
): FailurePolicy | undefined {
  return isRequired ? "block" : stricter(code.onFailure, onFailure);
}

/** Why something that the addon can do without could not be stored in the home folder; undefined if it was. */
function tryToStore(store: () => void): string | undefined {
  try {
    store();
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

/** {@link idOf}; if the addon may not have its id, its process is ended. */
async function idOrEnd(
  registration: ReadRegistration,
  code: CodeAddon,
  remote: RemoteAddon,
  calls: HostCalls,
): Promise<AddonId> {
  try {
    return idOf(registration, code, calls);
  } catch (error) {
    await remote.dispose();
    throw error;
  }
}

async function firstRegistration(
  remote: RemoteAddon,
  { source, advice }: CodeAddon,
  calls: HostCalls,
): Promise<Registration> {
  try {
    return await remote.register();
  } catch (cause) {
    await remote.dispose();
    if (cause instanceof LoaderError) throw cause;
    const kind = faultKindOf(cause, "load") === "register" ? "register" : "io";
    const detail = `${describeError(cause)}${wordsOf(calls)}${advice === undefined ? "" : `. ${advice}`}`;
    throw new LoaderError({ kind, path: source.path }, detail, { cause });
  }
}

/** How many lines of a rejected addon are quoted. */
const MAX_WORDS = 5;

/** What a rejected addon reported while it registered, to be appended to the reason. */
function wordsOf({ takeEarly }: HostCalls): string {
  const lines = takeEarly().map(({ severity, text }) => `${severity}: ${text}`);
  if (lines.length === 0) return "";
  const rest = lines.length > MAX_WORDS ? [`and ${lines.length - MAX_WORDS} more`] : [];
  return `; while registering it reported: ${[...lines.slice(0, MAX_WORDS), ...rest].join("; ")}`;
}

/** The id that the program declares takes precedence over its location's, but not over its manifest's. */
function idOf({ id }: { readonly id?: string | undefined }, code: CodeAddon, calls?: HostCalls): AddonId {
  if (id === undefined) return code.hasDeclaredId ? code.id : code.source.id;
  if (id === code.id) return code.id;
  const words = calls ? wordsOf(calls) : "";
  if (code.hasDeclaredId) {
    const detail = `its program declares the id "${id}" and its manifest "${code.id}": make them the same${words}`;
    throw new LoaderError({ kind: "invalid", path: code.source.path }, detail);
  }
  if (!isAddonId(id)) {
    const detail = `its program declares the id ${JSON.stringify(id)}, which is not an addon id: use letters, digits, . _ -${words}`;
    throw new LoaderError({ kind: "invalid", path: code.source.path }, detail);
  }
  return addonId(id);
}

/**
 * What trusting its content also grants: contributing what it registers, as long as its manifest lists no contributions. If
 * it does, the list is binding: what was recorded is compared with what was declared.
 */
function impliedGrants(
  registration: ReadRegistration,
  { capabilities }: CodeAddon,
): readonly HostCapability[] {
  const listed = new Set(capabilities.map(({ capability }) => capability.kind));
  return contributionsOf(registration).filter(({ kind }) => !listed.has(kind));
}
