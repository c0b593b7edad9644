// The window's title, and notifications for somebody who is looking elsewhere.

import { printableLine } from "../../console/printable-line.ts";

const MAX_TEXT = 120;

/** Saves the current title, to be restored with {@link TITLE_BACK}. */
export const TITLE_KEEP = "\x1b[22;2t";
export const TITLE_BACK = "\x1b[23;2t";

/** Sets the title. Any text is made harmless. */
export function titleSequence(title: string): string {
  return `\x1b]2;${harmless(title)}\x07`;
}

/** A notification (OSC 9, or OSC 777 for terminals that know only that), and the bell. */
export function notifySequence(text: string, env: NodeJS.ProcessEnv): string {
  const said = harmless(text);
  const knows777 =
    /rxvt|foot/.test(env.TERM ?? "") || env.TERM_PROGRAM === "ghostty" || env.VTE_VERSION !== undefined;
  return knows777 ? `\x1b]777;notify;indus;${said.replaceAll(";", ",")}\x07\x07` : `\x1b]9;${said}\x07\x07`;
}

// `4;` at the beginning of OSC 9 is a progress bar in some terminals.
function harmless(text: string): string {
  const shown = printableLine(text, MAX_TEXT);
  return /^\d/.test(shown) ? ` ${shown}` : shown;
}
