// A folder's work items, as one session writes them: built-in features under its name, addons under their own.

import { basename } from "node:path";
import type { JoinSession, PartPlace } from "../../cli/part.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import { isBuiltIn } from "../../feature/descriptor.ts";
import { sessionIn } from "../../session/session-here.ts";
import { homePath } from "../../store/home-files.ts";

export function joinWithWorkItems({ folder, home }: PartPlace): JoinSession {
  const path = homePath(home, "workItems", basename(sessionFolder(home, folder)));
  return (scope) => {
    const { secrets } = sessionIn(scope);
    /** Loaded on first use, and one for all: it knows what it has read. */
    let opening: Promise<ReturnType<typeof import("./work-items.ts").openWorkItems>> | undefined;
    const open = () => {
      opening ??= import("./work-items.ts").then(({ openWorkItems }) => openWorkItems(path, secrets));
      return opening;
    };
    return {
      host: (sessionId) => ({
        workItems: async (feature) => (await open())(isBuiltIn(feature) ? `session ${sessionId()}` : feature),
      }),
    };
  };
}
