// One AbortSignal is passed from a submit to gateway, tool and process. These helpers wait on a signal without leaking
// listeners.

import { isErrorOf } from "./copies.ts";

/** Thrown when a wait ends because its signal fired. Fences turn it into a cancelled outcome. */
export class Aborted extends Error {
  override readonly name = "Aborted";
  constructor(message = "Cancelled.") {
    super(message);
  }

  static override [Symbol.hasInstance](error: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: `this` is the class that was asked about, which may extend this one
    return isErrorOf(this, Aborted, "Aborted", error);
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
