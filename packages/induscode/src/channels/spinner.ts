/** A sign of life on a terminal. Nothing of it stays on the screen. */
export interface Spinner {
  /** Takes the spinner off for as long as `print` runs. */
  readonly around: (print: () => void) => void;
  readonly stop: () => void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const FRAME_MS = 100;
const CLEAR = "\r\x1b[K";

/** Turns, with the seconds since now, until it is stopped: its timer is the only one. */
export function startSpinner(write: (text: string) => void): Spinner {
  let frames = 0;
  const draw = (): void => {
    write(`${CLEAR}${FRAMES[frames % FRAMES.length]} working… ${Math.floor((frames * FRAME_MS) / 1000)} s`);
  };
  draw();
  const timer = setInterval(() => {
    frames += 1;
    draw();
  }, FRAME_MS);
  return {
    around: (print) => {
      write(CLEAR);
      print();
      draw();
    },
    stop: () => {
      clearInterval(timer);
      write(CLEAR);
    },
  };
}
