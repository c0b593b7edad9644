// A part: what a person can name (checkpoints, memory, a crew), in one folder of `parts`. It brings its subcommands, its commands, and
// what it does in a session. `boot/parts` is the table of them; nothing else lists them. What it adds to the command line is in its row
// there, a `PartRow`.

import type { OpenScope } from "indusagi/core";
import type { Entry, EntryBody } from "../conductor/contract.ts";
import type { DelegateRole } from "../deck/builtins/delegate-roles.ts";
import type { Command } from "../feature/command.ts";
import type { HostCapability } from "../feature/descriptor.ts";
import type { SessionHost } from "../feature/host.ts";
import type { FeatureModule } from "../feature/install.ts";
import type { Access } from "../feature/tool.ts";
import type { Settings } from "../settings/load-settings.ts";
import type { BringsSettings } from "../settings/setting-row.ts";

/** Every start has the table of parts, so each loads what it consists of when that is needed. */
export interface Part extends BringsSettings {
  readonly name: string;
  /** What a person can type in a console; `session/session-here` finds the session in which it was typed. */
  readonly commands?: () => Promise<readonly Command[]>;
  /** Why a session with these settings cannot offer what it serves to features; undefined if it can. */
  readonly lacks?: (settings: Settings, capability: HostCapability) => string | undefined;
  /** What it adds to the built-in features of a session there. */
  readonly features?: (place: PartPlace) => Promise<readonly FeatureModule[]>;
  /** What it does in each session of a person's, but not in those of delegates. */
  readonly inSession?: (place: SessionPlace) => Promise<JoinSession>;
}

/** Where a session is. */
export interface PartPlace {
  readonly settings: Settings;
  /** Real paths: the folder whose settings count, the product's home, and what `~` means. */
  readonly folder: string;
  readonly home: string;
  readonly personHome: string;
  /** Who can be given work there; default: nobody. */
  readonly delegates?: readonly DelegateRole[] | undefined;
  /** It is recorded or played: one thing after the other, and nothing but the session's own. */
  readonly isTape?: boolean | undefined;
}

/** Where a session works, and in which environment. */
export interface SessionPlace extends PartPlace {
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Called before the session's first line. `session/session-here` finds the session in the scope, and the part's commands find what it puts
 * there. Undefined: it does nothing in this session.
 */
export type JoinSession = (session: OpenScope) => SessionPart | undefined;

/** What a part does in a session. */
export interface SessionPart {
  /** What features reach through it, in this session and in its delegates'. `sessionId` is that of the session that they are called in. */
  readonly host?: ((sessionId: () => string) => Partial<SessionHost>) | undefined;
  /**
   * Awaited before anything touches these, by a call or by a feature, in the session or in a delegate's; what it resolves to is called
   * afterwards. Never rejects.
   */
  readonly beforeChange?: ((touched: readonly Access[]) => Promise<AfterChange>) | undefined;
  /** Around each turn; what `end` resolves to is logged. Never rejects. */
  readonly turn?:
    | { readonly begin: () => void; readonly end: () => Promise<EntryBody | undefined> }
    | undefined;
  /**
   * The session's log holds these entries now: at the start and after each resume, fork and jump; none when it is new. Whatever was
   * learnt from earlier ones no longer applies.
   */
  readonly entered?: ((entries: readonly Entry[]) => void) | undefined;
  /** What the model needs to read again after a summary, which took it out of view; a notice each. */
  readonly afterSummary?: (() => readonly string[]) | undefined;
  /** The session takes no more lines: whatever works for it ends, while that can still be logged. Never rejects. */
  readonly stop?: (() => Promise<void>) | undefined;
  /** The session has had its last turn. */
  readonly close?: (() => void | Promise<void>) | undefined;
}

/** `runsOn` tells whether something that the action started is still running. */
export type AfterChange = (runsOn?: () => boolean) => void;
