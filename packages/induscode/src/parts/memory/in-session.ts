// What memory does in a session: it shows the model what is remembered, again once that is out of view, and lets features change it.

import type { JoinSession, PartPlace } from "../../cli/part.ts";
import type { Entry } from "../../conductor/contract.ts";
import { isBuiltIn } from "../../feature/descriptor.ts";
import { clampedLine } from "../../feature/host.ts";
import type { MemoryStore } from "../../feature/memory-service.ts";
import { type SessionHere, sessionIn } from "../../session/session-here.ts";
import { isRemembered, keptMemory, MEMORY_FILES } from "./kept-memory.ts";
import type { MemoryFiles } from "./memory.ts";

const ORIGIN = "builtin:memory";
const MAX_SHOWN_BYTES: number = 8 * 1024;

export async function joinWithMemory(place: PartPlace): Promise<JoinSession> {
  const files = keptMemory(place);
  if (!files) return () => undefined;
  const notice = isRemembered(place) ? (await import("./memory.ts")).memoryNotice : () => undefined;
  return (scope) => {
    const here = sessionIn(scope);
    const { conductor, notices, secrets } = here;
    scope.put(MEMORY_FILES, files);
    const show = (seen?: string, isAgain?: true): void => {
      const text = notice(files, notices.tell);
      if (text === undefined || secrets.text(text) === seen) return;
      conductor.notify(ORIGIN, secrets.text(text), { maxBytes: MAX_SHOWN_BYTES, isAgain });
    };
    conductor.subscribe(
      (event) => {
        if (event.kind !== "entry") return;
        if (event.entry.type === "summary") show(undefined, true);
        if (event.entry.type === "clear") show();
      },
      { pieces: false },
    );
    return {
      host: () => ({ memory: (feature) => storeFor(feature, files, here) }),
      entered: (entries) => show(inView(entries)),
    };
  };
}

/** Built-ins act for the session; of what an addon changes, the person is told. */
async function storeFor(
  feature: string,
  files: MemoryFiles,
  { secrets, notices }: Pick<SessionHere, "secrets" | "notices">,
): Promise<MemoryStore> {
  const { openMemory } = await import("./memory.ts");
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

/** What the view of these entries shows of it. */
function inView(entries: readonly Entry[]): string | undefined {
  const last = entries.findLast(
    (entry) =>
      entry.type === "summary" ||
      entry.type === "clear" ||
      (entry.type === "notice" && entry.origin === ORIGIN),
  );
  return last?.type === "notice" ? last.text : undefined;
}
