// The surface on which a feature records what it contributes, and the time and number that it has for that.

import { abortable, describeError } from "indusagi/core";
import type { HostCapability } from "../descriptor.ts";
import { clampedLine, type RegistryHost, reachOf, tellFault } from "../host.ts";
import type { FeatureInstallContext, FeatureModule } from "../install.ts";
import type { FeatureDiagnostic, FeatureFault, SkippedContribution } from "../install-report.ts";
import type { DiagnosticSeverity } from "../services.ts";

export type ContributionKind = SkippedContribution["kind"];

/** What a feature recorded, as it handed it over. */
export interface Recorded {
  readonly tools: unknown[];
  readonly commands: unknown[];
  readonly handlers: { readonly event: unknown; readonly handler: unknown }[];
  readonly stages: { readonly match: unknown; readonly stage: unknown }[];
  readonly tasks: unknown[];
  readonly providers: unknown[];
  /** What it could not contribute. */
  readonly skipped: unknown[];
}

export interface Recording {
  readonly recorded: Recorded;
  readonly diagnostics: readonly FeatureDiagnostic[];
  readonly faults: readonly FeatureFault[];
}

/** As many as an addon may register. */
const MAX_OF_A_KIND = 200;
/** As many as an addon may say in a minute. */
const MAX_DIAGNOSTICS = 60;
/** As long as an addon has to register. */
const INSTALL_MS = 10_000;

interface RecordFacts {
  readonly granted: readonly HostCapability[];
  readonly host: RegistryHost;
  readonly session: FeatureInstallContext["session"];
}

/** Never rejects: a module that throws, or does not end, contributes nothing. */
export async function recordFeature(module: FeatureModule, facts: RecordFacts): Promise<Recording> {
  const { granted, host, session } = facts;
  const { id } = module.descriptor;
  const recorded = nothingRecorded();
  const diagnostics: FeatureDiagnostic[] = [];
  const unkept = new Map<ContributionKind | "skipped part" | "diagnostic", number>();
  let isInstalling = true; // after that, a diagnostic is news and not part of the report
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), INSTALL_MS);
  try {
    await abortable(Promise.resolve(module.install(surface())), deadline.signal);
    return { recorded, diagnostics: [...diagnostics, ...leftOut()], faults: [] };
  } catch (error) {
    const why = deadline.signal.aborted ? `it did not end within ${INSTALL_MS} ms` : describeError(error);
    const fault: FeatureFault = {
      kind: "register",
      message: `${id} failed while registering: ${why}`,
      owner: id,
      cause: error,
    };
    return { recorded: nothingRecorded(), diagnostics: [...diagnostics, ...leftOut()], faults: [fault] };
  } finally {
    isInstalling = false;
    clearTimeout(timer);
  }

  function surface(): FeatureInstallContext {
    return {
      featureId: id,
      grants: granted,
      diagnostic: (severity, text) => say(severity, clampedLine(text)),
      skip: (part) => keep("skipped part", recorded.skipped, part),
      fault: (kind, message) => tellFault(whileInstalling(), { kind, owner: id, message }),
      session,
      reachOf: (called) => called && reachOf(called, { feature: id, grants: granted }),
      tools: { register: (tool) => keep("tool", recorded.tools, tool) },
      commands: { register: (command) => keep("command", recorded.commands, command) },
      hooks: {
        on: (event, handler) => keep("hook", recorded.handlers, { event, handler }),
        interceptTool: (match, stage) => keep("hook", recorded.stages, { match, stage }),
      },
      tasks: { register: (task) => keep("task", recorded.tasks, task) },
      providers: { register: (provider) => keep("provider", recorded.providers, provider) },
    };
  }

  function whileInstalling(): Pick<RegistryHost, "diagnostic" | "fault"> {
    return isInstalling ? { diagnostic: (_id, severity, text) => say(severity, text) } : host;
  }

  function say(severity: DiagnosticSeverity, text: string): void {
    if (!isInstalling) host.diagnostic(id, severity, text);
    else if (diagnostics.length < MAX_DIAGNOSTICS) diagnostics.push({ severity, text });
    else unkept.set("diagnostic", (unkept.get("diagnostic") ?? 0) + 1);
  }

  function keep<Item>(kind: ContributionKind | "skipped part", list: Item[], item: Item): void {
    if (!isInstalling) host.diagnostic(id, "warning", `a ${kind} is skipped: install had ended`);
    else if (list.length < MAX_OF_A_KIND) list.push(item);
    else unkept.set(kind, (unkept.get(kind) ?? 0) + 1);
  }

  function leftOut(): readonly FeatureDiagnostic[] {
    return [...unkept].map(([kind, more]) =>
      kind === "diagnostic"
        ? { severity: "warning", text: `and ${more} more` }
        : {
            severity: "error",
            text: `${more} more of kind ${kind} are skipped: a feature has at most ${MAX_OF_A_KIND}`,
          },
    );
  }
}

function nothingRecorded(): Recorded {
  return { tools: [], commands: [], handlers: [], stages: [], tasks: [], providers: [], skipped: [] };
}
