/** What usage can be summed up by. */
export const USAGE_KEYS = ["day", "folder", "model", "addon"] as const;

export type UsageKey = (typeof USAGE_KEYS)[number];
