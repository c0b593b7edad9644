// A line that is typed without being shown: a dot stands for each character.

import { clustersOf } from "./columns.ts";

const MAX_CHARACTERS = 8_192;

export interface SecretKeys {
  /** Takes typed text, without paste marks. */
  readonly feed: (keys: string) => void;
}

/** `onEnd` is called once, with the line, or undefined if the person cancelled (Ctrl+C, Ctrl+D, Esc). */
export function createSecretKeys(
  write: (text: string) => void,
  onEnd: (line: string | undefined) => void,
): SecretKeys {
  let line = "";
  let isOver = false;
  const end = (answer: string | undefined): void => {
    isOver = true;
    line = "";
    onEnd(answer);
  };
  return {
    feed(keys) {
      if (keys.startsWith("\x1b") && keys.length > 1) return; // an arrow, a function key
      for (const cluster of clustersOf(keys)) {
        if (isOver) return;
        if (cluster === "\r" || cluster === "\n" || cluster === "\r\n") end(line);
        else if (cluster === "\x03" || cluster === "\x04" || cluster === "\x1b") end(undefined);
        else if (cluster === "\x7f" || cluster === "\b") {
          const kept = clustersOf(line).slice(0, -1);
          if (line !== "") write("\b \b");
          line = kept.join("");
        } else if (cluster >= " " && line.length < MAX_CHARACTERS) {
          line += cluster;
          write("•");
        }
      }
    },
  };
}
