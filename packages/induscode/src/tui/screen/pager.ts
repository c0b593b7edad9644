// A whole text on the alternate screen, with keys to scroll it; afterwards the normal screen is unchanged.

import type { Key } from "../contract.ts";

export interface PagerOptions {
  /** Rows laid out for `columns`. */
  readonly rows: (columns: number) => readonly string[];
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly write: (text: string) => void;
}

export interface Pager {
  /** True once the person has left. */
  readonly press: (key: Key) => boolean;
  readonly redraw: () => void;
  readonly close: () => void;
}

const OPEN = "\x1b[?1049h\x1b[?25l";
const CLOSE = "\x1b[?25h\x1b[?1049l";

/** Opens at the end of the text. */
export function openPager({ rows: layOut, size, write }: PagerOptions): Pager {
  let columns = size().columns;
  let lines = layOut(columns);
  let query = "";
  let typing: string | undefined;
  /** The row that the last search found, and what to say of a search that found none. */
  let found: number | undefined;
  let note = "";
  const page = (): number => Math.max(1, size().rows - 1);
  let top = Math.max(0, lines.length - page());

  function draw(): void {
    if (size().columns !== columns) {
      columns = size().columns;
      const share = lines.length > 0 ? top / lines.length : 0;
      lines = layOut(columns);
      top = Math.floor(share * lines.length);
      found = undefined;
    }
    top = Math.max(0, Math.min(top, lines.length - page()));
    const body = Array.from({ length: page() }, (_, i) => {
      const line = lines[top + i] ?? "";
      return `\x1b[K${top + i === found ? `\x1b[7m${withoutColours(line)}\x1b[0m` : line}`;
    });
    const last = Math.min(lines.length, top + page());
    const foot =
      typing === undefined
        ? ` ${note}${last}/${lines.length}  ↑↓ space b g G  / search  n next  q back`
        : `/${typing}`;
    write(
      `\x1b[?2026h\x1b[H${body.join("\r\n")}\r\n\x1b[K\x1b[7m${foot.slice(0, columns - 1)}\x1b[0m\x1b[?2026l`,
    );
  }

  function isSeen(row: number): boolean {
    return row >= top && row < top + page();
  }

  function find(from: number): void {
    found = undefined;
    if (query === "") return;
    for (let i = 0; i < lines.length && found === undefined; i++) {
      const at = (from + i) % lines.length;
      const text = withoutColours(lines[at] ?? "").toLowerCase();
      if (text.includes(query)) found = at;
    }
    if (found === undefined) note = "not found  ";
    else if (!isSeen(found)) top = found;
  }

  function type(key: Key): void {
    if (key.name === "enter") {
      query = (typing ?? "").toLowerCase();
      typing = undefined;
      find(top);
    } else if (key.name === "escape") typing = undefined;
    else if (key.name === "backspace") typing = (typing ?? "").slice(0, -1);
    else typing = (typing ?? "") + (key.text ?? "").replace(/[\x00-\x1f\x7f-\x9f]/g, "");
  }

  write(OPEN);
  draw();
  return {
    press: (key) => {
      note = "";
      if (typing !== undefined) type(key);
      else {
        const said = key.text ?? key.name;
        if (key.name === "escape" || said === "q" || (key.ctrl && ["c", "o", "t"].includes(key.name)))
          return true;
        if (key.name === "up" || said === "k") top -= 1;
        else if (key.name === "down" || said === "j" || key.name === "enter") top += 1;
        else if (key.name === "pageup" || said === "b") top -= page();
        else if (key.name === "pagedown" || said === " " || key.name === "space") top += page();
        else if (key.name === "home" || said === "g") top = 0;
        else if (key.name === "end" || said === "G") top = lines.length;
        else if (said === "/") typing = "";
        else if (said === "n") find((found !== undefined && isSeen(found) ? found : top) + 1);
      }
      draw();
      return false;
    },
    redraw: draw,
    close: () => write(CLOSE),
  };
}

function withoutColours(row: string): string {
  return row.replace(/\x1b\[[\d;]{0,40}m|\x1b\]8;;[^\x1b]{0,2100}\x1b\\/g, "");
}
