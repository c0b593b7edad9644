// Dark or light, asked once: the terminal does not say which its background is.

import { span } from "../screen/spans.ts";
import type { Asking } from "./asking.ts";

const OWN = "the terminal's own 16 colours, legible on both";

/** The theme to keep; with Esc the one in force. Undefined if the person leaves. */
export async function chooseTheme(asking: Asking): Promise<"dark" | "light" | "terminal" | undefined> {
  return asking.inTurn(async () => {
    if (asking.hasLeft()) return undefined;
    const chosen = await asking.choose<"dark" | "light" | "terminal">(
      [
        [
          span("? ", "warn", "bold"),
          span("Is this terminal's background dark or light? The terminal does not say. (/theme changes it)"),
        ],
      ],
      [
        { key: "d", label: "dark", answer: "dark" },
        { key: "l", label: "light", answer: "light" },
        { key: "t", label: OWN, answer: "terminal" },
      ],
      undefined,
      { left: OWN, hint: "↑↓ Enter · Esc: as it is" },
    );
    return chosen ?? (asking.hasLeft() ? undefined : "terminal");
  });
}
