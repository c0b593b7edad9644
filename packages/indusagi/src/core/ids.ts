import { nowMs } from "./clock.ts";

// Crockford base 32: no letters that look like digits, so that an id can be typed from a screen.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 9; // 45 bits of milliseconds: enough until the year 3084

let lastTime = 0;

/**
 * A new identifier `<prefix>_<time><random>`, unique across processes and sortable by creation time within one process (if the
 * clock steps backwards, the last time is reused).
 */
export function createId(prefix: string): string {
  lastTime = Math.max(lastTime + 1, nowMs());
  let time = lastTime;
  let encoded = "";
  for (let i = 0; i < TIME_CHARS; i++) {
    encoded = ALPHABET[time % 32] + encoded;
    time = Math.floor(time / 32);
  }
  let random = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(8))) random += ALPHABET[byte % 32];
  return `${prefix}_${encoded}${random}`;
}
