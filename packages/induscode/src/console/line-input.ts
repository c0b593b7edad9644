// The input side of the console: lines from a terminal, with editing and a history, or from a pipe. On a terminal it
// also owns the prompt and the text typed after it.

import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createPasteFilter, PASTE_OFF, PASTE_ON, unmarkLineBreaks } from "./paste.ts";
import { createSecretKeys, type SecretKeys } from "./secret-keys.ts";

/** A source of lines. Without a terminal there is no prompt, and the prompt's methods do nothing. */
export interface LineInput {
  /** Puts a prompt on the current row; lines are typed after it. */
  readonly show: (prompt: string) => void;
  /** Removes prompt and typed text from the screen; returns the text. */
  readonly take: () => string;
  /** Inserts `text` as if the person had typed it. */
  readonly put: (text: string) => void;
  /** The text typed so far. */
  readonly typed: () => string;
  /** Keeps the last line out of the history: it answered a question. */
  readonly forget: () => void;
  /**
   * From now on keys are not shown, and reach `onEnd` as a line; undefined if the person cancelled. `onSecretKey` is called before
   * each. Returns how to stop it.
   */
  readonly readSecret: (onEnd: (line: string | undefined) => void, onSecretKey: () => void) => () => void;
  /** Pauses or resumes a pipe, so that a long one is not read into memory; a terminal always flows. */
  readonly flow: (on: boolean) => void;
  /** Restores the terminal. */
  readonly close: () => void;
}

export interface LineInputOptions {
  readonly input: NodeJS.ReadableStream & { readonly setRawMode?: (on: boolean) => unknown };
  readonly output: NodeJS.WritableStream;
  readonly onLine: (line: string) => void;
  /** Ctrl+C on a terminal. */
  readonly onInterrupt: () => void;
  /** Ctrl+D on an empty line, or the end of the pipe. */
  readonly onEnd: () => void;
  /** Called before keys reach the line; false drops them. */
  readonly accepts: (keys: string) => boolean;
  /** Called after each key that reached the line. */
  readonly onKey: () => void;
}

/** Lines from a pipe or a file. */
export function createPipeInput({ input, onLine, onEnd }: LineInputOptions): LineInput {
  const lines = createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
  let closed = false;
  lines.on("line", onLine);
  lines.on("close", () => {
    closed = true;
    onEnd();
  });
  return {
    show: () => undefined,
    take: () => "",
    put: () => undefined,
    typed: () => "",
    forget: () => undefined,
    readSecret: (onEnd) => {
      onEnd(undefined); // nobody types into a pipe
      return () => undefined;
    },
    flow: (on) => {
      if (closed) return;
      if (on) lines.resume();
      else lines.pause();
    },
    close: () => lines.close(),
  };
}

const HISTORY_LINES = 500;

/** Lines typed on a terminal. Keeps it in raw mode with bracketed paste until `close`, or until the process ends. */
export function createTerminalInput(options: LineInputOptions): LineInput {
  const { input, output, onLine, onInterrupt, onEnd, accepts, onKey } = options;
  const decoder = new StringDecoder("utf8");
  const filterPaste = createPasteFilter();
  // readline sees only what the paste filter passes on; raw mode is set on the terminal itself.
  const keys = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => input.setRawMode?.(on) });
  const feed = (chunk: Buffer | string): void => {
    const text = filterPaste(typeof chunk === "string" ? chunk : decoder.write(chunk));
    if (text === "") return;
    if (secret) {
      noteSecretKey();
      secret.feed(text);
    } else if (accepts(text)) keys.write(text);
  };
  const endKeys = (): void => {
    keys.end();
  };
  const restore = (): void => {
    output.write(PASTE_OFF);
  };

  output.write(PASTE_ON);
  process.once("exit", restore); // an uncaught exception must not leave the terminal changed
  const lines = createInterface({
    input: keys,
    output,
    terminal: true,
    prompt: "",
    historySize: HISTORY_LINES,
    removeHistoryDuplicates: true,
  });
  let history: string[] = [];
  let closed = false;
  let secret: SecretKeys | undefined;
  let noteSecretKey: () => void = () => undefined;
  lines.on("history", (all: string[]) => {
    history = all;
  });
  lines.on("line", (line) => {
    lines.setPrompt("");
    onLine(unmarkLineBreaks(line));
  });
  lines.on("SIGINT", onInterrupt);
  // Ctrl+Z stops the whole group, as the terminal itself would: this process may run under a launcher or npm.
  lines.on("SIGTSTP", () => {
    input.setRawMode?.(false);
    restore();
    process.once("SIGCONT", () => {
      if (closed) return;
      input.setRawMode?.(true);
      output.write(PASTE_ON);
      lines.prompt(true);
    });
    process.kill(0, "SIGTSTP");
  });
  lines.on("close", () => {
    close();
    onEnd();
  });
  keys.on("keypress", onKey);
  input.on("data", feed);
  input.on("end", endKeys);
  // Every operation on a terminal that went away fails (EIO), setting raw mode included: that is its end, also after
  // `close`.
  input.on("error", endKeys);

  function close(): void {
    if (closed) return;
    closed = true;
    input.off("data", feed);
    input.off("end", endKeys);
    input.pause();
    process.off("exit", restore);
    lines.close();
    restore();
  }

  return {
    show: (prompt) => {
      if (closed) return;
      lines.setPrompt(prompt);
      lines.prompt();
    },
    take: () => {
      if (closed) return "";
      const typed = lines.line;
      const { rows } = lines.getCursorPos();
      lines.write(null, { ctrl: true, name: "e" });
      lines.write(null, { ctrl: true, name: "u" });
      output.write(`${rows > 0 ? `\x1b[${rows}A` : ""}\r\x1b[J`);
      lines.setPrompt("");
      return typed;
    },
    put: (text) => {
      if (!closed && text !== "") lines.write(text);
    },
    typed: () => (closed ? "" : lines.line),
    forget: () => {
      history.shift();
    },
    readSecret: (onSecret, onSecretKey) => {
      noteSecretKey = onSecretKey;
      secret = createSecretKeys(
        (text) => output.write(text),
        (line) => {
          secret = undefined;
          onSecret(line === undefined ? undefined : unmarkLineBreaks(line));
        },
      );
      return () => {
        secret = undefined;
      };
    },
    flow: () => undefined,
    close,
  };
}
