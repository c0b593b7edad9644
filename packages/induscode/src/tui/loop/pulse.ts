// The animation clock: it runs only while something is moving.

interface Pulse {
  /** Counts up while it runs. */
  readonly frame: () => number;
  readonly set: (isRunning: boolean) => void;
}

const SPIN_MS = 100;
/** The interval with reduced motion. */
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
