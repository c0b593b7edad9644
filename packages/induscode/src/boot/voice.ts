// How features and set-up are heard: as notices before there is a session, through it afterwards.

import type { Conductor } from "../conductor/contract.ts";
import type { FeatureFault } from "../feature/contract.ts";
import type { FeatureHost } from "../feature/host.ts";

export interface Voice {
  readonly notices: string[];
  readonly tell: (line: string) => void;
  readonly onFault: (fault: FeatureFault) => void;
  readonly host: Pick<FeatureHost, "notifyModel" | "alert" | "diagnostic">;
  readonly speakThrough: (conductor: Conductor) => void;
  readonly conductor: () => Conductor;
}

/** `problems` are the first notices. */
export function createVoice(problems: readonly string[]): Voice {
  const notices = [...problems];
  let conductor: Conductor | undefined;
  const announce = (message: string, owner?: string): void => {
    const fault = { kind: "feature" as const, message, ...(owner === undefined ? {} : { owner }) };
    if (conductor) conductor.announce({ kind: "fault", fault });
    else notices.push(message);
  };
  return {
    notices,
    tell: announce,
    onFault: ({ message, owner }) => announce(message, owner),
    host: {
      notifyModel: (feature, text) => conductor?.notify(feature, text),
      alert: (feature, text) => conductor?.announce({ kind: "alert", text: `${feature}: ${text}` }),
      diagnostic: (feature, severity, text) => announce(`${feature}: ${severity}: ${text}`, feature),
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
