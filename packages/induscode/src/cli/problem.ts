/** A mistake or an obstacle that the person can fix: one line on stderr, then the given exit code. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_FAULT) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const EXIT_OK = 0;
export const EXIT_FAULT = 1;
export const EXIT_USAGE = 2;
/** Something was refused because nobody could be asked, and the task was not to continue without it. */
export const EXIT_REFUSED = 3;
