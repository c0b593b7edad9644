import { oneOf, type SettingRow } from "../../settings/setting-row.ts";

/** Which changes of files are kept. */
export type KeptChanges = "edits" | "all" | "off";

export const CHECKPOINTS: SettingRow<KeptChanges> = {
  name: "checkpoints",
  check: oneOf(["edits", "all", "off"]),
  does: "which changes of files /rewind can take back: edits, all or off",
  otherwise: "edits",
  guide: "[Files as they were](sessions.md#files-as-they-were).",
};
