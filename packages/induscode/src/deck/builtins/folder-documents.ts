// Standing instructions of deeper folders: they join when a tool first touches something there, as a logged notice.

import { resolvePath } from "indusagi/core";
import type { FeatureModule } from "../../feature/contract.ts";
import { stringArgument } from "./accesses.ts";

export interface FolderDocuments {
  readonly cwd: string;
  /** The text that a first visit to this path adds; undefined when there is none. */
  readonly touched: (path: string) => string | undefined;
  /** Commits the text as a notice before the next model call. */
  readonly inform: (text: string) => void;
}

const EVENT = "tool:after";

export function folderDocumentsFeature({ cwd, touched, inform }: FolderDocuments): FeatureModule {
  return {
    descriptor: {
      id: "builtin:folder-documents",
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
      hooks.on(EVENT, {
        kind: "observe",
        run: ({ args, isError }) => {
          const path = stringArgument(args, "path");
          const text = isError || path === undefined ? undefined : touched(resolvePath(cwd, path));
          if (text !== undefined) inform(text);
        },
      });
    },
  };
}
