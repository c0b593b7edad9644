// A conversation that no longer fits the model's window, shortened to a text that does: this is summarised when the whole cannot be
// sent. Every message keeps a line; the longest lose their middles first.

import type { Message } from "indusagi/llmgateway";

const MIN_LINE_CHARS = 200;

/** `messages` as a text of at most about `budget` characters. Omissions are marked where they occur. */
export function shortenedView(messages: readonly Message[], budget: number): string {
  const lines = messages.flatMap(linesOf);
  const room = Math.max(2, Math.floor(budget / MIN_LINE_CHARS));
  const kept =
    lines.length <= room
      ? lines
      : [
          ...lines.slice(0, 1),
          `[… ${lines.length - room} steps omitted …]`,
          ...lines.slice(lines.length - room + 1),
        ];
  const limit = evenLimit(
    kept.map((line) => line.length),
    budget,
  );
  return kept.map((line) => clipped(line, limit)).join("\n");
}

function linesOf(message: Message): readonly string[] {
  if (message.role === "tool") {
    const shown = (message.images ?? []).map(({ mediaType }) => `[${mediaType}]`);
    return [`[outcome of ${message.name}] ${message.text}`, ...shown];
  }
  return message.content.flatMap((block) => {
    switch (block.kind) {
      case "text":
        return `[${message.role}] ${block.text}`;
      case "tool_call":
        return `[call of ${block.name}] ${JSON.stringify(block.input)}`;
      case "image":
        return `[${block.mediaType}]`;
      default:
        return [];
    }
  });
}

/** The longest line length at which all of them fit: short lines leave their room to long ones. */
function evenLimit(lengths: readonly number[], budget: number): number {
  let room = budget;
  const rising = lengths.toSorted((a, b) => a - b);
  for (const [at, length] of rising.entries()) {
    const share = Math.floor(room / (rising.length - at));
    if (length > share) return Math.max(MIN_LINE_CHARS, share);
    room -= length;
  }
  return Number.POSITIVE_INFINITY;
}

function clipped(line: string, limit: number): string {
  if (line.length <= limit) return line;
  const head = Math.floor(limit * 0.6);
  const tail = Math.floor(limit * 0.3);
  const left = line.length - head - tail;
  return `${line.slice(0, head)} [… ${left} characters omitted …] ${line.slice(line.length - tail)}`;
}
