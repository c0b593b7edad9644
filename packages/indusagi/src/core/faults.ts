import { clamp } from "./clamp.ts";

/**
 * A failure as a value: reported to one sink, never thrown upward. `kind` is a closed set per folder, `owner` names who is at
 * fault (a provider, an addon, a tool), `message` is for people and never holds a secret.
 */
export interface Fault<Kind extends string = string> {
  readonly kind: Kind;
  readonly message: string;
  readonly owner?: string;
  readonly cause?: unknown;
}

// An error's text goes into reports, the log and the model's context, and nothing after this limits its length again.
const MAX_ERROR_BYTES = 4096;

/** The text of `error`, whatever was thrown: at most 4 KiB, plus a notice if it was cut. Never throws. */
export function describeError(error: unknown): string {
  try {
    const notice = (bytes: number): string => ` … ${bytes} bytes omitted … `;
    return clamp(textOf(error), { kind: "middle", maxBytes: MAX_ERROR_BYTES, notice });
  } catch {
    return "an error that cannot be described"; // third-party code can throw anything: a throwing getter, a proxy, a broken `toString`
  }
}

function textOf(error: unknown): string {
  if (error instanceof Error) return String(error.message || error.name);
  return typeof error === "string" ? error : `a thrown ${error === null ? "null" : typeof error}`;
}

/** The `code` of a Node system error (`ENOENT`, `ECONNREFUSED`, …), or undefined. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
