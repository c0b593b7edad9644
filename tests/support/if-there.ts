/** Does something to a process, which may have ended between the look and the act. */
export function ifThere(act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
