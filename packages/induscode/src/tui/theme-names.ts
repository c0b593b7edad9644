// The names that a person can choose in the settings. They have a file of their own because the settings need nothing else.

export const THEME_NAMES = ["terminal", "dark", "light", "high-contrast", "colour-blind"] as const;

export type ThemeName = (typeof THEME_NAMES)[number];
