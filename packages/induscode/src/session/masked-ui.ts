// A console that no secret reaches, and that passes a typed secret only to whoever asked for it.

import type { SecretMask } from "indusagi/core";
import type { SessionUi } from "../feature/ui.ts";

/** What is typed in answer to a secret question is hidden from then on in everything the session shows, logs and sends. */
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
