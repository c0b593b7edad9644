// A line that nobody else may see: read from a terminal without echo, or from a pipe.

import { EXIT_USAGE, Problem } from "../../cli/problem.ts";

const MAX_CHARACTERS = 8_192;
const INTERRUPT = "\u0003";
const END = "\u0004";

/** The line, without its line ending. Throws a {@link Problem} if there is none, or the person cancelled. */
export async function readSecretLine(question: string): Promise<string> {
  const { stdin, stderr } = process;
  const isTerminal = stdin.isTTY === true;
  if (isTerminal) {
    stdin.setRawMode(true); // before the question: the terminal must not echo an immediate answer
    stderr.write(question);
  }
  stdin.setEncoding("utf8");
  let line = "";
  try {
    for await (const chunk of stdin as AsyncIterable<string>) {
      for (const character of withoutPasteMarks(chunk)) {
        if (character === "\n" || character === "\r") return line;
        if (isTerminal && character === INTERRUPT) throw new Problem("stopped: nothing was stored", 130);
        if (isTerminal && character === END)
          throw new Problem("no key was given: nothing was stored", EXIT_USAGE);
        if (isTerminal && (character === "\u007f" || character === "\b")) line = line.slice(0, -1);
        else line += character;
        if (line.length > MAX_CHARACTERS)
          throw new Problem("too long for a key: nothing was stored", EXIT_USAGE);
      }
    }
  } finally {
    if (isTerminal) {
      stdin.setRawMode(false);
      stderr.write("\n");
    }
    stdin.destroy();
  }
  if (line === "") throw new Problem("no key was given on standard input: nothing was stored", EXIT_USAGE);
  return line;
}

function withoutPasteMarks(chunk: string): string {
  return chunk.replaceAll("\u001b[200~", "").replaceAll("\u001b[201~", "");
}
