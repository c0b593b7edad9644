// What is visible now: settled rows, and below them what is in progress, the waiting lines, a question or the editor, and
// the status line.

import { printableLine } from "../../console/printable-line.ts";
import type { Editor } from "../contract.ts";
import type { Asking } from "../questions/asking.ts";
import type { Frame } from "../screen/renderer.ts";
import { cut, type Line, paint, span } from "../screen/spans.ts";
import type { Painter } from "../screen/theme.ts";
import type { AskedAbout } from "../transcript/live-rows.ts";
import type { Transcript } from "../transcript/transcript.ts";

interface PictureParts {
  readonly painter: Painter;
  readonly transcript: Transcript;
  readonly editor: Editor;
  readonly asking: Asking;
  /** The progress bars of addons. */
  readonly bars: (columns: number) => readonly Line[];
  /** The key that takes back the waiting lines. */
  readonly queueKey: string | undefined;
  /** The lines waiting for the running task. */
  readonly queued: () => readonly string[];
  readonly statusRow: (columns: number) => Line;
  /** Whether a task is running, which takes them in. */
  readonly isTask: () => boolean;
  /** The call that the open question is about. */
  readonly asksAbout: () => AskedAbout | undefined;
  /** Animation frame counter. */
  readonly frame: () => number;
}

/** Rows at most `columns` wide; at most `rows` live ones, and of those the lowest. */
export function picture(parts: PictureParts, columns: number, rows: number): Frame {
  const { painter, transcript } = parts;
  const painted = (line: Line): string => paint(cut(line, columns), painter);
  const settled = transcript.takeSettled().map((line) => paint(line, painter));
  const { bottom, cursor } = below(parts, columns, painted);
  const room = rows - 1 - bottom.length;
  const above = transcript
    .live(parts.frame(), parts.asking.isOpen() ? { about: parts.asksAbout() } : undefined)
    .map(painted);
  const shown = room <= 0 ? [] : above.slice(-room);
  const cutOff = room < 0 ? -room : 0;
  const live = [...shown, ...bottom.slice(cutOff)];
  const at = cursor && {
    row: cursor.row - cutOff + shown.length,
    column: Math.min(cursor.column, columns - 1),
  };
  return { settled, live, cursor: at && at.row >= 0 ? at : undefined };
}

function below(
  { editor, asking, bars, queued, queueKey, isTask, statusRow }: PictureParts,
  columns: number,
  painted: (line: Line) => string,
): { readonly bottom: readonly string[]; readonly cursor?: NonNullable<Frame["cursor"]> | undefined } {
  const waiting = queued().map((text) => painted([span("⏎ ", "accent"), span(printableLine(text), "dim")]));
  const bottom = [...bars(columns).map(painted), ...waiting];
  const hint = queueKey === undefined ? "" : ` (${queueKey} takes it back)`;
  const when = isTask() ? "joins at the next step" : "goes to the model next";
  if (waiting.length > 0) bottom.push(painted([span(`  ${when}${hint}`, "dim")]));
  const status = painted(statusRow(columns));
  if (asking.isOpen()) return { bottom: [...bottom, ...asking.rows(columns), status] };
  const prompt = asking.prompt();
  if (prompt !== undefined) bottom.push(painted([span(prompt, "warn")]));
  bottom.push(""); // a horizontal rule would be redrawn with each new row
  const written = editor.render(columns);
  const at = written.cursor && { row: bottom.length + written.cursor.row, column: written.cursor.column };
  return { bottom: [...bottom, ...written.rows, status], cursor: at };
}
