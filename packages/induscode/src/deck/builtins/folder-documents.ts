// Standing instructions of deeper folders: they join when a tool first touches something there, as a logged notice.

import { resolvePath } from "indusagi/core";
import type { EventSubscription, FeatureModule } from "../../feature/contract.ts";
import { stringArgument } from "./accesses.ts";

export interface FolderDocuments {
  readonly cwd: string;
  /** Hears of each path that a tool has used. */
  readonly visit: (path: string) => void;
}

/** The feature, which is the origin of the notices. */
export const FOLDER_DOCUMENTS = "builtin:folder-documents";
const EVENT = "tool:after";

export function folderDocumentsFeature(documents: FolderDocuments): FeatureModule {
  return {
    descriptor: {
      id: FOLDER_DOCUMENTS,
      displayName: "Documents of deeper folders",
      runtime: "builtin",
      requestedCapabilities: [
        {
          capability: { kind: "contribute_hook", point: EVENT },
          required: true,
          reason: "sees which folders tools touch",
        },
      ],
      declaredTools: [],
      declaredCommands: [],
      declaredHooks: [EVENT],
      declaredTasks: [],
    },
    install({ hooks }) {
      hooks.on(EVENT, handlerOf(documents));
    },
  };
}

/** The same for one delegate's session in the place of the main one's: what it reads there, it is told there. */
export function forDelegate(
  subscriptions: readonly EventSubscription[],
  documents: FolderDocuments,
): readonly EventSubscription[] {
  return subscriptions.map((each) =>
    each.feature === FOLDER_DOCUMENTS
      ? ({ ...each, handler: handlerOf(documents) } as EventSubscription)
      : each,
  );
}

function handlerOf({ cwd, visit }: FolderDocuments): EventSubscription<typeof EVENT>["handler"] {
  return {
    kind: "observe",
    run: ({ args, isError }) => {
      const path = stringArgument(args, "path");
      if (!isError && path !== undefined) visit(resolvePath(cwd, path));
    },
  };
}
