// Whether an addon's requests have an effect yet: before its feature is installed, and while it describes itself, none has. The
// lines about it wait until then.

import { clampedLine } from "../../feature/host.ts";
import type { FeatureInstallContext } from "../../feature/install.ts";
import type { FeatureDiagnostic, FeatureFaultKind } from "../../feature/install-report.ts";
import { diagnosticLine } from "./addon-log.ts";
import { refuse } from "./refuse-request.ts";

/** What the host knows about an installed addon, whichever sessions call it. */
type Attachment = Pick<FeatureInstallContext, "featureId" | "grants" | "diagnostic" | "fault" | "session">;

export interface AddonStanding {
  /** Refuses the request unless it may have an effect. */
  readonly attached: () => Attachment;
  /** From now on the addon's requests have an effect. */
  readonly attach: (attachment: Attachment) => void;
  /**
   * While the addon registers, nothing it requests has an effect: the answer may be cached (schema, `describe`). The lines
   * of its report wait until it has registered.
   */
  readonly whileRegistering: <T>(work: () => Promise<T>) => Promise<T>;
  /** Takes the waiting lines. Lines that an earlier process already sent in its registration are not repeated. */
  readonly takeEarly: () => readonly FeatureDiagnostic[];
  /** A line of the addon's report. */
  readonly diagnostic: Attachment["diagnostic"];
  /** A line about the addon from the host to the person; it waits until the addon is attached. */
  readonly tell: (kind: FeatureFaultKind, text: string) => void;
}

/** `log` writes to the addon's own log. */
export function createAddonStanding(log: (text: string) => void): AddonStanding {
  let attachment: Attachment | undefined;
  let registering = 0;
  const untold: (readonly [FeatureFaultKind, string])[] = [];
  const early: FeatureDiagnostic[] = [];
  let takenBefore: ReadonlySet<string> = new Set();

  const inEffect = (): Attachment | undefined => (registering === 0 ? attachment : undefined);
  const takeEarly: AddonStanding["takeEarly"] = () => {
    const found = early.splice(0);
    const fresh = found.filter(({ text }) => !takenBefore.has(text));
    if (found.length > 0) takenBefore = new Set(found.map(({ text }) => text));
    return fresh;
  };

  return {
    attached: () => inEffect() ?? refuse("unavailable", "an addon cannot use the host while it registers"),
    attach(given) {
      attachment = given;
      for (const told of untold.splice(0)) given.fault(...told);
    },
    async whileRegistering(work) {
      registering++;
      try {
        return await work();
      } finally {
        registering--;
        if (attachment) for (const { severity, text } of takeEarly()) attachment.diagnostic(severity, text);
      }
    },
    takeEarly,
    diagnostic(severity, text) {
      const line = clampedLine(text);
      log(diagnosticLine({ severity, text: line }));
      const attached = inEffect();
      if (attached) attached.diagnostic(severity, line);
      else early.push({ severity, text: line });
    },
    tell(kind, text) {
      if (attachment) attachment.fault(kind, text);
      else untold.push([kind, text]);
    },
  };
}
