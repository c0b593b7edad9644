// What memory does in a session: it shows the model what is remembered, and lets features change it.

import type { JoinSession, PartPlace } from "../../cli/part.ts";
import { sessionIn } from "../../session/session-here.ts";
import { isRemembered, keptMemory, MEMORY_FILES } from "./kept-memory.ts";

export async function joinWithMemory(place: PartPlace): Promise<JoinSession> {
  const files = keptMemory(place);
  if (!files) return () => undefined;
  const shown = isRemembered(place) ? await import("./shown-memory.ts") : undefined;
  return (scope) => {
    const here = sessionIn(scope);
    scope.put(MEMORY_FILES, files);
    return {
      host: () => ({
        memory: async (feature) => (await import("./feature-memory.ts")).memoryOf(feature, files, here),
      }),
      entered: shown?.showMemory(files, here),
    };
  };
}
