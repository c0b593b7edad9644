// The clock of what moves: it runs while something does, and not a moment longer.

interface Pulse {
  /** Counts up while it runs. */
  readonly frame: () => number;
  readonly set: (isRunning: boolean) => void;
}

const SPIN_MS = 100;
/** For whom nothing should move. */
const CALM_MS = 1000;

export function createPulse({
  isStill,
  onBeat,
}: {
  readonly isStill: boolean;
  readonly onBeat: () => void;
}): Pulse {
  let frame = 0;
  let ticking: NodeJS.Timeout | undefined;
  return {
    frame: () => (isStill ? 0 : frame),
    set: (isRunning) => {
      if (!isRunning) {
        clearInterval(ticking);
        ticking = undefined;
        return;
      }
      ticking ??= setInterval(
        () => {
          frame += 1;
          onBeat();
        },
        isStill ? CALM_MS : SPIN_MS,
      );
    },
  };
}
