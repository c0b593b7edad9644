// What handlers may take and add. By themselves, so that the reference page can be made from them.

/** How long one handler may take: ten times what a careful one needs, and too short for a person to think the session died. */
export const DEFAULT_DEADLINE_MS = 5_000;

/**
 * What one feature may add in one turn by what it returns, in bytes of JSON: about a quarter of a context window of
 * 200,000 tokens.
 */
export const MAX_GROWTH_BYTES: number = 256 * 1024;
