// ripgrep's output besides its results: why a pattern is invalid, which files it could not read, and (with --debug) which it
// skipped. Each message starts with `rg: ` and continues until the next: a path can contain line breaks.

import { StringDecoder } from "node:string_decoder";
import { SNIFF_BYTES } from "../search/line-match.ts";
import { createOmissions, type Omissions } from "../search/omissions.ts";

/** A path has at most 4,096 bytes. */
const MAX_MESSAGE_CHARS = 16_384;

// Entries that changed their type or disappeared since their folder was listed: same as `isGone` of the walk.
const GONE_NUMBERS: ReadonlySet<string> = new Set(["2", "20", "21", "22", "40", "62"]);

export interface RipgrepReport {
  readonly patternProblem: string | undefined;
  /** The error number with which the root itself could not be read. */
  readonly rootProblem: number | undefined;
  readonly omissions: Omissions;
  /** Files abandoned at a NUL after the opening bytes: they are text. */
  readonly left: readonly string[];
}

export class MessageReader {
  readonly #root: string;
  readonly #decoder = new StringDecoder("utf8");
  readonly #omissions = createOmissions();
  readonly #left: string[] = [];
  #line = "";
  #message = "";
  #pattern = "";
  #rootProblem: number | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  write(chunk: Buffer): void {
    const lines = (this.#line + this.#decoder.write(chunk)).split("\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) this.#hear(line);
    if (this.#line.length <= 2 * MAX_MESSAGE_CHARS) return;
    // Longer than any path can be: only its beginning and end matter.
    this.#line = this.#line.slice(0, MAX_MESSAGE_CHARS) + this.#line.slice(-MAX_MESSAGE_CHARS);
  }

  read(): RipgrepReport {
    this.#hear(this.#line);
    this.#line = "";
    this.#finish();
    const problem = this.#pattern
      .trim()
      .split("\n")
      .at(-1)
      ?.replace(/^(?:rg|error): /, "");
    return {
      patternProblem: problem === "" ? undefined : problem,
      rootProblem: this.#rootProblem,
      omissions: this.#omissions,
      left: this.#left,
    };
  }

  #hear(line: string): void {
    if (line.startsWith("rg: ")) {
      this.#finish();
      this.#message = line;
    } else if (this.#message.length < MAX_MESSAGE_CHARS) this.#message += `\n${line}`;
  }

  #finish(): void {
    const message = this.#message;
    this.#message = "";
    if (message.startsWith("rg: DEBUG|")) this.#hearDebug(message);
    else if (message.startsWith(`rg: ${this.#root}`)) this.#hearComplaint(message.trimEnd());
    else if (this.#pattern.length < MAX_MESSAGE_CHARS) this.#pattern += `${message}\n`;
  }

  #hearComplaint(message: string): void {
    const number = /\(os error (\d+)\)$/.exec(message)?.[1];
    if (number === undefined) return;
    if (message.startsWith(`rg: ${this.#root}: `)) this.#rootProblem = Number(number);
    if (!GONE_NUMBERS.has(number)) this.#omissions.unreadable++;
  }

  #hearDebug(message: string): void {
    const text = message.trimEnd();
    if (text.startsWith("rg: DEBUG|ignore::walk|")) {
      if (/: \d+ bytes$/.test(text)) this.#omissions.tooLarge++;
    } else if (text.startsWith("rg: DEBUG|grep_printer::")) {
      const start = text.indexOf(IGNORING);
      const end = text.lastIndexOf(FOUND_NUL);
      if (start < 0 || end < start) return;
      if (Number(text.slice(end + FOUND_NUL.length)) < SNIFF_BYTES) this.#omissions.binary++;
      else this.#left.push(text.slice(start + IGNORING.length, end));
    } else if (text.startsWith("rg: DEBUG|rg::haystack|")) {
      if (text.includes(SPECIAL_FILE)) this.#omissions.special++;
    }
  }
}

const IGNORING = ": ignoring ";
const FOUND_NUL = ": found binary data at offset ";
const SPECIAL_FILE =
  ": failed to pass haystack filter: file type: Some(FileType { is_file: false, is_dir: false, is_symlink: false";
