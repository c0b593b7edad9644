// Who is told when an addon starts and stops waiting for the host.

interface Watcher {
  serving: number;
  onChange: (isServing: boolean) => void;
}

export class ServingWatch {
  readonly #watchers = new Set<Watcher>();

  /**
   * Reports from now on when the addon starts and stops waiting for the host, counting only requests it makes after this
   * call. Returns a function that stops the reports.
   */
  watch(onChange: (isServing: boolean) => void): () => void {
    const watcher: Watcher = { serving: 0, onChange };
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
      watcher.onChange = () => undefined;
    };
  }

  /** The addon waits for this answer. */
  async during<T>(answer: Promise<T>): Promise<T> {
    const heard = [...this.#watchers];
    for (const watcher of heard) if (++watcher.serving === 1) watcher.onChange(true);
    try {
      return await answer;
    } finally {
      for (const watcher of heard) if (--watcher.serving === 0) watcher.onChange(false);
    }
  }
}
