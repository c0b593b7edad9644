/** Undoes one registration; calling it again does nothing. */
export type Disposer = () => void;

/** A disposer that runs `undo` once, however often it is called. */
export function createDisposer(undo: () => void): Disposer {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    undo();
  };
}

/** Listeners in registration order. A listener that throws does not stop the others from being called. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(listener: (event: Event) => void): Disposer {
    this.#listeners.add(listener);
    return createDisposer(() => this.#listeners.delete(listener));
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
