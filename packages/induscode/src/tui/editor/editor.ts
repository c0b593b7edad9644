// The editor as a part of the screen: keys in, rows and a cursor out. `motions` and `state` define what a key does to the
// text; everything else is here: the history, suggestions, folded texts, sending.

import type { Style } from "../../console/style.ts";
import type { Completer } from "../complete/contract.ts";
import type { Editor, EditorEvent, Key, Rows } from "../contract.ts";
import type { History } from "../history/contract.ts";
import { type Action, isScreenAction } from "../keys/actions.ts";
import type { Bindings } from "../keys/bindings.ts";
import { createFoldedTexts, type Folded, foldedIn, foldImage, foldPaste, unfold } from "./folded.ts";
import { createLayouter, type Layout } from "./layout.ts";
import { createMenu } from "./menu.ts";
import { act } from "./motions.ts";
import { drawText } from "./rows.ts";
import { createSearch, type Search } from "./search.ts";
import { cleanText, type EditState, EMPTY, insert, replaceAll, replaceRange } from "./state.ts";
import { Vi } from "./vi.ts";

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

const COLUMNS_AROUND = 3; // the prompt and a blank before the text, and room for the cursor after it
const DEFAULT_ROWS = 12;
const NOTHING: readonly EditorEvent[] = [];

/** An empty editor. */
export function createEditor(options: EditorOptions): OpenedEditor {
  const { bindings, style, history, onChange, maxRows = () => DEFAULT_ROWS } = options;
  let state: EditState = EMPTY;
  let folded = createFoldedTexts();
  let layouter = createLayouter((mark) => folded.at(mark)?.label);
  let columns = 80;
  let firstRow = 0;
  /** The keys so far of an unfinished sequence. */
  let begun = "";
  /** The history line that is shown, and the text written before browsing. */
  let browsing: { readonly at: number; readonly written: EditState } | undefined;
  let search: Search | undefined;
  const vi = options.isVi ? new Vi() : undefined;
  const menu = createMenu(options.completer, { style, onChange });

  const layout = (): Layout => layouter(state.text, Math.max(1, columns - COLUMNS_AROUND));

  function become(next: EditState): void {
    if (next.text !== state.text) browsing = undefined;
    state = next;
  }

  function press(key: Key): readonly EditorEvent[] {
    const events = pressed(key);
    if (vi) state = vi.settled(state); // an arrow or a history line may have moved it past the last character
    if (!vi?.isNormal) menu.follow(state);
    return events;
  }

  function pressed(key: Key): readonly EditorEvent[] {
    if (key.name === "paste") {
      begun = "";
      search = undefined;
      vi?.insert();
      return paste(cleanText(key.text ?? ""));
    }
    const found = bindings.look(key, begun);
    begun = found && "pending" in found ? found.pending : "";
    if (found && "pending" in found) return NOTHING;
    if (search) return searching(key, found?.action);
    if (vi && !menu.isOpen()) {
      const done = vi.press(key, state, layout);
      if (done) {
        become(done.state);
        const events = done.action ? run(done.action) : NOTHING;
        if (!done.rest) return events;
        become(vi.settled(state));
        return [...events, ...pressed({ ...key, text: done.rest })];
      }
    }
    if (found) return run(found.action);
    if (key.name === "text" && key.text !== undefined) become(insert(state, cleanText(key.text), true));
    return NOTHING;
  }

  function run(action: Action): readonly EditorEvent[] {
    if (menu.isOpen()) {
      const events = runInMenu(action);
      if (events) return events;
    }
    if (isScreenAction(action)) return [{ kind: "action", action }];
    switch (action) {
      case "edit.submit":
        return enter();
      case "edit.complete":
        menu.ask(state);
        return complete(false) ?? NOTHING;
      case "edit.deleteOrLeave":
        if (state.text === "") return [{ kind: "action", action: "leave" }];
        break;
      case "edit.pasteImage":
        options.askForImage?.();
        return NOTHING;
      case "history.search":
        search = createSearch(history.lines(), bindings.table);
        return NOTHING;
      case "history.previous":
        browse(-1);
        return NOTHING;
      case "history.next":
        browse(1);
        return NOTHING;
    }
    const next = act(state, action, layout);
    if (next) become(next);
    else if (action === "edit.up") browse(-1);
    else if (action === "edit.down") browse(1);
    return NOTHING;
  }

  // Suggestions

  function runInMenu(action: Action): readonly EditorEvent[] | undefined {
    if (action === "edit.up" || action === "edit.down") {
      menu.move(action === "edit.up" ? -1 : 1);
      return NOTHING;
    }
    if (action === "interrupt") {
      menu.dismiss();
      return NOTHING;
    }
    if (action === "edit.complete") return complete(false);
    return action === "edit.submit" ? complete(true) : undefined;
  }

  /** Undefined if there is nothing to insert. */
  function complete(isEnter: boolean): readonly EditorEvent[] | undefined {
    const chosen = menu.chosen();
    if (!chosen) return undefined;
    const { suggestion, from, to } = chosen;
    const written = state.text.slice(from, to);
    if (isEnter && written === suggestion.put.trimEnd() && !suggestion.opens) return undefined;
    become(replaceRange(state, [from, to], suggestion.put));
    menu.dismiss();
    if (suggestion.opens) menu.ask(state);
    return isEnter && suggestion.isWhole && suggestion.put.startsWith(written) ? send() : NOTHING;
  }

  // Sending

  function enter(): readonly EditorEvent[] {
    const { text, cursor } = state;
    // As in a shell: a backslash at the end continues on the next line; two are two backslashes.
    if (cursor === text.length && /(?<!\\)(?:\\\\){0,1000}\\$/.test(text.slice(-2_001))) {
      become(replaceRange(state, [text.length - 1, text.length], "\n"));
      return NOTHING;
    }
    return send();
  }

  function send(): readonly EditorEvent[] {
    const whole = unfold(state.text, folded, (what) => what.text);
    if (whole.trim() === "") return NOTHING;
    const shown = unfold(state.text, folded, (what) => what.label);
    const images = foldedIn(state.text, folded).flatMap(({ image }) => image ?? []);
    history.add(whole);
    const kills = state.kills.map((cut) => unfold(cut, folded, (what) => what.text));
    state = { ...EMPTY, kills };
    folded = createFoldedTexts();
    layouter = createLayouter((mark) => folded.at(mark)?.label);
    browsing = undefined;
    vi?.insert();
    menu.dismiss();
    return [{ kind: "submit", submission: { text: whole, shown, images } }];
  }

  // Pasting

  function paste(text: string): readonly EditorEvent[] {
    const image = options.imageAt?.(text);
    if (image !== undefined) putFolded(foldImage(image));
    else {
      const long = foldPaste(text);
      if (long) putFolded(long);
      else become(insert(state, text));
    }
    menu.dismiss();
    return NOTHING;
  }

  function putFolded(what: Folded): void {
    become(insert(state, folded.fold(what) ?? what.text));
  }

  // The history

  function browse(by: 1 | -1): void {
    const lines = history.lines();
    const at = (browsing?.at ?? lines.length) + by;
    const written = browsing?.written ?? state;
    if (at < 0 || at > lines.length || (by > 0 && !browsing)) return;
    if (at === lines.length) state = written;
    else state = { ...replaceAll(written, recalled(lines[at] ?? "")), goal: columns };
    browsing = at === lines.length ? undefined : { at, written };
    menu.dismiss();
  }

  /** A long line is folded as if it were pasted: the line before it is one key away. */
  function recalled(line: string): string {
    const text = cleanText(line);
    const long = foldPaste(text);
    return (long && folded.fold(long)) ?? text;
  }

  function searching(key: Key, action: Action | undefined): readonly EditorEvent[] {
    const step = search?.press(key, action);
    if (step === "stay") return NOTHING;
    const found = search?.found();
    search = undefined;
    if (step === "leave") return NOTHING;
    if (found !== undefined) become(replaceAll(state, recalled(found)));
    // Any other key accepts the found line, and then acts on it.
    return step === "take" || !action ? NOTHING : run(action);
  }

  function render(width: number): Rows {
    columns = width;
    if (search) return search.render(width, style);
    const text = drawText(
      { layout: layout(), state, folded, style, columns: width },
      { firstRow, maxRows: maxRows() },
    );
    firstRow = text.firstRow;
    const prompt = vi?.isNormal ? "◂ " : state.text.startsWith("!") ? "! " : "› ";
    const rows = text.rows.map((row, at) => (at === 0 && firstRow === 0 ? prompt : "  ") + row);
    const below = menu.render(width);
    return {
      rows: [...rows, ...below],
      cursor: { row: text.cursor.row, column: Math.min(text.cursor.column + 2, Math.max(0, width - 1)) },
    };
  }

  return {
    press,
    render,
    isEmpty: () => state.text === "",
    text: () => unfold(state.text, folded, (what) => what.text),
    put: (text) => {
      become(replaceAll(state, folded.refold(cleanText(text))));
      menu.dismiss();
    },
    putImage: (path) => {
      putFolded(foldImage(path));
      onChange();
    },
    close: () => options.completer?.close(),
  };
}
