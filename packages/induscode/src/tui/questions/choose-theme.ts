// Dark or light, asked once: the terminal does not say which its background is.

import { span } from "../screen/spans.ts";
import type { Asking } from "./asking.ts";

const OWN = "the terminal's own 16 colours, legible on both";

type Chosen = "dark" | "light" | "terminal";

/** The theme to keep. Undefined if the person leaves the question; rejects once the terminal has `told` its background. */
export async function chooseTheme(asking: Asking, told: AbortSignal): Promise<Chosen | undefined> {
  return asking.inTurn(async () => {
    if (asking.hasLeft()) return undefined;
    return asking.choose<Chosen>(
      [
        [
          span("? ", "warn", "bold"),
          span("Is this terminal's background dark or light? (/theme changes it later)"),
        ],
      ],
      [
        { key: "d", label: "dark", answer: "dark" },
        { key: "l", label: "light", answer: "light" },
        { key: "t", label: OWN, answer: "terminal" },
      ],
      told,
      { left: "as it is", hint: "↑↓ Enter · Esc: as it is" },
    );
  });
}
