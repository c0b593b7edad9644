// What the host hands a feature: sinks and services that check the feature's grants on each use, so that a grant is enforced
// where it is used and not where it was declared.

import { type Fs, scopedFs, type WebAnswer, type WebRequest } from "indusagi/capabilities";
import {
  clamp,
  type OutputBudget,
  type SecretMask,
  type SessionKey,
  type SessionScope,
  sessionKey,
} from "indusagi/core";
import { type Deed, deedInWords, type Holder, lackFor, modeLack, type Reach } from "./deeds.ts";
import type { HostCapability } from "./descriptor.ts";
import type { FeatureFault, FeatureFaultKind } from "./install-report.ts";
import type { MemoryStore } from "./memory-service.ts";
import type { SampleAnswer, SamplingService } from "./sampling-service.ts";
import type {
  AccessRight,
  DiagnosticSeverity,
  FeatureServices,
  FeatureSinks,
  ServiceAnswer,
  SessionHandles,
  SessionReach,
} from "./services.ts";
import type { FeatureSessions, SessionRight } from "./sessions-service.ts";
import type { SessionUi } from "./ui.ts";
import type { WorkItems } from "./work-items-service.ts";

export type { Holder };

/** The owner of a registry: receives what features report outside any session, and says what is unavailable here. */
export interface RegistryHost {
  readonly diagnostic: (feature: string, severity: DiagnosticSeverity, text: string) => void;
  /** Absent when faults are not told apart from other diagnostics. */
  readonly fault?: (fault: FeatureFault) => void;
  readonly secrets?: GrantedSecrets;
  /** Why a capability that others can offer is unavailable; e.g. a secret that is not set. */
  readonly lacks?: (capability: HostCapability) => string | undefined;
  /** Provider names that no feature may use: the product's and the person's. */
  readonly providerNames?: readonly string[];
}

/** The session as features may reach it. Every text is already bounded when it arrives here. */
export interface SessionHost {
  readonly notifyModel: (feature: string, text: string) => void;
  readonly alert: (feature: string, text: string) => void;
  readonly diagnostic: (feature: string, severity: DiagnosticSeverity, text: string) => void;
  /** Absent when faults are not told apart from other diagnostics. */
  readonly fault?: (fault: FeatureFault) => void;
  readonly fs: Fs;
  /** The workspace, as a real path. */
  readonly root: string;
  /** The person's mode is read-only: a feature changes nothing, whatever it was granted. */
  readonly isReadOnly?: boolean;
  /** Read at each deed; see {@link Reach.isPlanning}. */
  readonly isPlanning?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The session's gate for shell lines; absent without a session. */
  readonly exec?: NonNullable<SessionHandles["exec"]> | undefined;
  /** The guarded way to the network; absent without a session. */
  readonly fetch?: ((request: WebRequest) => Promise<WebAnswer>) | undefined;
  /** The folder's work items, for a feature; absent when none are kept. */
  readonly workItems?: ((feature: string) => Promise<WorkItems>) | undefined;
  /** What is remembered, for a feature; absent when nothing is. */
  readonly memory?: ((feature: string) => Promise<MemoryStore>) | undefined;
  /** A feature's own sessions; absent when there are no delegates. */
  readonly sessions?: ((feature: string) => Promise<FeatureSessions>) | undefined;
  /** The session's model, for a feature; absent without a session. */
  readonly sample?:
    | ((feature: string, ...asked: Parameters<SamplingService>) => Promise<SampleAnswer>)
    | undefined;
  /** The console with a person at it; absent when there is none. */
  readonly ui?: SessionUi | undefined;
}

/** Where a session's scope keeps it. No feature gets the key: it gets only what its grants allow. */
export const SESSION_HOST: SessionKey<SessionHost> = sessionKey("host");

/** For whoever runs a feature: also a way to report what failed. */
export interface HolderReach extends SessionReach {
  readonly fault: (kind: FeatureFaultKind, text: string) => void;
}

/** Undefined for a scope without a session. */
export function reachOf(scope: SessionScope, holder: Holder): HolderReach | undefined {
  const host = scope.get(SESSION_HOST);
  if (!host) return undefined;
  return {
    sinks: createSinks(host, holder),
    services: createServices(host, holder),
    fault: (kind, text) => tellFault(host, { kind, owner: holder.feature, message: text }),
  };
}

/** Reports a diagnostic where faults are not told apart. */
export function tellFault(
  host: Pick<RegistryHost, "fault" | "diagnostic">,
  { kind, owner, message }: FeatureFault & { readonly owner: string },
): void {
  if (host.fault) host.fault({ kind, owner, message: `${owner}: error: ${message}` });
  else host.diagnostic(owner, "error", message);
}

/** What keeps granted secrets out of texts. */
export interface GrantedSecrets extends Pick<SecretMask, "text"> {
  /** From now on the secret with this id is hidden. Returns why it cannot be, or undefined. */
  readonly learn: (id: string) => string | undefined;
}

const MAX_NOTICE_BYTES: number = 4 * 1024;
const NOTICE_BUDGET: OutputBudget = { kind: "middle", maxBytes: MAX_NOTICE_BYTES };
/** The size of a notice made only of line breaks once it is quoted. Cutting it again could remove a line's mark. */
export const MAX_QUOTED_BYTES: number = 3 * (MAX_NOTICE_BYTES + 100); // includes the words of the cut
const LINE_BUDGET: OutputBudget = { kind: "head", maxBytes: 500 };

/** Clamped to what one line for the person may hold. */
export function clampedLine(text: unknown): string {
  return clamp(typeof text === "string" ? text : `a line that is a ${typeof text}`, LINE_BUDGET);
}

/** The sinks of one feature. Using one without its grant produces a diagnostic, not an effect. */
export function createSinks(host: SessionHost, holder: Holder): FeatureSinks {
  const { feature } = holder;
  const may = (deed: Deed): boolean => lackFor(deed, holder, host) === undefined;
  const diagnostic: FeatureSinks["diagnostic"] = (severity, text) =>
    host.diagnostic(feature, severity, clampedLine(text));
  return {
    diagnostic,
    notifyModel(text) {
      if (may({ kind: "notify" })) host.notifyModel(feature, quoted(clamp(text, NOTICE_BUDGET)));
      else diagnostic("error", "it has no grant to notify the model, so a notice was dropped");
    },
    alert(text) {
      if (may({ kind: "alert" })) host.alert(feature, clamp(inOneLine(text), LINE_BUDGET));
      else diagnostic("error", "it has no grant to alert the person, so an alert was dropped");
    },
  };
}

/** An alert is one line: a second line would carry no name, or someone else's. */
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]/gu;

function inOneLine(text: string): string {
  return text
    .split(LINE_BREAKS)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ⏎ ");
}

/**
 * A feature's text for the model, with a quotation mark before each line: whatever look-alike letters it uses, none of its
 * lines begins like one of the host's.
 */
function quoted(text: string): string {
  return text.replace(QUOTED_LINES, "\n").replace(/^/gm, "> ");
}

const QUOTED_LINES = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/gu;

/** The services of one feature. */
export function createServices(host: SessionHost, holder: Holder): FeatureServices {
  const { fs, env } = host;
  const { feature, grants } = holder;
  const denied = (deed: Deed, what: string): ServiceRefusal | undefined => {
    const lack = lackFor(deed, holder, host);
    return lack === undefined
      ? undefined
      : { ok: false, why: "denied", reason: `${feature} ${what}: ${lack}` };
  };
  const stored = <Store>(
    deed: Extract<Deed, { readonly right: AccessRight | SessionRight }>,
    open: ((feature: string) => Promise<Store>) | undefined,
  ): ServiceAnswer<Promise<Store>> => {
    const refusal = denied(deed, `may not ${deedInWords(deed)}`);
    if (refusal) return refusal;
    if (!open)
      return {
        ok: false,
        why: "unavailable",
        reason: `this session has no ${deed.kind.replaceAll("_", " ")}`,
      };
    return { ok: true, service: open(feature) };
  };
  return {
    files({ keepsOff } = {}) {
      if (!grants.some((grant) => grant.kind === "files" && (grant.read || grant.write)))
        return { ok: false, why: "denied", reason: `${feature} has no grant to use files` };
      const lack = modeLack({ kind: "write" }, host);
      const permits =
        (kind: "read" | "write") =>
        (path: string): boolean => {
          const reach: Reach = { ...host, keepsOff };
          return lackFor({ kind, path, realPath: path }, holder, reach) === undefined;
        };
      return {
        ok: true,
        service: scopedFs(fs, {
          mayRead: permits("read"),
          mayWrite: permits("write"),
          allows: lack === undefined ? undefined : `reading, because ${lack}`,
        }),
      };
    },
    secret(id) {
      const refusal = denied({ kind: "secret", id }, `may not use the secret ${id}`);
      if (refusal) return refusal;
      const value = env[id];
      if (value === undefined)
        return { ok: false, why: "unavailable", reason: `the secret ${id} is not set in the environment` };
      return { ok: true, service: value };
    },
    exec() {
      const refusal = denied({ kind: "execute" }, "may not run commands");
      if (refusal) return refusal;
      if (!host.exec) return { ok: false, why: "unavailable", reason: "this session cannot run commands" };
      const { exec } = host;
      return {
        ok: true,
        service: (command, args, options) => exec(command, args, { ...options, by: feature }),
      };
    },
    network(name) {
      const refusal = denied({ kind: "network", host: name }, `may not reach ${name.slice(0, 255)}`);
      if (refusal) return refusal;
      const { fetch } = host;
      if (!fetch) return { ok: false, why: "unavailable", reason: "this session has no network access" };
      return { ok: true, service: (request) => fetch({ ...request, staysOnHost: true }) };
    },
    workItems: (right) => stored({ kind: "work_items", right }, host.workItems),
    memory: (right) => stored({ kind: "memory", right }, host.memory),
    sessions: (right) => stored({ kind: "sessions", right }, host.sessions),
    sampling() {
      const refusal = denied({ kind: "sample" }, "may not use the model");
      if (refusal) return refusal;
      const { sample } = host;
      if (!sample) return { ok: false, why: "unavailable", reason: "this session lends no model" };
      return { ok: true, service: (...asked) => sample(feature, ...asked) };
    },
    ui(part) {
      const refusal = denied({ kind: "ui", part }, `may not ${deedInWords({ kind: "ui", part })}`);
      if (refusal) return refusal;
      const { ui } = host;
      if (!ui) return { ok: false, why: "unavailable", reason: NO_CONSOLE };
      return {
        ok: true,
        service: {
          status: (...rest) => ui.status(feature, ...rest),
          render: (...rest) => ui.render(feature, ...rest),
          ask: (...rest) => ui.ask(feature, ...rest),
          clear: () => ui.clear(feature),
        },
      };
    },
  };
}

const NO_CONSOLE = "this session has no interactive console";

type ServiceRefusal = Extract<ServiceAnswer<never>, { readonly ok: false }>;
