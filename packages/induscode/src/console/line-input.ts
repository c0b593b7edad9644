// The input side of the console: lines from a terminal, edited and with a history, or from a pipe. On a terminal it
// also owns the prompt and what is typed after it.

import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createPasteFilter, PASTE_OFF, PASTE_ON, unmarkLineBreaks } from "./paste.ts";
import { createSecretKeys, type SecretKeys } from "./secret-keys.ts";

/** Where lines come from. Without a terminal there is no prompt: what is about one does nothing. */
export interface LineInput {
  /** Puts a prompt on the current row; lines are typed after it. */
  readonly show: (prompt: string) => void;
  /** Takes prompt and typed text off the screen; returns the text. */
  readonly take: () => string;
  /** Types `text` for the person. */
  readonly put: (text: string) => void;
  /** What is typed so far. */
  readonly typed: () => string;
  /** Keeps the last line out of the history: it answered a question. */
  readonly forget: () => void;
  /** From now on keys are not shown, and reach `onEnd` as a line; undefined where the person broke off. Answers how to end it. */
  readonly readSecret: (onEnd: (line: string | undefined) => void) => () => void;
  /** Stops or restarts a pipe, so that a long one is not read into memory; a terminal always flows. */
  readonly flow: (on: boolean) => void;
  /** Gives the terminal back as it was. */
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
  /** Asked before keys reach the line; false drops them. */
  readonly accepts: (keys: string) => boolean;
  /** After each key that reached the line. */
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

/** Lines typed on a terminal. Holds it in raw mode with bracketed paste until `close`, or the process, ends. */
export function createTerminalInput(options: LineInputOptions): LineInput {
  const { input, output, onLine, onInterrupt, onEnd, accepts, onKey } = options;
  const decoder = new StringDecoder("utf8");
  const filterPaste = createPasteFilter();
  // readline sees only what the paste filter lets through; raw mode it sets on the terminal itself.
  const keys = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => input.setRawMode?.(on) });
  const feed = (chunk: Buffer | string): void => {
    const text = filterPaste(typeof chunk === "string" ? chunk : decoder.write(chunk));
    if (text === "") return;
    if (secret) secret.feed(text);
    else if (accepts(text)) keys.write(text);
  };
  const endKeys = (): void => {
    keys.end();
  };
  const restore = (): void => {
    output.write(PASTE_OFF);
  };

  output.write(PASTE_ON);
  process.once("exit", restore); // an exception that nobody catches must not leave the terminal changed
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
  lines.on("history", (all: string[]) => {
    history = all;
  });
  lines.on("line", (line) => {
    lines.setPrompt("");
    onLine(unmarkLineBreaks(line));
  });
  lines.on("SIGINT", onInterrupt);
  // Ctrl+Z stops the whole group, as the terminal itself would: a launcher or npm may be above this process.
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
  // A terminal that went away fails whatever is asked of it (EIO), its raw mode included: that is its end, also after
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
    readSecret: (onSecret) => {
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
