// What concerns the terminal that somebody types in, wherever the session is open.

import { printable } from "indusagi/core";
import type { Entry } from "../../conductor/contract.ts";
import type { ThemeSwitch } from "../../console/theme-switch.ts";
import type { Command } from "../../feature/command.ts";
import type { SessionHandles } from "../../feature/services.ts";
import type { SessionFront } from "../../session/session-here.ts";
import type { SettingsPlace } from "../../settings/write-setting.ts";

export interface ThemedConsole {
  /** Absent if it has no colours to choose. */
  readonly themes: ThemeSwitch | undefined;
  /** Where the choice is kept. */
  readonly place: SettingsPlace;
}

/** `/theme`, in the console that `here` finds when the command is used. */
export function themeCommand(here: (handles: SessionHandles) => ThemedConsole): Command {
  return {
    name: "theme",
    summary: "list the colour themes, or choose one and keep it",
    argumentHint: "[name]",
    picks: true,
    complete: (_typed, handles) => {
      const { themes } = here(handles);
      const inForce = themes?.why() ?? "in force";
      return (themes?.names() ?? []).map((value) =>
        value === themes?.current() ? { value, detail: inForce } : value,
      );
    },
    run: async ({ args, handles, say }) => {
      const { themes, place } = here(handles);
      if (!themes) return say("This console has no themes to choose from; only the rich console has themes.");
      if (args !== "") {
        const { said, isChosen } = themes.choose(args);
        if (!isChosen) return say(said);
        const { writeSetting } = await import("../../settings/write-setting.ts");
        const written = await writeSetting("theme", JSON.stringify(args), place);
        return say(
          `${said}\n${typeof written === "string" ? `Later sessions will not have it. ${written}` : `It is kept in ${written.path}.`}`,
        );
      }
      const why = themes.why();
      say(
        `The theme is ${themes.current()}${why === undefined ? "" : `, ${why}`}. Available: ${themes.names().join(", ")}.`,
      );
    },
  };
}

/** The most that terminals accept. */
const MOST_COPIED = 74_000;

/** What the model said in this entry; undefined if it is no answer. */
export function answerIn(entry: Entry): string | undefined {
  if (entry.type !== "assistant") return undefined;
  const texts = entry.message.content.flatMap((block) => (block.kind === "text" ? [block.text] : []));
  return texts.length > 0 ? texts.join("\n") : undefined;
}

/** Copies the model's last answer to the clipboard, through the terminal (OSC 52). Returns the reply to `/copy`. */
export function copyText(
  answer: string | undefined,
  { toTerminal }: Pick<SessionFront, "toTerminal">,
): string {
  if (answer === undefined) return "No answer to copy yet.";
  if (!toTerminal) return "No terminal, so no clipboard to copy to.";
  const text = printable(answer);
  const bytes = Buffer.from(text);
  const isCut = bytes.length > MOST_COPIED;
  toTerminal(`\x1b]52;c;${bytes.subarray(0, MOST_COPIED).toString("base64")}\x07`);
  return isCut
    ? `The first ${MOST_COPIED} of ${bytes.length} bytes of the last answer were sent to the terminal's clipboard.`
    : `The last answer (${text.length} characters) was sent to the terminal's clipboard.`;
}
