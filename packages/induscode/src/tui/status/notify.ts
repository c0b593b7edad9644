// The window's title, and a word to somebody who looks elsewhere.

import { printableLine } from "../../console/printable-line.ts";

const MAX_TEXT = 120;

/** Keeps the title that there was, to be put back with {@link TITLE_BACK}. */
export const TITLE_KEEP = "\x1b[22;2t";
export const TITLE_BACK = "\x1b[23;2t";

/** Sets the title. Any text is made harmless. */
export function titleSequence(title: string): string {
  return `\x1b]2;${harmless(title)}\x07`;
}

/** A notification (OSC 9, and OSC 777 for the terminals that know that one alone), and the bell. */
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
