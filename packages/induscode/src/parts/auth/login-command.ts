// `/login`: a console shows whatever is typed in it, so a key is never entered there.

import { describeError } from "indusagi/core";
import type { Command } from "../../feature/command.ts";
import { frontIn, sessionIn } from "../../session/session-here.ts";

export const loginCommand: Command = {
  name: "login",
  summary: "show how to store a provider's key, and which providers have one",
  run: async ({ handles, say }) => {
    const { home, settings } = sessionIn(handles.session);
    const { env } = frontIn(handles.session).line;
    const { keyTable, providersWithKeys } = await import("./key-table.ts");
    say(
      "To store a key: indus auth login PROVIDER in a shell. This session keeps the keys that it started with.",
    );
    try {
      say(keyTable(providersWithKeys(settings), { home, env }));
    } catch (error) {
      say(`! ${describeError(error)}`);
    }
  },
};
