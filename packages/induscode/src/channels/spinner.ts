/** A sign of life on a terminal that leaves nothing on the screen. */
export interface Spinner {
  /** Hides the spinner while `print` runs. */
  readonly around: (print: () => void) => void;
  readonly stop: () => void;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const FRAME_MS = 100;
const CLEAR = "\r\x1b[K";

/** Spins and shows the seconds since the start until it is stopped; has the only timer. */
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
