// A session as its features may reach it.

import { guardedFetch, localFs } from "indusagi/capabilities";
import type { Conductor } from "../conductor/contract.ts";
import { MAX_QUOTED_BYTES, type SessionHost } from "../feature/host.ts";
import { execIn } from "./handles.ts";
import type { JoinedParts } from "./joined-parts.ts";
import { lendModel } from "./lent-model.ts";
import { notedFiles } from "./noted-files.ts";
import type { SessionFacts } from "./open-facts.ts";

export function hostHere(
  facts: SessionFacts,
  conductor: Conductor,
  parts: Pick<JoinedParts, "beforeChange" | "host">,
): SessionHost {
  const { notices, place, limits } = facts;
  const { cwd, secretEnv } = place;
  return {
    notifyModel: (feature, text) => void conductor.notify(feature, text, { maxBytes: MAX_QUOTED_BYTES }),
    alert: notices.alert,
    diagnostic: notices.diagnostic,
    fault: notices.fault,
    fs: notedFiles(localFs(), parts.beforeChange),
    root: cwd,
    get isReadOnly() {
      return limits.isReadOnly();
    },
    get isPlanning() {
      return limits.isPlanning?.() === true;
    },
    env: secretEnv,
    exec: execIn(conductor),
    fetch: limits.isOffline ? undefined : (request) => guardedFetch(request),
    sample: lendModel(facts.model, conductor),
    ui: facts.delegate ? undefined : facts.ui,
    ...parts.host(() => conductor.status().sessionId),
  };
}
