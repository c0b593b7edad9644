/** What usage can be summed up by. */
export const USAGE_KEYS = ["day", "folder", "model", "addon"] as const;

export type UsageKey = (typeof USAGE_KEYS)[number];

/** Where a person writes the prices of models. */
export const PRICES = "~/.indus/models.json";
