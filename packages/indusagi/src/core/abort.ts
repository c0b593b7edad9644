// One AbortSignal is passed from a submit to gateway, tool and process. These helpers wait on a signal without leaking
// listeners.

/** Thrown when a wait ends because its signal fired. Fences turn it into a cancelled outcome. */
export class Aborted extends Error {
  override readonly name = "Aborted";
  constructor(message = "Cancelled.") {
    super(message);
  }

  /** By its name: a program's copy of this module and the one that is bundled into `induscode/sdk` mean the same. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class that was asked about, which may extend this one
    if (this !== Aborted) return super[Symbol.hasInstance](error);
    return error instanceof Error && error.name === "Aborted";
  }
}

/** Settles like `work`, or rejects with {@link Aborted} as soon as `signal` fires; `work` itself is not stopped. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => undefined); // nobody reads its result any more
    return Promise.reject(new Aborted());
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(new Aborted());
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** Waits `ms` milliseconds; rejects with {@link Aborted} as soon as `signal` fires. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(new Aborted());
  return new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(new Aborted());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
