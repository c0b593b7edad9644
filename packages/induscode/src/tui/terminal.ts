// The terminal as the console has it: the picture on it, its colours and modes, its title, and the clock of what moves.

import { createPulse } from "./loop/pulse.ts";
import { ASK_BACKGROUND } from "./screen/background.ts";
import { type ChangingPainter, createChangingPainter } from "./screen/changing-painter.ts";
import { type TerminalInput, type TerminalModes, takeTerminal } from "./screen/modes.ts";
import { createStage, type Stage, type StageOptions } from "./screen/stage.ts";
import { colourDepth } from "./screen/theme.ts";
import { type Attention, createAttention, type TitleState } from "./status/attention.ts";
import { AUTO, type Themes } from "./themes.ts";

interface TerminalOptions extends StageOptions {
  readonly input: TerminalInput;
  readonly env: NodeJS.ProcessEnv;
  readonly themes: Themes;
  readonly theme: string | undefined;
  /** No animation: a beat comes only once a second. */
  readonly isStill: boolean;
  /** Whether something else is on it instead of the picture. */
  readonly isPaging: () => boolean;
  /** Something is to be said about the theme. */
  readonly say: (line: string) => void;
  /** Called regularly while a task is running. */
  readonly onBeat: () => void;
  /** Others get it now. */
  readonly onLeave: () => void;
  /** It is back, with whatever others wrote on it. */
  readonly onReturn: () => void;
  /** The process ends: the last chance to write something. */
  readonly onExit: () => void;
}

interface Terminal extends Pick<Attention, "place" | "notify" | "setFocus"> {
  readonly stage: Stage;
  readonly colours: ChangingPainter;
  /** Draws what is on the screen anew, unless something else is on it. */
  readonly repaint: () => void;
  readonly modes: TerminalModes;
  /** The animation frame. */
  readonly frame: () => number;
  /** What the title and the animation say. */
  readonly show: (state: TitleState) => void;
  /** Removes the live region, and restores everything. */
  readonly close: () => void;
}

/** Takes the terminal until `close`. */
export function openTerminal(options: TerminalOptions): Terminal {
  const { input, env, themes, theme, isStill, onBeat, onLeave, onReturn, onExit } = options;
  let isClosed = false;
  const stage = createStage(options);
  function repaint(): void {
    if (!isClosed && !options.isPaging()) stage.repaint();
  }
  const colours = createChangingPainter({
    themes,
    depth: colourDepth(env),
    env,
    wanted: theme ?? AUTO,
    ask: () => stage.send(ASK_BACKGROUND),
    onChange: repaint,
    say: options.say,
  });
  const modes = takeTerminal({
    input,
    write: stage.send,
    onLeave: () => {
      onLeave();
      stage.pause();
    },
    onExit,
    onReturn: () => {
      onReturn();
      stage.resume();
    },
  });
  const { place, notify, setFocus, ...title } = createAttention(stage.send, env);
  const pulse = createPulse({ isStill, onBeat });
  return {
    stage,
    colours,
    repaint,
    modes,
    place,
    notify,
    setFocus,
    frame: pulse.frame,
    show: (state) => {
      pulse.set(state === "working");
      title.show(state);
    },
    close: () => {
      isClosed = true;
      pulse.set(false);
      colours.close();
      stage.close();
      title.close();
      modes.restore();
    },
  };
}
