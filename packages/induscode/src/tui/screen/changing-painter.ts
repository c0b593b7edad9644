// The colours of the screen, which may change while it is shown: another theme is chosen, or the file of this one is saved.

import type { LoadedTheme, ThemeSwitch, Themes } from "../themes.ts";
import { type ColourDepth, createPainter, type Painter, THEMES } from "./theme.ts";

interface ChangingPainter extends ThemeSwitch {
  readonly painter: Painter;
  /** What was wrong with the theme that was wanted first. */
  readonly notices: readonly string[];
  readonly close: () => void;
}

interface PaintOptions {
  readonly themes: Themes;
  readonly depth: ColourDepth;
  readonly wanted: string;
  /** The screen is to be drawn anew. */
  readonly onChange: () => void;
  readonly say: (line: string) => void;
}

export function createChangingPainter({ themes, depth, wanted, ...on }: PaintOptions): ChangingPainter {
  let name = "terminal";
  let paint = createPainter(THEMES.terminal, depth);
  let unwatch: (() => void) | undefined;

  const wrongIn = (theme: string, { problems }: LoadedTheme): readonly string[] =>
    problems.map((problem) => `theme ${theme}: ${problem}`);

  /** What is wrong with it; undefined where there is none of that name, and the one before stays. */
  function take(next: string): readonly string[] | string {
    const loaded = themes.load(next);
    if (typeof loaded === "string") return loaded;
    name = next;
    paint = createPainter(loaded.theme, depth);
    unwatch?.();
    unwatch = themes.watch(next, () => {
      const again = themes.load(next);
      if (typeof again === "string") on.say(`${again} Its last colours stay.`);
      else {
        paint = createPainter(again.theme, depth);
        for (const line of wrongIn(next, again)) on.say(line);
      }
      on.onChange();
    });
    return wrongIn(next, loaded);
  }

  const first = take(wanted);
  return {
    painter: (mark) => paint(mark),
    notices: typeof first === "string" ? [first] : first,
    names: themes.names,
    current: () => name,
    choose: (next) => {
      const wrong = take(next);
      if (typeof wrong === "string") return wrong;
      on.onChange();
      const done = `The theme is ${next} now. For good: "theme": "${next}" in settings.json.`;
      return [done, ...wrong].join("\n");
    },
    close: () => unwatch?.(),
  };
}
