// The person at a client: asked through the call that needs an answer.

import type { FrontOpening } from "../../../session/front-session.ts";
import type { OpenCall } from "./open-call.ts";
import { dialogForm, permissionForm } from "./question-forms.ts";

export interface AtClient {
  /** It shows forms. */
  readonly canAsk: boolean;
  /** The call with this id, or the latest if a question is about none; undefined if no client waits. */
  readonly callOf: (id: string | undefined) => OpenCall<unknown> | undefined;
}

/** Nobody, if the client shows no forms. */
export function servedPerson({ canAsk, callOf }: AtClient): Pick<FrontOpening, "ask" | "ui"> {
  if (!canAsk) return {};
  return {
    async ask(question, signal) {
      const call = callOf(question.call?.id);
      if (call === undefined) return { kind: "no" };
      const { form, answer } = permissionForm(question);
      return answer(await call.ask(form, signal));
    },
    ui: {
      status: () => undefined,
      clear: () => undefined,
      render: () => undefined,
      async ask(feature, dialog, signal) {
        const call = callOf(undefined);
        if (call === undefined) return undefined;
        const { form, answer } = dialogForm(feature, dialog);
        return answer(await call.ask(form, signal));
      },
    },
  };
}
