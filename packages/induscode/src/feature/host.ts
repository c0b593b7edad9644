// What the host hands a feature: sinks and services that look at the feature's grants each time they are used, so that a
// grant is enforced where the thing happens and not where it was declared.

import { type Fs, scopedFs, type WebAnswer, type WebRequest } from "indusagi/capabilities";
import {
  clamp,
  type OutputBudget,
  type SecretMask,
  type SessionKey,
  type SessionScope,
  sessionKey,
} from "indusagi/core";
import type {
  AccessRight,
  DiagnosticSeverity,
  FeatureFault,
  FeatureFaultKind,
  FeatureServices,
  FeatureSessions,
  FeatureSinks,
  HostCapability,
  MemoryStore,
  ServiceAnswer,
  SessionHandles,
  SessionRight,
  WorkItems,
} from "./contract.ts";
import { type Deed, deedInWords, type Holder, lackFor, modeLack, type Reach } from "./deeds.ts";
import type { SessionUi } from "./ui.ts";

export type { Holder };

/** Whoever keeps a registry: hears of features what belongs to no session, and says what cannot be had here. */
export interface RegistryHost {
  readonly diagnostic: (feature: string, severity: DiagnosticSeverity, text: string) => void;
  /** Absent where nobody tells faults from other diagnostics. */
  readonly fault?: (fault: FeatureFault) => void;
  readonly secrets?: GrantedSecrets;
  /** Why a capability that others can offer cannot be had; a secret that is not set. */
  readonly lacks?: (capability: HostCapability) => string | undefined;
  /** Names of providers that no feature gets: the product's and the person's. */
  readonly providerNames?: readonly string[];
}

/** The session as features may reach it. Every text that arrives here is bounded already. */
export interface SessionHost {
  readonly notifyModel: (feature: string, text: string) => void;
  readonly alert: (feature: string, text: string) => void;
  readonly diagnostic: (feature: string, severity: DiagnosticSeverity, text: string) => void;
  /** Absent where nobody tells faults from other diagnostics. */
  readonly fault?: (fault: FeatureFault) => void;
  readonly fs: Fs;
  /** The workspace, as a real path. */
  readonly root: string;
  /** The person's mode is read-only: a feature changes nothing, whatever it was granted. */
  readonly isReadOnly?: boolean;
  /** Asked at each deed; see {@link Reach.isPlanning}. */
  readonly isPlanning?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The session's gate for shell lines; absent without a session. */
  readonly exec?: NonNullable<SessionHandles["exec"]>;
  /** The guarded way to the network; absent without a session. */
  readonly fetch?: (request: WebRequest) => Promise<WebAnswer>;
  /** The work items of the folder, for a feature; absent where none are kept. */
  readonly workItems?: (feature: string) => Promise<WorkItems>;
  /** What is remembered, for a feature; absent where nothing is. */
  readonly memory?: (feature: string) => Promise<MemoryStore>;
  /** Sessions of a feature's own; absent where no work is handed on. */
  readonly sessions?: (feature: string) => Promise<FeatureSessions>;
  /** The console at which a person sits; absent where there is none. */
  readonly ui?: SessionUi;
}

/** Where a session's scope has it. No feature is handed the key: it is handed what its grants leave of it. */
export const SESSION_HOST: SessionKey<SessionHost> = sessionKey("host");

/** A session as one feature may reach it, by its grants. */
export interface SessionReach {
  readonly sinks: FeatureSinks;
  readonly services: FeatureServices;
  readonly fault: (kind: FeatureFaultKind, text: string) => void;
}

/** Undefined for a scope without a session. */
export function reachOf(scope: SessionScope, holder: Holder): SessionReach | undefined {
  const host = scope.get(SESSION_HOST);
  if (!host) return undefined;
  return {
    sinks: createSinks(host, holder),
    services: createServices(host, holder),
    fault: (kind, text) => tellFault(host, { kind, owner: holder.feature, message: text }),
  };
}

/** As a diagnostic where nobody tells faults from those. */
export function tellFault(
  host: Pick<RegistryHost, "fault" | "diagnostic">,
  { kind, owner, message }: FeatureFault & { readonly owner: string },
): void {
  if (host.fault) host.fault({ kind, owner, message: `${owner}: error: ${message}` });
  else host.diagnostic(owner, "error", message);
}

/** What keeps granted secrets out of texts. */
export interface GrantedSecrets extends Pick<SecretMask, "text"> {
  /** From now on the secret of this id is hidden. Answers why it cannot be, or undefined. */
  readonly learn: (id: string) => string | undefined;
}

const MAX_NOTICE_BYTES: number = 4 * 1024;
const NOTICE_BUDGET: OutputBudget = { kind: "middle", maxBytes: MAX_NOTICE_BYTES };
/** What a notice of nothing but line breaks grows to behind its quotation marks. Cut again, a line might lose its mark. */
export const MAX_QUOTED_BYTES: number = 3 * (MAX_NOTICE_BYTES + 100); // the words of the cut are part of it
const LINE_BUDGET: OutputBudget = { kind: "head", maxBytes: 500 };

/** As much as one line for the person holds. */
export function clampedLine(text: string): string {
  return clamp(text, LINE_BUDGET);
}

/** The sinks of one feature. A use without its grant becomes a diagnostic, not an effect. */
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

/** An alert is one line: a second one would bear nobody's name, or another's. */
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]/gu;

function inOneLine(text: string): string {
  return text
    .split(LINE_BREAKS)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ⏎ ");
}

/**
 * A feature's words to the model, each line behind a quotation mark: whatever letters look like the host's labels, no line
 * of a feature begins as the host's do.
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
    if (!open) return { ok: false, why: "unavailable", reason: `this session has no ${deed.kind}` };
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
          const reach: Reach = { ...host, ...(keepsOff ? { keepsOff } : {}) };
          return lackFor({ kind, path, realPath: path }, holder, reach) === undefined;
        };
      return {
        ok: true,
        service: scopedFs(fs, {
          mayRead: permits("read"),
          mayWrite: permits("write"),
          ...(lack === undefined ? {} : { allows: `reading, because ${lack}` }),
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
      if (!host.exec) return { ok: false, why: "unavailable", reason: "this session runs no commands" };
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
      if (!fetch) return { ok: false, why: "unavailable", reason: "this session reaches no network" };
      return { ok: true, service: (request) => fetch({ ...request, staysOnHost: true }) };
    },
    workItems: (right) => stored({ kind: "work_items", right }, host.workItems),
    memory: (right) => stored({ kind: "memory", right }, host.memory),
    sessions: (right) => stored({ kind: "sessions", right }, host.sessions),
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

const NO_CONSOLE = "this session has no console at which somebody sits";

type ServiceRefusal = Extract<ServiceAnswer<never>, { readonly ok: false }>;
