// A remote addon around `test-addon.mjs`, unconfined, with access to everything that it says and does.

import { onTestFinished } from "vitest";
import { addonId } from "../../packages/induscode/src/addons/contract.ts";
import { createAddonTimes } from "../../packages/induscode/src/addons/process/addon-times.ts";
import { createHostCalls } from "../../packages/induscode/src/addons/process/host-calls.ts";
import { isProtectedPath } from "../../packages/induscode/src/addons/process/protected-path.ts";
import {
  DEFAULT_LIMITS,
  type ProtocolLimits,
} from "../../packages/induscode/src/addons/process/protocol/contract.ts";
import {
  PROTOCOL_VERSION,
  type Registration,
} from "../../packages/induscode/src/addons/process/protocol/messages.ts";
import { createRemoteAddon } from "../../packages/induscode/src/addons/process/remote-addon.ts";
import { confinedTo } from "../../packages/induscode/src/addons/sandbox/sandbox-policy.ts";
import type { HostCapability } from "../../packages/induscode/src/feature/descriptor.ts";
import type { SessionHost } from "../../packages/induscode/src/feature/host.ts";
import type { FeatureDiagnostic } from "../../packages/induscode/src/feature/install-report.ts";
import { sessionOf } from "./test-session.ts";

const PROGRAM = `${import.meta.dirname}/test-addon.mjs`;

export interface RemoteCase {
  readonly registration?: Partial<Registration>;
  /** What the host already knows about it. */
  readonly known?: Registration;
  readonly limits?: Partial<ProtocolLimits>;
  readonly grants?: readonly HostCapability[];
  /** It is there for an MCP server. */
  readonly isServer?: boolean;
  /** The session that calls it. */
  readonly host?: Partial<SessionHost>;
  readonly cwd?: string;
  readonly protectedPaths?: readonly string[];
  readonly enterQuarantine?: (why: string) => Promise<void>;
  /** A launch waits for this. */
  readonly prepared?: Promise<void>;
}

export function createTestRemote(given: RemoteCase = {}) {
  const { registration = {}, known, limits, grants = [], host = {}, cwd = "/", protectedPaths = [] } = given;
  const log: string[] = [];
  const told: string[] = [];
  const diagnostics: FeatureDiagnostic[] = [];
  const alerts: string[] = [];
  const notices: string[] = [];
  const quarantined: string[] = [];
  const calls = createHostCalls({
    policy: confinedTo(cwd),
    cwd,
    isProtected: (path) => isProtectedPath(path, { root: "/nowhere", places: protectedPaths }),
    log: (text) => void log.push(text),
  });
  const times = createAddonTimes();
  const remote = createRemoteAddon({
    id: addonId("tested"),
    async launch() {
      await given.prepared;
      return { argv: [process.execPath, PROGRAM, JSON.stringify(registration)], cwd: "/", env: {} };
    },
    describe: { protocol: { min: PROTOCOL_VERSION, max: PROTOCOL_VERSION }, id: "tested", cwd, grants: [] },
    ...(known ? { registration: known } : {}),
    limits: { ...DEFAULT_LIMITS, ...limits },
    isServer: given.isServer === true,
    calls,
    log: (text) => void log.push(text),
    times,
    tell: (_kind, text) => void told.push(text),
    quarantine: {
      guards: () => ["Now open: the gate of tool:before."],
      isIn: () => quarantined.length > 0,
      enter: given.enterQuarantine ?? (async (why) => void quarantined.push(why)),
      leave: async () => void quarantined.splice(0),
    },
  });
  onTestFinished(() => remote.dispose());
  const session = sessionOf({
    alert: (_feature, text) => void alerts.push(text),
    notifyModel: (_feature, text) => void notices.push(text),
    root: cwd,
    ...host,
  });
  /** The open sessions. */
  const open = new Set([session]);
  calls.attach({
    featureId: "project:tested",
    grants,
    fault: (_kind, text) => void diagnostics.push({ severity: "error", text }),
    diagnostic: (severity, text) => void diagnostics.push({ severity, text }),
    session: (wanted) => (wanted && open.has(wanted) ? wanted : session),
  });
  return { remote, session, open, calls, times, log, told, diagnostics, alerts, notices, quarantined };
}
