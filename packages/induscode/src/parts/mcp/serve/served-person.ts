// The person at a client: asked through the call that needs an answer.

import { noticeLine } from "../../../cli/notice-line.ts";
import type { FrontOpening } from "../../../session/front-session.ts";
import type { OpenCall } from "./open-call.ts";
import { dialogForm, permissionForm } from "./question-forms.ts";

export interface AtClient {
  /** It shows forms. */
  readonly canAsk: boolean;
  /** The call with this id, or the latest if a question is about none; undefined if no client waits. */
  readonly callOf: (id: string | undefined) => OpenCall<unknown> | undefined;
}

/** In characters: nobody reads more of a call in a form. */
const MAX_ASKED = 60_000;
const TOO_LONG = "the call is too long to show in a form, so it cannot be approved";

/** Nobody, if the client shows no forms. */
export function servedPerson({ canAsk, callOf }: AtClient): Pick<FrontOpening, "ask" | "ui"> {
  if (!canAsk) return {};
  return {
    async ask(question, signal) {
      const call = callOf(question.call?.id);
      if (call === undefined) return { kind: "no" };
      const { form, answer } = permissionForm(question);
      if (form.message.length > MAX_ASKED) return { kind: "no", reason: TOO_LONG };
      return answer(await call.ask(form, signal));
    },
    ui: {
      status: () => undefined,
      clear: () => undefined,
      render: () => undefined,
      async ask(feature, dialog, signal) {
        const call = callOf(undefined);
        if (call === undefined) return undefined;
        if (dialog.kind === "input" && dialog.isSecret === true) {
          // The client's agent would read it, and a form shows what is typed.
          process.stderr.write(
            noticeLine(
              `${feature} asks for a secret: you were not asked, because a form would show what you type`,
            ),
          );
          return undefined;
        }
        const { form, answer } = dialogForm(feature, dialog);
        return answer(await call.ask(form, signal));
      },
    },
  };
}
