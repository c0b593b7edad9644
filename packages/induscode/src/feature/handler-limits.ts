// What handlers may take and add, and the limits for all together. In a file of their own, so that the reference page can be
// generated from them. An addon's own declarations can shorten a limit but never lengthen it.

/** How long one handler may take: ten times what a careful one needs, and too short for a person to think the session died. */
export const DEFAULT_DEADLINE_MS = 5_000;
/** How many of these deadlines all handlers of one addon may take together at one event, or around one call. */
export const DEADLINES_AT_ONE_EVENT = 2;
/**
 * How many all addons may take together in one tool call, with everything dispatched for it, or at any other event. Half is
 * shared; the other half is split equally among the addons, and no addon can use up another's part.
 */
export const DEADLINES_IN_ONE_CALL = 12;
/** How many all addons may take together at the end of a session, where a person is waiting for their shell prompt. */
export const DEADLINES_AT_THE_END = 1;
/** How long a task may take to end, whatever it requests, in milliseconds. All tasks end in parallel. */
export const MAX_GRACE_MS = 5_000;

/**
 * How much one feature's return values may add in one turn, in bytes of JSON: about a quarter of a context window of 200,000
 * tokens.
 */
export const MAX_GROWTH_BYTES: number = 256 * 1024;
