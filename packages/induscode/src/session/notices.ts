// What the person is told about a session by the host and by features: through the session while somebody listens, otherwise
// as lines to show before and after.

import type { SecretMask } from "indusagi/core";
import type { Conductor, ConductorFault } from "../conductor/contract.ts";
import type { RegistryHost, SessionHost } from "../feature/host.ts";

export interface SessionNotices {
  readonly lines: string[];
  /** Those that are faults of features. */
  readonly faults: readonly ConductorFault[];
  readonly tell: (line: string, owner?: string) => void;
  readonly fault: (fault: ConductorFault) => void;
  readonly alert: SessionHost["alert"];
  readonly diagnostic: RegistryHost["diagnostic"];
  /** From now on everything is announced, or kept again when there is no listener. */
  readonly announceTo: (listener: Conductor["announce"] | undefined) => void;
}

/** `first` are already lines. */
export function createNotices(first: readonly string[], secrets: Pick<SecretMask, "text">): SessionNotices {
  const lines = [...first];
  const faults: ConductorFault[] = [];
  let announce: Conductor["announce"] | undefined;
  const put = (event: Parameters<Conductor["announce"]>[0], line: string): void => {
    if (announce) announce(event);
    else lines.push(secrets.text(line));
  };
  const tell: SessionNotices["tell"] = (message, owner) => {
    const fault = { kind: "feature", message, ...(owner === undefined ? {} : { owner }) } as const;
    put({ kind: "fault", fault }, message);
  };
  const fail = (fault: ConductorFault): void => {
    if (!announce) faults.push({ ...fault, message: secrets.text(fault.message) });
    put({ kind: "fault", fault }, fault.message);
  };
  return {
    lines,
    faults,
    tell,
    fault: fail,
    alert(feature, text) {
      const line = `${feature}: ${text}`;
      put({ kind: "alert", text: line, owner: feature }, line);
    },
    diagnostic(feature, severity, text) {
      const line = `${feature}: ${severity}: ${text}`;
      if (severity === "error") fail({ kind: "feature", message: line, owner: feature });
      else tell(line, feature);
    },
    announceTo(listener) {
      announce = listener;
    },
  };
}
