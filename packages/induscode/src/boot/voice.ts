// How features and set-up are heard: through the session while somebody listens to it, as notices before and after.

import type { SecretMask } from "indusagi/core";
import type { Conductor, ConductorFault } from "../conductor/contract.ts";
import type { FeatureFault } from "../feature/contract.ts";
import { type FeatureHost, MAX_QUOTED_BYTES } from "../feature/host.ts";

export interface Voice {
  readonly notices: string[];
  /** The notices among them that are faults of features. */
  readonly faults: readonly ConductorFault[];
  readonly tell: (line: string) => void;
  readonly onFault: (fault: FeatureFault) => void;
  readonly host: Pick<FeatureHost, "notifyModel" | "alert" | "diagnostic" | "fault">;
  /** There is a session now. */
  readonly speakThrough: (conductor: Conductor) => void;
  /** Whether anybody listens to the session: not while it is wired, nor while it closes. */
  readonly setHeard: (isHeard: boolean) => void;
  readonly conductor: () => Conductor;
}

/** `problems` are the first notices. */
export function createVoice(problems: readonly string[], secrets: Pick<SecretMask, "text">): Voice {
  const notices = [...problems];
  let conductor: Conductor | undefined;
  let isHeard = false;
  const faults: ConductorFault[] = [];
  const fail = (fault: ConductorFault): void => {
    if (!isHeard) faults.push({ ...fault, message: secrets.text(fault.message) });
    announce(fault);
  };
  const announce = (fault: ConductorFault): void => {
    if (conductor && isHeard) conductor.announce({ kind: "fault", fault });
    else notices.push(secrets.text(fault.message));
  };
  const tell = (message: string, owner?: string): void =>
    announce({ kind: "feature", message, ...(owner === undefined ? {} : { owner }) });
  return {
    notices,
    faults,
    tell,
    onFault: fail,
    host: {
      notifyModel: (feature, text) => conductor?.notify(feature, text, { maxBytes: MAX_QUOTED_BYTES }),
      alert(feature, text) {
        const line = `${feature}: ${text}`;
        if (conductor && isHeard) conductor.announce({ kind: "alert", text: line, owner: feature });
        else notices.push(secrets.text(line));
      },
      fault: fail,
      diagnostic(feature, severity, text) {
        const line = `${feature}: ${severity}: ${text}`;
        if (severity === "error") fail({ kind: "feature", message: line, owner: feature });
        else tell(line, feature);
      },
    },
    setHeard: (heard) => {
      isHeard = heard;
    },
    speakThrough: (session) => {
      conductor = session;
    },
    conductor: () => {
      if (!conductor) throw new Error("the session is not wired yet");
      return conductor;
    },
  };
}
