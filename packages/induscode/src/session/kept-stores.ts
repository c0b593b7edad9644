// What outlasts a session, as one session uses it: the name it is written under, and when the model is shown it.

import type { SecretMask } from "indusagi/core";
import type { Conductor, Entry } from "../conductor/contract.ts";
import { clampedLine } from "../feature/host.ts";
import type { MemoryStore } from "../feature/memory-service.ts";
import type { WorkItems } from "../feature/work-items-service.ts";
import { type MemoryFiles, memoryNotice, openMemory } from "./memory.ts";
import type { SessionNotices } from "./notices.ts";
import { openWorkItems } from "./work-items.ts";

export interface KeptFiles {
  /** The board of the folder's work items. */
  readonly workItems: string;
  /** Absent when memory is off. */
  readonly memory?: MemoryFiles;
  /** Something is remembered, so the model is to be shown it. */
  readonly isShown?: boolean;
}

interface KeptStoresDeps {
  readonly conductor: Pick<Conductor, "notify" | "status" | "subscribe">;
  readonly notices: Pick<SessionNotices, "tell" | "alert">;
  readonly secrets: Pick<SecretMask, "text" | "value">;
}

/** The stores, for a feature. */
export interface KeptStores {
  readonly workItems: (feature: string) => WorkItems;
  readonly memory: (feature: string) => MemoryStore;
  /** Shows the model what is remembered unless the view of these entries contains it, and again once it is out of view. */
  readonly followMemory: (entries: readonly Entry[]) => void;
  readonly showMemory: () => void;
}

const ORIGIN = "builtin:memory";
const MAX_SHOWN_BYTES: number = 8 * 1024;

export function openStores(files: KeptFiles, { conductor, notices, secrets }: KeptStoresDeps): KeptStores {
  const { memory } = files;
  let items: ReturnType<typeof openWorkItems> | undefined;
  const show = (seen?: string, isAgain = false): void => {
    const text = memory && files.isShown ? memoryNotice(memory, notices.tell) : undefined;
    if (text === undefined || secrets.text(text) === seen) return;
    conductor.notify(ORIGIN, secrets.text(text), {
      maxBytes: MAX_SHOWN_BYTES,
      isAgain: isAgain || undefined,
    });
  };
  return {
    // Built-ins act for the session; an addon acts for itself.
    workItems(feature) {
      items ??= openWorkItems(files.workItems, secrets);
      return items(isBuiltIn(feature) ? `session ${conductor.status().sessionId}` : feature);
    },
    memory(feature) {
      if (!memory) throw new Error("memory is not available here");
      const store = openMemory(memory, secrets)(isBuiltIn(feature) ? undefined : feature);
      if (isBuiltIn(feature)) return store;
      const told = async (work: Promise<void>, what: string): Promise<void> => {
        await work;
        notices.alert(feature, clampedLine(what.replace(/\s+/gu, " ")));
      };
      return {
        search: store.search,
        add: (text, scope) =>
          told(store.add(text, scope), `added to memory: ${JSON.stringify(text)} (/memory)`),
        replace: (old, text, scope) =>
          told(store.replace(old, text, scope), `changed in memory: ${JSON.stringify(text)} (/memory)`),
      };
    },
    showMemory: () => show(),
    followMemory(entries) {
      show(inView(entries));
      conductor.subscribe(
        (event) => {
          if (event.kind !== "entry") return;
          if (event.entry.type === "summary") show(undefined, true);
          if (event.entry.type === "clear") show();
        },
        { pieces: false },
      );
    },
  };
}

function isBuiltIn(feature: string): boolean {
  return feature.startsWith("builtin:");
}

function inView(entries: readonly Entry[]): string | undefined {
  const last = entries.findLast(
    (entry) =>
      entry.type === "summary" ||
      entry.type === "clear" ||
      (entry.type === "notice" && entry.origin === ORIGIN),
  );
  return last?.type === "notice" ? last.text : undefined;
}
