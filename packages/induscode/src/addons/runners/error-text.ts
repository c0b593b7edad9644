// Errors of foreign code as texts. They may be anything, so nothing here trusts them.

const MAX_CHARACTERS = 4_000;

/** What an error says, bounded. Never throws. */
export function errorText(error: unknown): string {
  try {
    if (error instanceof Error) return bounded(String(error.message || error.name));
    return typeof error === "string" ? bounded(error) : `a thrown ${error === null ? "null" : typeof error}`;
  } catch {
    return "an error that cannot be described";
  }
}

/** Where it was thrown, bounded; undefined where it does not say. Never throws. */
export function stackOf(error: unknown): string | undefined {
  try {
    const stack = error instanceof Error ? error.stack : undefined;
    return typeof stack === "string" ? bounded(stack) : undefined;
  } catch {
    return undefined;
  }
}

function bounded(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)} …`;
}
