// A console to which no secret gets, and from which a secret that is typed goes to whoever asked and nowhere else.

import type { SecretMask } from "indusagi/core";
import type { SessionUi } from "../feature/ui.ts";

/** What is typed where a secret was asked for is hidden from then on in all that the session shows, logs and sends. */
export function maskedUi(ui: SessionUi, secrets: Pick<SecretMask, "add" | "text" | "value">): SessionUi {
  return {
    status: (feature, id, text) => ui.status(feature, id, secrets.text(text)),
    render: (feature, shape) => ui.render(feature, secrets.value(shape)),
    async ask(feature, dialog, signal) {
      const answer = await ui.ask(feature, secrets.value(dialog), signal);
      if (dialog.kind === "input" && dialog.isSecret === true && typeof answer === "string" && answer !== "")
        secrets.add(`typed for ${feature}`, answer);
      return answer;
    },
    clear: ui.clear,
  };
}
