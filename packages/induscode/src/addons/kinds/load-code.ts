// How a code addon becomes a feature of the session: what confines its process, what the host answers it, what it registers
// and under which id. If its registration is cached, none of its code runs here.

import type { SecretMask } from "indusagi/core";
import { leavesSandbox } from "../../feature/capabilities.ts";
import type { FeatureId, HostCapability } from "../../feature/descriptor.ts";
import {
  type AddonId,
  type Admission,
  featureIdOf,
  type GivenName,
  type LoadedAddon,
  LoaderError,
} from "../contract.ts";
import { createAddonLog } from "../process/addon-log.ts";
import { type AddonTimes, createAddonTimes, storeTimes } from "../process/addon-times.ts";
import type { CodeAddon } from "../process/contract.ts";
import { START_MS } from "../process/first-exchange.ts";
import { createHostCalls } from "../process/host-calls.ts";
import { type Capability, PROTOCOL_VERSION } from "../process/protocol/messages.ts";
import {
  type ReadRegistration,
  readRegistration,
  readServerRegistration,
} from "../process/protocol/read-registration.ts";
import { type RegistrationCache, registrationKey, tryToStore } from "../process/registration-cache.ts";
import { createRemoteAddon, type RemoteAddon } from "../process/remote-addon.ts";
import { contributionsOf, createRemoteFeature } from "../process/remote-feature.ts";
import { namesOf } from "../source/addon-names.ts";
import { type CodeLaunchDeps, createCodeLaunch } from "./code-launch.ts";
import { CodeQuarantine, type CodeQuarantineDeps } from "./code-quarantine.ts";
import type { Confinement } from "./confinement.ts";
import { FailedServer } from "./failed-server.ts";
import { firstRegistration, idOf, idOrEnd } from "./first-registration.ts";
import { browserProblem, networkProblem } from "./mcp.ts";
import { type Contribution, Renewals } from "./renewals.ts";
import { runnerNodeProblem } from "./runner-node.ts";
import type { LoadCompiler } from "./source-compiler.ts";

/** How long a call of a server may take: what it asks a service for is often slow. */
const SERVER_CALL_MS = 300_000;

/** What every code addon of a session shares. */
export interface CodeDeps extends CodeLaunchDeps, CodeQuarantineDeps {
  readonly confinement: Confinement;
  /** Shared: one process compiles the TypeScript of all addons. */
  readonly compiler: LoadCompiler;
  readonly cache: RegistrationCache;
  /** Keeps secrets out of what is stored about an addon. */
  readonly secrets?: Pick<SecretMask, "add" | "text" | "stream">;
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
  /** It is an MCP server. */
  readonly isServer: boolean;
  /** What runs, in words, and where its files are. */
  readonly runs: string;
  readonly path: string;
  /** Since when it has not run, why, what is unguarded because of it and what to do; undefined while it runs. */
  readonly quarantine: () => string | undefined;
}

/** Rejects with a {@link LoaderError}; in that case nothing of the addon is left. */
export async function loadCode(
  code: CodeAddon,
  admission: Admission,
  deps: CodeDeps,
): Promise<{ readonly handle: CodeAddonHandle; readonly addon: LoadedAddon }> {
  const { source } = code;
  const { workspace, home, confinement, cache } = deps;
  requireSupport(code, deps, leavesSandbox(admission.grants));
  const { grants, hash } = admission;
  const isServer = code.runtime === "mcp";
  const key = registrationKey(hash);
  const known = cache.find(key);
  const nameOf = async (declared: AddonId): Promise<GivenName> =>
    (await admission.name?.(declared)) ?? { id: declared };
  // Until its first registration, the only information is in its files.
  const { id: early } = await nameOf(known ? idOf(known, code) : code.id);
  let called = early;
  const log = createAddonLog(home, early, deps.secrets);
  const times = createAddonTimes();
  const launch = createCodeLaunch(code, admission, deps, log.write);
  const { policy, isProtected } = launch;
  const quarantine = new CodeQuarantine(code, admission, deps, () => called);
  let renewals: Renewals | undefined;
  const calls = createHostCalls({
    ...{ policy, cwd: workspace, isProtected, log: log.write },
    onRegistered: isServer
      ? (found) => {
          remote.renew(found); // a restart is compared with this
          renewals?.take(found);
        }
      : undefined,
  });
  const remote = createRemoteAddon({
    id: early,
    describe: {
      protocol: { min: PROTOCOL_VERSION, max: PROTOCOL_VERSION },
      id: early,
      cwd: workspace,
      grants: grants as readonly Capability[], // the schema allows further keys for each kind
    },
    registration: known,
    launch: () => launch.start(called),
    limits: policy.limits,
    startMs: code.startMs,
    runnerMs: isServer ? START_MS : 0,
    isServer,
    calls,
    log: log.write,
    times,
    tell: calls.tell,
    // The next start begins with what this one found. What a running server changes holds for that process alone.
    onChanged: isServer
      ? (found) =>
          renewals?.take(
            found,
            tryToStore(() => cache.store(key, found)),
          )
      : undefined,
    quarantine: quarantine.slot(early),
  });
  const failing = isServer ? new FailedServer(cache, hash) : undefined;
  const failed = known || quarantine.isRequired ? undefined : failing?.find();
  const answer = known ?? failed ?? (await firstRegistration(remote, code, calls, failing?.remember));
  // What its kit could not record, a later one may: it is asked again. A server's tools are as they are.
  const isFinal = isServer || (answer.skipped ?? []).length === 0;
  const unstored = known || failed || !isFinal ? undefined : tryToStore(() => cache.store(key, answer));
  const registration = isServer ? readServerRegistration(answer) : readRegistration(answer);
  const { id, problem } = await nameOf(await idOrEnd(registration, code, remote, calls));
  called = id;
  const feature = featureIdOf(id, source.scope);
  const contributionOf = (now: ReadRegistration): Contribution => ({
    module: createRemoteFeature({
      addon: code,
      id,
      registration: now,
      onFailure: quarantine.policy(now),
      remote,
      calls,
      changing: isServer ? renewals : undefined,
      timeoutMs: code.callMs ?? (isServer ? SERVER_CALL_MS : policy.timeoutMs),
      isServer,
      confinement: confinement.lines(code),
    }),
    grants: [...grants, ...impliedGrants(now, code)],
    rests: () => remote.state() === "quarantined",
  });
  const end = once(async () => {
    await remote.dispose();
    launch.end();
    log.close();
    keepTimes(home, feature, times.table());
  });
  renewals = new Renewals({ registration, contributionOf, end, tell: calls.diagnostic });
  if (failed) void failing?.tryAgain(remote, renewals);
  const addon: LoadedAddon = {
    id,
    ...renewals.first(),
    warnings: [
      ...(problem === undefined ? [] : [problem]),
      ...code.warnings,
      ...calls.takeEarly().map(({ severity, text }) => `${feature}: ${severity}: ${text}`),
      ...(unstored === undefined
        ? []
        : [`the registration of ${id} could not be cached, so its process starts each time: ${unstored}`]),
    ],
  };
  const handle: CodeAddonHandle = {
    id,
    names: namesOf(source, id),
    feature,
    hash,
    remote,
    isServer,
    runs: code.runs,
    path: source.root,
    quarantine: () =>
      remote.state() === "quarantined" ? quarantine.inWords(feature, registration) : undefined,
  };
  return { handle, addon };
}

/** Throws a {@link LoaderError} if it cannot run here. */
function requireSupport(code: CodeAddon, { confinement, sandbox }: CodeDeps, isOutside: boolean): void {
  const refusal =
    runnerNodeProblem(code) ??
    confinement.refusal(code) ??
    (isOutside ? undefined : networkProblem(code, sandbox)) ??
    browserProblem(code, sandbox);
  if (refusal !== undefined) throw new LoaderError({ kind: "unsupported", path: code.source.path }, refusal);
}

/** How long its calls took, for `indus addons`. */
function keepTimes(home: string, feature: FeatureId, table: ReturnType<AddonTimes["table"]>): void {
  if (Object.keys(table).length === 0) return;
  const problem = tryToStore(() => storeTimes(home, feature, table));
  if (problem !== undefined) process.emitWarning(`the times of ${feature} could not be saved: ${problem}`);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
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
