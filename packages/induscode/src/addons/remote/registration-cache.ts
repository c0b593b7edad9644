// What trusted addons registered, by content hash: `<home>/cache/registrations/`. With it a start needs no process of an
// addon before the first event that the addon asked for. An entry that cannot be used is as good as none.

import { join } from "node:path";
import type { JsonValue } from "indusagi/core";
import { readJsonIfGood } from "../../store/json.ts";
import { replaceFile } from "../../store/replace-file.ts";
import { noteUse, removeUnused } from "../../store/unused-entries.ts";
import { checkResult } from "../protocol/check-message.ts";
import type { Registration } from "../protocol/messages.ts";

export interface RegistrationCache {
  readonly find: (key: string) => Registration | undefined;
  /** Throws the system's error when it cannot be written. */
  readonly store: (key: string, registration: Registration) => void;
}

const MAX_BYTES = 4 * 1024 * 1024;

export function createRegistrationCache({ home }: { readonly home: string }): RegistrationCache {
  const folder = join(home, "cache", "registrations");
  const nameOf = (key: string): string => `${key}.json`;
  return {
    find(key) {
      const path = join(folder, nameOf(key));
      const registration = readJsonIfGood(path, MAX_BYTES) as JsonValue | undefined;
      // Not there, or not ours: then the addon is asked.
      if (registration === undefined || checkResult("describe", registration) !== undefined) return undefined;
      noteUse(path);
      return registration as unknown as Registration;
    },
    store(key, registration) {
      replaceFile(join(folder, nameOf(key)), JSON.stringify(registration));
      removeUnused(folder, nameOf(key));
    },
  };
}
