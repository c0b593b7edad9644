// Which console talks with the person: the rich one if the terminal supports it and nobody asked for lines, otherwise the plain one.
// Nothing of the rich one is loaded unless it is chosen.

import { type Disposer, homeFolder } from "indusagi/core";
import { usesColour } from "../cli/colour.ts";
import type { Flags } from "../cli/flags.ts";
import type { Dialogue } from "../console/dialogue.ts";
import { createDialogue } from "../console/dialogue.ts";
import type { PlainConsoleOptions } from "../console/plain-console.ts";
import { runPlainConsole } from "../console/plain-console.ts";
import { createPlainUi } from "../console/plain-ui.ts";
import type { ThemeSwitch } from "../console/theme-switch.ts";
import type { SessionUi } from "../feature/ui.ts";
import { atUnaskedEnd } from "../session/last-words.ts";
import type { Settings } from "../settings/load-settings.ts";
import { THINKING_LEVELS } from "../settings/thinking-levels.ts";
import type { StatusFacts } from "../tui/status/status-line.ts";
import type { BackgroundFacts } from "../tui/transcript/live-rows.ts";
import type { Past } from "../tui/transcript/replay.ts";

export interface FrontRun extends Omit<PlainConsoleOptions, "dialogue" | "now" | "ui" | "contentOf"> {
  /** What a status line shows in addition to what the session reports. */
  readonly place: () => Partial<StatusFacts>;
  /** Calls the listener when a fact of the place, or its commands, changes by itself, until what it returns is called. */
  readonly onPlaceChange?: (listener: () => void) => Disposer | undefined;
  /** Switches to the next permission mode. Returns what to tell the person. */
  readonly nextMode?: () => string | Promise<string>;
  /** What works in the background, for its rows. */
  readonly background?: () => readonly BackgroundFacts[];
  /** What the session already held; the rich console shows its end again. */
  readonly past?: Past;
  /** Nobody has chosen a theme yet, and somebody is there to ask. */
  readonly asksForTheme?: boolean;
}

/** A console, before and during a session. */
export interface Front extends Pick<Dialogue, "look" | "confirm" | "ask" | "line" | "leave" | "close"> {
  readonly run: (options: FrontRun) => Promise<number>;
  /** Displays and questions of features; absent without a terminal. */
  readonly ui?: SessionUi | undefined;
  /** Shows running work while it runs. */
  readonly isRich: boolean;
  /** Shows the conversation that continues from here; absent if printed output stays as it is. */
  readonly retell?: (past: Past) => void;
  /** Absent if there are no colours to choose. */
  readonly themes?: ThemeSwitch;
  /** Writes sequences that no text may contain; absent without a terminal. */
  readonly toTerminal?: ((sequence: string) => void) | undefined;
}

export interface FrontFacts {
  readonly flags: Flags;
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  readonly isTerminal: boolean;
  readonly cwd: string;
  readonly home: string;
  /** The session goes on without this console. */
  readonly goesOn?: boolean;
  /** Masks secrets in what the console stores. */
  readonly mask: (text: string) => string;
}

/** Owns the terminal until `close`, or the end of `run`. */
export async function openFront(facts: FrontFacts): Promise<Front> {
  return wantsRich(facts) ? openRich(facts) : openPlain(facts);
}

/** Dumb terminals, pipes, and people who asked for lines or use a screen reader get the plain console. */
export function wantsRich({
  flags,
  settings,
  env,
  isTerminal,
}: Pick<FrontFacts, "flags" | "settings" | "env" | "isTerminal">): boolean {
  if (!isTerminal || flags.plain || env.TERM === "dumb" || !env.TERM) return false;
  return flags.rich === true || (settings.console ?? (env.ACCESSIBLE ? "plain" : "rich")) === "rich";
}

function openPlain({ env, isTerminal, cwd, goesOn = false }: FrontFacts): Front {
  const { stdin: input, stdout: output } = process;
  const dialogue = createDialogue({
    ...{ input, output, isTerminal, colour: usesColour(output, env) },
    leavesAtEnd: goesOn && isTerminal, // a pipe that ends has nothing more to say, and may wait for the task
  });
  const ui = createPlainUi(dialogue);
  const run: Front["run"] = (options) =>
    runPlainConsole({
      ...options,
      dialogue,
      ui,
      contentOf: async (text) => {
        const { contentOf } = await import("./mentioned-files.ts");
        return contentOf({ text, images: [] }, { cwd, personHome: homeFolder(env) });
      },
      // A copy would freeze the commands as of the start: addons come and go.
      get commands() {
        return options.commands;
      },
    });
  return {
    ...dialogue,
    isRich: false,
    run,
    ui: isTerminal ? ui : undefined,
    toTerminal: isTerminal ? toTerminal : undefined,
  };
}

async function openRich({ env, settings, cwd, home, mask }: FrontFacts): Promise<Front> {
  const [{ openConsole }, { openDesk }, { openThemes }] = await Promise.all([
    import("../tui/open-console.ts"),
    import("./editor-desk.ts"),
    import("./theme-files.ts"),
  ]);
  const { theme, reducedMotion, statusLine, vi: isVi = false } = settings;
  const desk = await openDesk({ cwd, home, personHome: homeFolder(env), env, isVi, mask });
  const tui = openConsole({
    desk,
    thinkingLevels: THINKING_LEVELS,
    input: process.stdin,
    output: process.stdout,
    env,
    themes: openThemes(home),
    theme,
    statusParts: statusLine,
    reducedMotion,
  });
  // Messages printed at the end then stay visible: nothing is drawn or erased after this.
  atUnaskedEnd(() => {
    tui.close();
    return undefined;
  });
  return { ...tui, isRich: true, toTerminal };
}

function toTerminal(sequence: string): void {
  process.stdout.write(sequence);
}
