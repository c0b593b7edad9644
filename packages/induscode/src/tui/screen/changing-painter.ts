// The screen's colours, which can change while it is shown: another theme is chosen, or the current theme's file is saved.

import { deferred } from "indusagi/core";
import { printableLine } from "../../console/printable-line.ts";
import type { ThemeSwitch } from "../../console/theme-switch.ts";
import { AUTO, type LoadedTheme, type Themes } from "../themes.ts";
import { answeredColour, backgroundIn, backgroundOf } from "./background.ts";
import { type ColourDepth, createPainter, type Painter, THEMES } from "./theme.ts";

export interface ChangingPainter extends ThemeSwitch {
  readonly painter: Painter;
  /** From now on the terminal can be queried. */
  readonly begin: () => void;
  /** Takes any answer from the terminal. */
  readonly hear: (sequence: string) => void;
  /** Resolves when the answer has arrived, or is no longer expected. */
  readonly heard: () => Promise<void>;
  /** Whether dark or light would have to be guessed: the theme follows the background, and neither the terminal nor COLORFGBG says it. */
  readonly isGuessing: () => Promise<boolean>;
  /** Fires once the terminal has said its background, however late. */
  readonly told: AbortSignal;
  /** What was wrong with the initially requested theme. */
  readonly notices: readonly string[];
  readonly close: () => void;
}

interface PaintOptions {
  readonly themes: Themes;
  readonly depth: ColourDepth;
  readonly env: NodeJS.ProcessEnv;
  readonly wanted: string;
  /** Asks the terminal for its background colour. */
  readonly ask: () => void;
  /** The screen must be redrawn. */
  readonly onChange: () => void;
  readonly say: (line: string) => void;
}

/** Long enough for an answer over a slow connection. */
const ANSWER_MS = 300;

export function createChangingPainter(options: PaintOptions): ChangingPainter {
  const { themes, depth, env, wanted, ...on } = options;
  /** The terminal's own background colour, once it has answered. */
  let colour: string | undefined;
  let name: string = AUTO;
  let paint = createPainter(THEMES[automatic().theme], depth);
  let unwatch: (() => void) | undefined;
  let isReady = false;
  let answered = deferred<void>();
  let asking: NodeJS.Timeout | undefined;
  const told = new AbortController();

  /** The theme for the background, and why. If nothing is known, the terminal's own palette is right on both. */
  function automatic(): { readonly theme: "terminal" | "dark" | "light"; readonly why: string } {
    if (depth === 0) return { theme: "terminal", why: "the terminal shows no colours" };
    if (depth <= 16) return { theme: "terminal", why: `the terminal has only its own ${depth} colours` };
    if (colour !== undefined)
      return { theme: backgroundOf(colour), why: `the terminal reports the background ${colour}` };
    const theme = backgroundIn(env);
    if (theme !== undefined)
      return {
        theme,
        why: `COLORFGBG is ${printableLine(env.COLORFGBG ?? "", 20)}, and the terminal reports nothing`,
      };
    return { theme: "terminal", why: "the terminal does not report its background" };
  }

  function follow(): void {
    paint = createPainter(THEMES[automatic().theme], depth);
  }

  function ask(): void {
    if (!isReady || depth <= 16 || name !== AUTO) return;
    clearTimeout(asking);
    answered = deferred<void>();
    asking = setTimeout(answered.resolve, ANSWER_MS);
    on.ask();
  }

  /** Switches to a theme and returns its problems; a string says why there is no such theme, and the previous one stays. */
  function take(next: string): readonly string[] | string {
    if (next === AUTO) {
      unwatch?.();
      unwatch = undefined;
      name = next;
      follow();
      ask();
      return [];
    }
    const loaded = themes.load(next);
    if (typeof loaded === "string") return loaded;
    name = next;
    paint = createPainter(loaded.theme, depth);
    unwatch?.();
    unwatch = themes.watch(next, () => {
      const again = themes.load(next);
      if (typeof again === "string") on.say(`${again} Its last colours are kept.`);
      else {
        paint = createPainter(again.theme, depth);
        for (const line of wrongIn(next, again)) on.say(line);
      }
      on.onChange();
    });
    return wrongIn(next, loaded);
  }

  function why(): string | undefined {
    if (name !== AUTO) return undefined;
    const { theme, why } = automatic();
    return `now ${theme}: ${why}`;
  }

  async function heard(): Promise<void> {
    if (asking) await answered.promise;
  }

  const first = take(wanted);
  return {
    painter: (mark) => paint(mark),
    notices: typeof first === "string" ? [first] : first,
    begin: () => {
      isReady = true;
      ask();
    },
    hear: (sequence) => {
      const said = answeredColour(sequence);
      if (said === undefined) return;
      clearTimeout(asking);
      asking = undefined;
      answered.resolve();
      const before = automatic().theme;
      colour = said;
      told.abort();
      if (name !== AUTO || automatic().theme === before) return;
      follow();
      on.onChange();
    },
    heard,
    told: told.signal,
    isGuessing: async () => {
      await heard();
      return depth > 16 && name === AUTO && colour === undefined && backgroundIn(env) === undefined;
    },
    names: themes.names,
    current: () => name,
    why,
    choose: (next) => {
      const wrong = take(next);
      if (typeof wrong === "string") return { said: wrong, isChosen: false };
      on.onChange();
      return { said: [`The theme is now ${next}.`, ...wrong].join("\n"), isChosen: true };
    },
    close: () => {
      clearTimeout(asking);
      answered.resolve();
      unwatch?.();
    },
  };
}

function wrongIn(theme: string, { problems }: LoadedTheme): readonly string[] {
  return problems.map((problem) => `theme ${theme}: ${problem}`);
}
