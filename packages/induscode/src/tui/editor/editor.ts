// The editor as a part of the screen: keys in, rows and a cursor out.

import type { Style } from "../../console/style.ts";
import type { Completer } from "../complete/contract.ts";
import type { Editor, Rows } from "../contract.ts";
import type { History } from "../history/contract.ts";
import type { Bindings } from "../keys/bindings.ts";
import { EditorKeys } from "./editor-keys.ts";
import { createMenu } from "./menu.ts";
import { drawText } from "./rows.ts";
import { Vi } from "./vi.ts";
import { WrittenText } from "./written-text.ts";

export interface EditorOptions {
  readonly bindings: Bindings;
  readonly style: Style;
  readonly history: History;
  /** The display changed without a key. */
  readonly onChange: () => void;
  /** How many rows the editor can take; default 12. */
  readonly maxRows?: () => number;
  readonly completer?: Completer;
  /** Normal and insert mode, as in vi. */
  readonly isVi?: boolean;
  /** The absolute path of an image named by a pasted text; terminals paste the path of a file dropped on them. */
  readonly imageAt?: (pasted: string) => string | undefined;
  /** Looks for an image on the clipboard; the result arrives through {@link OpenedEditor.putImage}. */
  readonly askForImage?: () => void;
}

export interface OpenedEditor extends Editor {
  readonly putImage: (path: string) => void;
}

const DEFAULT_ROWS = 12;

/** An empty editor. */
export function createEditor(options: EditorOptions): OpenedEditor {
  const { bindings, style, history, onChange, maxRows = () => DEFAULT_ROWS } = options;
  const { completer, imageAt, askForImage } = options;
  const written = new WrittenText();
  const menu = createMenu(completer, { style, onChange });
  const vi = options.isVi ? new Vi() : undefined;
  const keys = new EditorKeys({ bindings, history, written, menu, vi, imageAt, askForImage });
  let firstRow = 0;

  function render(columns: number): Rows {
    written.columns = columns;
    if (keys.search) return keys.search.render(columns, style);
    const { state, folded } = written;
    const text = drawText(
      { layout: written.layout(), state, folded, style, columns },
      { firstRow, maxRows: maxRows() },
    );
    firstRow = text.firstRow;
    const prompt = vi?.isNormal ? "◂ " : state.text.startsWith("!") ? "! " : "› ";
    const rows = text.rows.map((row, at) => (at === 0 && firstRow === 0 ? prompt : "  ") + row);
    return {
      rows: [...rows, ...menu.render(columns)],
      cursor: { row: text.cursor.row, column: Math.min(text.cursor.column + 2, Math.max(0, columns - 1)) },
    };
  }

  return {
    press: (key) => keys.press(key),
    render,
    isEmpty: () => written.state.text === "",
    text: () => written.whole(),
    put: (text) => {
      written.put(text);
      menu.dismiss();
    },
    putImage: (path) => {
      written.insertImage(path);
      onChange();
    },
    lookAgain: () => {
      menu.lookAgain();
      onChange();
    },
    close: () => completer?.close(),
  };
}
