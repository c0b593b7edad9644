// What keys do in the editor: in a search of the history, in the menu of suggestions, in vi's modes, or as they are bound. `motions`
// and `state` define what an action does to the text.

import type { EditorEvent, Key } from "../contract.ts";
import type { History } from "../history/contract.ts";
import { type Action, isScreenAction } from "../keys/actions.ts";
import type { Bindings } from "../keys/bindings.ts";
import type { Menu } from "./menu.ts";
import { act } from "./motions.ts";
import { createSearch, type Search } from "./search.ts";
import { cleanText, insert, replaceRange } from "./state.ts";
import type { Vi } from "./vi.ts";
import type { WrittenText } from "./written-text.ts";

interface EditorKeysParts {
  readonly bindings: Bindings;
  readonly history: History;
  readonly written: WrittenText;
  readonly menu: Menu;
  readonly vi: Vi | undefined;
  /** The absolute path of an image named by a pasted text; terminals paste the path of a file dropped on them. */
  readonly imageAt?: ((pasted: string) => string | undefined) | undefined;
  /** Looks for an image on the clipboard. */
  readonly askForImage?: (() => void) | undefined;
}

type Events = readonly EditorEvent[];

const NOTHING: Events = [];

export class EditorKeys {
  readonly #parts: EditorKeysParts;
  /** The keys so far of an unfinished sequence. */
  #begun = "";
  #search: Search | undefined;

  constructor(parts: EditorKeysParts) {
    this.#parts = parts;
  }

  /** The search of the history, while one is open. */
  get search(): Search | undefined {
    return this.#search;
  }

  press(key: Key): Events {
    const { written, menu, vi } = this.#parts;
    const events = this.#press(key);
    if (vi) written.become(vi.settled(written.state)); // an arrow or a history line may have moved it past the last character
    if (!vi?.isNormal) menu.follow(written.state);
    return events;
  }

  #press(key: Key): Events {
    const { bindings, written, menu, vi } = this.#parts;
    if (key.name === "paste") return this.#paste(cleanText(key.text ?? ""));
    const found = bindings.look(key, this.#begun);
    this.#begun = found && "pending" in found ? found.pending : "";
    if (found && "pending" in found) return NOTHING;
    if (this.#search) return this.#pressInSearch(key, found?.action, this.#search);
    const done = vi && !menu.isOpen() ? vi.press(key, written.state, () => written.layout()) : undefined;
    if (vi && done) {
      written.become(done.state);
      const events = done.action ? this.#run(done.action) : NOTHING;
      if (!done.rest) return events;
      written.become(vi.settled(written.state));
      return [...events, ...this.#press({ ...key, text: done.rest })];
    }
    if (found) return this.#run(found.action);
    if (key.name === "text" && key.text !== undefined)
      written.become(insert(written.state, cleanText(key.text), true));
    return NOTHING;
  }

  #paste(text: string): Events {
    const { written, menu, vi, imageAt } = this.#parts;
    this.#begun = "";
    this.#search = undefined;
    vi?.insert();
    const image = imageAt?.(text);
    if (image === undefined) written.paste(text);
    else written.insertImage(image);
    menu.dismiss();
    return NOTHING;
  }

  #pressInSearch(key: Key, action: Action | undefined, search: Search): Events {
    const step = search.press(key, action);
    if (step === "stay") return NOTHING;
    this.#search = undefined;
    if (step === "leave") return NOTHING;
    const found = search.found();
    if (found !== undefined) this.#parts.written.recall(found);
    // Any other key accepts the found line, and then acts on it.
    return step === "take" || !action ? NOTHING : this.#run(action);
  }

  #run(action: Action): Events {
    const { bindings, history, written, menu, askForImage } = this.#parts;
    const events = menu.isOpen() ? this.#runInMenu(action) : undefined;
    if (events) return events;
    if (isScreenAction(action)) return [{ kind: "action", action }];
    switch (action) {
      case "edit.submit":
        return this.#enter();
      case "edit.complete":
        menu.ask(written.state);
        return this.#complete(false) ?? NOTHING;
      case "edit.deleteOrLeave":
        if (written.state.text === "") return [{ kind: "action", action: "leave" }];
        break;
      case "edit.pasteImage":
        askForImage?.();
        return NOTHING;
      case "history.search":
        this.#search = createSearch(history.lines(), bindings.table);
        return NOTHING;
      case "history.previous":
        return this.#browse(-1);
      case "history.next":
        return this.#browse(1);
    }
    const next = act(written.state, action, () => written.layout());
    if (next) written.become(next);
    else if (action === "edit.up") return this.#browse(-1);
    else if (action === "edit.down") return this.#browse(1);
    return NOTHING;
  }

  #browse(by: 1 | -1): Events {
    const { history, written, menu } = this.#parts;
    if (written.browse(by, history.lines())) menu.dismiss();
    return NOTHING;
  }

  /** Undefined if it is not for the menu. */
  #runInMenu(action: Action): Events | undefined {
    const { menu } = this.#parts;
    switch (action) {
      case "edit.up":
        menu.move(-1);
        return NOTHING;
      case "edit.down":
        menu.move(1);
        return NOTHING;
      case "interrupt":
        menu.dismiss();
        return NOTHING;
      case "edit.complete":
        return this.#complete(false);
      case "edit.submit":
        return this.#complete(true);
      default:
        return undefined;
    }
  }

  /** Undefined if there is nothing to insert. */
  #complete(isEnter: boolean): Events | undefined {
    const { written, menu } = this.#parts;
    const chosen = menu.chosen();
    if (!chosen) return undefined;
    const { suggestion, from, to } = chosen;
    const before = written.state.text.slice(from, to);
    if (isEnter && before === suggestion.put.trimEnd() && !suggestion.opens) return undefined;
    written.become(replaceRange(written.state, [from, to], suggestion.put));
    menu.dismiss();
    if (suggestion.opens) menu.ask(written.state);
    return isEnter && suggestion.isWhole && suggestion.put.startsWith(before) ? this.#send() : NOTHING;
  }

  #enter(): Events {
    const { written } = this.#parts;
    const { text, cursor } = written.state;
    // As in a shell: a backslash at the end continues on the next line; two are two backslashes.
    const isContinued = cursor === text.length && /(?<!\\)(?:\\\\){0,1000}\\$/.test(text.slice(-2_001));
    if (!isContinued) return this.#send();
    written.become(replaceRange(written.state, [text.length - 1, text.length], "\n"));
    return NOTHING;
  }

  #send(): Events {
    const { history, written, menu, vi } = this.#parts;
    const submission = written.submission();
    if (!submission) return NOTHING;
    history.add(submission.text);
    written.clear();
    vi?.insert();
    menu.dismiss();
    return [{ kind: "submit", submission }];
  }
}
