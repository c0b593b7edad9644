// The rich console with the parts that it is made of.

import { createStyle } from "../console/style.ts";
import { createEditor } from "./editor/editor.ts";
import { createPlainHistory } from "./history/contract.ts";
import { createBindings } from "./keys/bindings.ts";
import { createKeyDecoder } from "./keys/decode.ts";
import { openTui, type Tui, type TuiOptions } from "./run-tui.ts";

/** Takes the terminal until it is closed. */
export function openConsole(options: Omit<TuiOptions, "openEditor" | "createDecoder">): Tui {
  return openTui({
    ...options,
    createDecoder: createKeyDecoder,
    openEditor: (onChange) =>
      createEditor({
        bindings: createBindings(),
        style: createStyle(!options.env.NO_COLOR),
        history: createPlainHistory(),
        onChange,
      }),
  });
}
