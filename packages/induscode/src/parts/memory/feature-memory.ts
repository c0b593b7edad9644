// What is remembered, as a feature finds and changes it in a session.

import { isBuiltIn } from "../../feature/descriptor.ts";
import { clampedLine } from "../../feature/host.ts";
import type { MemoryStore } from "../../feature/memory-service.ts";
import type { SessionHere } from "../../session/session-here.ts";
import { type MemoryFiles, openMemory } from "./memory.ts";

/** Built-ins act for the session; of what an addon changes, the person is told. */
export function memoryOf(
  feature: string,
  files: MemoryFiles,
  { secrets, notices }: Pick<SessionHere, "secrets" | "notices">,
): MemoryStore {
  const store = openMemory(files, secrets)(isBuiltIn(feature) ? undefined : feature);
  if (isBuiltIn(feature)) return store;
  const told = async (work: Promise<void>, what: string): Promise<void> => {
    await work;
    notices.alert(feature, clampedLine(what.replace(/\s+/gu, " ")));
  };
  return {
    search: store.search,
    add: (text, scope) => told(store.add(text, scope), `added to memory: ${JSON.stringify(text)} (/memory)`),
    replace: (old, text, scope) =>
      told(store.replace(old, text, scope), `changed in memory: ${JSON.stringify(text)} (/memory)`),
  };
}
