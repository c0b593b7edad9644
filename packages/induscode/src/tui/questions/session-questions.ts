// What a session asks the person: permissions, yes or no, and what features ask. All in turn, and nothing new after they have left.

import { Aborted } from "indusagi/core";
import type { LineLook } from "../../console/transcript-lines.ts";
import type { ConsoleList } from "../../feature/command.ts";
import type { PermissionAsker } from "../../feature/permission.ts";
import type { SessionUi } from "../../feature/ui.ts";
import type { AskedAbout } from "../transcript/live-rows.ts";
import { askForAddon } from "./addon-dialog.ts";
import type { Asking } from "./asking.ts";
import { askPermission, askYesOrNo } from "./permission.ts";

interface SessionQuestionsParts {
  readonly asking: Asking;
  readonly look: () => LineLook;
  /** Whether leaving a question stops a running task. */
  readonly endsTask: () => boolean;
}

export interface SessionQuestions {
  readonly permission: PermissionAsker;
  readonly yesOrNo: (lines: readonly string[]) => Promise<"yes" | "no" | undefined>;
  readonly ofFeature: SessionUi["ask"];
  readonly pick: ConsoleList["pick"];
  /** The call that the open question is about. */
  readonly about: () => AskedAbout | undefined;
}

export function createSessionQuestions({ asking, look, endsTask }: SessionQuestionsParts): SessionQuestions {
  const { inTurn, hasLeft } = asking;
  let about: AskedAbout | undefined;
  return {
    permission: (asked, signal) =>
      inTurn(async () => {
        const { id = "", delegate } = asked.call ?? {};
        about = { id, delegate };
        try {
          return await askPermission(asking, asked, { look, hasLeft, endsTask, signal });
        } finally {
          about = undefined;
        }
      }),
    yesOrNo: (lines) => inTurn(async () => (hasLeft() ? undefined : askYesOrNo(asking, lines))),
    ofFeature: (feature, dialog, signal) =>
      inTurn(async () => {
        if (signal.aborted) throw new Aborted();
        return hasLeft() ? undefined : askForAddon(asking, feature, dialog, { look, signal });
      }),
    pick: (...list) => inTurn(async () => (hasLeft() ? undefined : asking.pick(...list))),
    about: () => about,
  };
}
