// The rich console, assembled from its parts.

import { createStyle } from "../console/style.ts";
import type { Desk } from "./desk.ts";
import { createEditor, type OpenedEditor } from "./editor/editor.ts";
import { createKeyDecoder } from "./keys/decode.ts";
import { openTui, type Tui, type TuiOptions } from "./run-tui.ts";

export interface ConsoleOptions extends Omit<TuiOptions, "openEditor" | "createDecoder"> {
  readonly desk: Desk;
}

/** Takes the terminal until it is closed. */
export function openConsole(options: ConsoleOptions): Tui {
  const { desk } = options;
  return openTui({
    ...options,
    createDecoder: createKeyDecoder,
    openEditor: (onChange, into, rows, hint) => {
      const editor: OpenedEditor = createEditor({
        bindings: desk.bindings,
        style: createStyle(!options.env.NO_COLOR),
        history: desk.history,
        completer: desk.completer(into),
        isVi: desk.isVi,
        imageAt: desk.imageAt,
        askForImage: () =>
          void desk.clipboardImage().then((path) => {
            if (path === undefined)
              hint("cannot read an image from the clipboard; type @path.png to send an image file instead");
            else editor.putImage(path);
          }),
        // Leaves room for the transcript, however long the text is.
        maxRows: () => Math.max(3, Math.floor(rows() / 2)),
        onChange,
      });
      return editor;
    },
  });
}
