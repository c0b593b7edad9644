/**
 * A failure as a value: reported to one sink, never thrown upward. `kind` is closed per folder, `owner` names
 * whose fault it is (a provider, an addon, a tool), `message` is for people and never holds a secret.
 */
export interface Fault<Kind extends string = string> {
  readonly kind: Kind;
  readonly message: string;
  readonly owner?: string;
  readonly cause?: unknown;
}

/** What `error` says, in one line, whatever was thrown. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return typeof error === "string" ? error : `a thrown ${error === null ? "null" : typeof error}`;
}

/** The `code` of a Node system error (`ENOENT`, `ECONNREFUSED`, …), or undefined. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
