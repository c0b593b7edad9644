// What handlers may take and add, and what that comes to together. By themselves, so that the reference page can be made from
// them. What an addon says of itself may shorten a limit and never lengthens it.

/** How long one handler may take: ten times what a careful one needs, and too short for a person to think the session died. */
export const DEFAULT_DEADLINE_MS = 5_000;
/** How many of these deadlines all handlers of one addon may take together at one event, or around one call. */
export const DEADLINES_AT_ONE_EVENT = 2;
/**
 * How many all addons may take together in one tool call, with everything that is dispatched for it, or at any other event.
 * Half of that is common; of the other half each addon has an equal part that nobody else can use up.
 */
export const DEADLINES_IN_ONE_CALL = 12;
/** How many all addons may take together at the end of a session, where a person waits for the prompt of their shell. */
export const DEADLINES_AT_THE_END = 1;
/** How long a task may take to end, whatever it asks for, in milliseconds. All tasks end side by side. */
export const MAX_GRACE_MS = 5_000;

/**
 * What one feature may add in one turn by what it returns, in bytes of JSON: about a quarter of a context window of
 * 200,000 tokens.
 */
export const MAX_GROWTH_BYTES: number = 256 * 1024;
