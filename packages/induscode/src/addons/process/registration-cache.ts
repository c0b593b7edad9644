// What trusted addons registered, by content hash: `<home>/cache/registrations/`. With it a start needs no process of an
// addon before the first event that the addon asked for. An unusable entry counts as missing.

import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describeError, type JsonValue, nowMs } from "indusagi/core";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { readJsonIfGood } from "../../store/json.ts";
import { replaceFile } from "../../store/replace-file.ts";
import { noteUse, removeUnused } from "../../store/unused-entries.ts";
import { checkResult } from "./protocol/check-message.ts";
import { PROTOCOL_VERSION, type Registration } from "./protocol/messages.ts";

export interface RegistrationCache {
  /** `maxAgeMs`: what was stored earlier counts as missing. */
  readonly find: (key: string, maxAgeMs?: number) => Registration | undefined;
  /** Throws the system's error if it cannot be written. */
  readonly store: (key: string, registration: Registration) => void;
}

/** The key of what an addon with these files registers. */
export function registrationKey(contentHash: string): string {
  return `${contentHash}-${PROTOCOL_VERSION}`;
}

/** The key of why an addon with these files did not start. */
export function failureKey(contentHash: string): string {
  return `${registrationKey(contentHash)}-failed`;
}

/** Why something that the addon can do without could not be stored in the home folder; undefined if it was. */
export function tryToStore(store: () => void): string | undefined {
  try {
    store();
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

export function createRegistrationCache({ home }: { readonly home: string }): RegistrationCache {
  return {
    find(key, maxAgeMs) {
      const path = homePath(home, "registration", key);
      if (maxAgeMs !== undefined && isOlder(path, maxAgeMs)) return undefined;
      const registration = readJsonIfGood(path, HOME_FILES.registration.maxBytes) as JsonValue | undefined;
      // Missing, or not ours: then the addon is asked.
      if (registration === undefined || checkResult("describe", registration) !== undefined) return undefined;
      noteUse(path);
      return registration as unknown as Registration;
    },
    store(key, registration) {
      const path = homePath(home, "registration", key);
      replaceFile(path, JSON.stringify(registration));
      removeUnused(dirname(path), basename(path));
    },
  };
}

function isOlder(path: string, maxAgeMs: number): boolean {
  const info = statSync(path, { throwIfNoEntry: false });
  return info === undefined || nowMs() - info.mtimeMs > maxAgeMs;
}
