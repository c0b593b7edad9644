// When the screen is drawn: immediately after a key, at most twenty times a second for streaming output, and never while
// nothing changes.

import { createRenderer, type Frame } from "./renderer.ts";

export interface Output {
  readonly columns?: number;
  readonly rows?: number;
  readonly write: (text: string) => unknown;
  readonly on: (event: "resize" | "error", listener: () => void) => unknown;
  readonly off: (event: "resize" | "error", listener: () => void) => unknown;
}

export interface StageOptions {
  readonly output: Output;
  /** What is visible; rows at most `columns` wide, at most `rows` live ones. */
  readonly compose: (columns: number, rows: number) => Frame;
  /** The last `count` settled rows, laid out for `columns`, and more if some were never composed. */
  readonly again: (columns: number, count: number) => readonly string[];
  /** The window was resized while the stage was paused. */
  readonly onResizeMeanwhile: () => void;
  /** Nobody sees the screen any more. */
  readonly onGone: () => void;
}

export interface Stage {
  readonly columns: () => number;
  readonly rows: () => number;
  /** How many settled rows are visible. */
  readonly seen: () => number;
  /** Draws soon. */
  readonly change: () => void;
  /** Draws now. */
  readonly draw: () => void;
  /** Redraws the whole screen, whatever is on it. */
  readonly redraw: () => void;
  /** Redraws what it has drawn, and keeps what was above that before it began. */
  readonly repaint: () => void;
  /** Removes the live region from the screen; nothing is drawn until {@link Stage.resume}. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Sends something that is not part of the picture: a title, a bell. */
  readonly send: (sequence: string) => void;
  readonly close: () => void;
}

const FRAME_MS = 50;
/** Resizing a window by dragging sends many sizes. */
const RESIZE_MS = 60;
const MIN_COLUMNS = 4;

export function createStage({ output, compose, again, onResizeMeanwhile, onGone }: StageOptions): Stage {
  let isGone = false;
  let isPaused = false;
  /** Resized while paused. */
  let wasResized = false;
  let timer: NodeJS.Timeout | undefined;
  let resizing: NodeJS.Timeout | undefined;
  let lastMs = 0;
  /** Roughly how many rows the live region will have. */
  let lastLive = 0;
  const write = (text: string): void => {
    if (!isGone) output.write(text);
  };
  const renderer = createRenderer(write);
  const columns = (): number => Math.max(MIN_COLUMNS, output.columns || 80);
  const rows = (): number => Math.max(4, output.rows || 24);

  /** Settled rows on the screen; an upper bound if somebody else wrote on it or it was resized. */
  let above = 0;
  /** Neither has happened: the rows above the live region are ours. */
  let isOwn = true;
  const seen = (): number => Math.max(0, Math.min(above, rows() - lastLive));

  function draw(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isPaused || isGone || resizing) return;
    lastMs = performance.now();
    const frame = compose(columns(), rows());
    lastLive = frame.live.length;
    above = Math.min(above + frame.settled.length, rows() - lastLive);
    renderer.draw(frame);
  }

  function change(): void {
    if (timer || isPaused || isGone || resizing) return;
    const wait = FRAME_MS - (performance.now() - lastMs);
    timer = setTimeout(draw, Math.max(1, wait));
  }

  function redraw(): void {
    isOwn = false;
    repaint();
  }

  function repaint(): void {
    clearTimeout(resizing);
    resizing = undefined;
    if (isGone) return;
    if (isPaused) {
      wasResized = true;
      onResizeMeanwhile();
      return;
    }
    clearTimeout(timer);
    timer = undefined;
    lastMs = performance.now();
    const settled = again(columns(), seen());
    renderer.restart(isOwn ? seen() : undefined);
    isOwn = true;
    const { live, cursor } = compose(columns(), rows());
    renderer.draw({ settled, live, cursor });
    lastLive = live.length;
    above = Math.min(settled.length, rows() - lastLive);
  }

  const onResize = (): void => {
    clearTimeout(resizing);
    above = Number.POSITIVE_INFINITY;
    isOwn = false;
    resizing = setTimeout(redraw, RESIZE_MS);
  };
  const onError = (): void => {
    if (isGone) return;
    isGone = true;
    onGone();
  };
  output.on("resize", onResize);
  output.on("error", onError);
  return {
    columns,
    rows,
    seen,
    change,
    draw,
    redraw,
    repaint,
    pause: () => {
      clearTimeout(timer);
      timer = undefined;
      if (!isPaused) renderer.erase();
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      isOwn = false;
      renderer.forget();
      // Rows that settled meanwhile are written completely either way.
      if (wasResized) redraw();
      else draw();
      wasResized = false;
    },
    send: write,
    close: () => {
      clearTimeout(timer);
      clearTimeout(resizing);
      output.off("resize", onResize);
      if (!isPaused) renderer.erase();
      isPaused = true;
    },
  };
}
