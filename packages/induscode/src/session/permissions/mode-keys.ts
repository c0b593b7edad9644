// The permission modes as a person meets them: which follows which, what each means here, what a switch replies.

import { nearest } from "indusagi/core";
import type { ModeEntry } from "../../conductor/contract.ts";
import type { WayOn } from "../../deck/builtins/person-desk.ts";
import { START_MODES, type StartMode } from "../../deck/permissions/modes.ts";
import type { SessionMode } from "./session-mode.ts";
import type { SessionSandbox } from "./session-sandbox.ts";

/** The modes of a session, for its console and its commands. */
export interface ModeKeys {
  /** The mode in force. */
  readonly inForce: () => StartMode;
  /** The same, but undefined while it is not certain. */
  readonly certain: () => StartMode | undefined;
  /** Makes the mode in force certain. */
  readonly settled: () => Promise<StartMode>;
  /** Switches to the next one of the cycle. Returns what to tell the person. */
  readonly next: () => string;
  /** The reply to `/mode` with these words. */
  readonly command: (words: string) => Promise<string>;
  /** The reply to `/plan` with these words. */
  readonly plan: (words: string) => string;
  /** Those that the session may be in, each with its meaning here. */
  readonly choices: () => readonly ModeChoice[];
  /** Switches to it. Returns why the session cannot be in it; undefined if it is. */
  readonly choose: (mode: StartMode) => string | undefined;
  /** How to go on after a plan. */
  readonly waysOn: () => readonly WayOn[];
  /** Switches again, in a session that is replayed. */
  readonly replay: (change: ModeEntry) => void;
}

export interface ModeChoice {
  readonly mode: StartMode;
  readonly meaning: string;
}

const CYCLE: readonly StartMode[] = ["ask", "acceptEdits", "plan", "auto", "bypass"];

const MEANINGS: Readonly<Record<StartMode, string>> = {
  "read-only": "refuses whatever changes something",
  plan: "changes nothing until you approve a plan",
  ask: "asks before each edit and each command",
  acceptEdits: "edits need no question; commands do",
  auto: "edits pass, and so do commands in the sandbox",
  bypass: "asks about almost nothing",
};

/** `Accept edits` is meant as `acceptEdits`. */
function plainName(mode: string): string {
  return mode.toLowerCase().replace(/[\s_-]/g, "");
}

const WAYS_ON: readonly WayOn[] = [
  { label: "Yes, and accept edits", mode: "acceptEdits" },
  { label: "Yes, ask me", mode: "ask" },
];

export function createModeKeys(mode: SessionMode, sandbox: SessionSandbox | undefined): ModeKeys {
  const inForce = (): StartMode => {
    if (mode.isPlanning()) return "plan";
    return sandbox?.mode() ?? mode.own();
  };
  const isCertain = (): boolean => mode.isPlanning() || sandbox?.isCertain() !== false;

  /** In a cycle, what is no mode of its own here is left out. */
  function isInCycle(each: StartMode): boolean {
    if (mode.heldBack(each) !== undefined) return false;
    if (each !== "auto") return true;
    const known = sandbox?.known();
    return sandbox !== undefined && (known === undefined || known.level !== undefined);
  }

  function switched(): string {
    const now = inForce();
    return `permission mode ${now}: ${MEANINGS[now]}`;
  }

  function autoHere(): string {
    const level = sandbox?.known()?.level;
    if (sandbox === undefined) return "It works like acceptEdits, because the sandbox is off.";
    if (level === undefined) return "It works like acceptEdits: this machine cannot sandbox commands.";
    return level === "landlock"
      ? "Here the sandbox is Landlock, in which more commands fail than under bubblewrap."
      : "";
  }

  function row(each: StartMode): string {
    const mark = each === inForce() ? "❯" : " ";
    const why = mode.heldBack(each);
    const here = each === "auto" ? autoHere() : "";
    const means =
      why === undefined ? `${MEANINGS[each]}${here && `. ${here}`}` : `not in this session: ${why}`;
    return `${mark} ${each.padEnd(12)} ${means}`;
  }

  async function settled(): Promise<StartMode> {
    if (!isCertain()) await sandbox?.look();
    return inForce();
  }

  return {
    inForce,
    certain: () => (isCertain() ? inForce() : undefined),
    settled,
    next() {
      const modes = CYCLE.filter(isInCycle);
      const now = inForce();
      const next = modes[(modes.indexOf(now) + 1) % modes.length] ?? now;
      if (next === now || modes.length === 1)
        return `the permission mode is still ${now}: ${mode.heldBack("acceptEdits") ?? "there is no other mode in this session"}`;
      mode.set(next, "person");
      return switched();
    },
    async command(words) {
      await sandbox?.look(); // some modes mean something else without what it finds
      if (words === "")
        return [...START_MODES.map(row), "  /mode NAME switches the mode for this session."].join("\n");
      const typed = plainName(words);
      const wanted = START_MODES.find((each) => plainName(each) === typed);
      if (wanted === undefined) {
        const near =
          START_MODES.find((each) => plainName(each).startsWith(typed)) ?? nearest(words, START_MODES);
        const hint = near === undefined ? "" : ` Did you mean ${near}?`;
        return `Unknown mode ${words}.${hint} /mode lists them.`;
      }
      const why = mode.set(wanted, "person");
      if (why !== undefined) return `The permission mode is still ${inForce()}: ${why}.`;
      const here = wanted === "auto" ? autoHere() : "";
      return `${switched()}${here && `. ${here}`}`;
    },
    choices: () =>
      START_MODES.filter((each) => mode.heldBack(each) === undefined || each === inForce()).map((each) => ({
        mode: each,
        meaning: MEANINGS[each],
      })),
    choose: (wanted) => mode.set(wanted, "person"),
    plan(words) {
      if (words !== "" && words !== "off") return "Usage: /plan, or /plan off.";
      const wanted = words === "";
      if (wanted === mode.isPlanning())
        return wanted ? "Plan mode is already on; /plan off ends it." : "Plan mode is not on.";
      if (wanted) mode.set("plan", "person");
      else mode.endPlan("person");
      return wanted
        ? "Nothing is changed until you approve a plan. /plan off ends plan mode."
        : `Plan mode is off: the permission mode is ${inForce()} again.`;
    },
    waysOn() {
      const before = sandbox?.mode() ?? mode.own();
      const ways = WAYS_ON.filter((way) => mode.heldBack(way.mode) === undefined);
      if (ways.some((way) => way.mode === before)) return ways;
      return [{ label: `Yes, in the mode ${before}`, mode: mode.own() }, ...ways];
    },
    replay: (change) => void mode.set(change.mode, change.by),
  };
}
