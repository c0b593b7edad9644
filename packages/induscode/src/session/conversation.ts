// The contexts of one conversation: the same identity and read state, a fresh signal for each dispatch.

import {
  bashShell,
  type Fs,
  localShell,
  makeLocalContext,
  type ReadStateRecord,
  type ToolContext,
} from "indusagi/capabilities";
import type { SessionScope } from "indusagi/core";

export interface ConversationFacts {
  readonly cwd: string;
  /** What `~` means; default: the home folder in the process's environment. */
  readonly personHome?: string;
  /** Its commands' environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that none of its commands get. */
  readonly withhold: readonly string[];
  /** Whether a value is, or contains, a known secret: they do not get it either. */
  readonly holdsSecret?: (value: string) => boolean;
  /** Default: this machine's. */
  readonly files?: Fs | undefined;
  /** The session it belongs to. */
  readonly scope?: SessionScope;
}

export interface Conversation {
  readonly contextId: number;
  readonly context: (signal: AbortSignal) => ToolContext;
  /** The files it has seen. */
  readonly seen: () => Iterable<readonly [path: string, record: ReadStateRecord]>;
  /** Replaces the files it has seen with these. */
  readonly recall: (files: Iterable<readonly [path: string, record: ReadStateRecord]>) => void;
}

export function createConversation({
  cwd,
  personHome,
  env,
  withhold,
  holdsSecret,
  files,
  scope,
}: ConversationFacts): Conversation {
  const seen = new Map<string, ReadStateRecord>();
  const readState = {
    get: (path: string) => seen.get(path),
    set: (path: string, record: ReadStateRecord) => void seen.set(path, record),
    has: (path: string) => seen.has(path),
  };
  const base = makeLocalContext(cwd, {
    home: personHome,
    fs: files,
    framework: { readState, session: scope },
    shell: localShell({ env, withhold, holdsSecret, shell: bashShell() }),
  });
  return {
    contextId: base.contextId,
    context: (signal) => ({ ...base, signal }),
    seen: () => seen,
    recall(files) {
      seen.clear();
      for (const [path, record] of files) seen.set(path, record);
    },
  };
}
