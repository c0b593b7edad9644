import { type SettingRow, text } from "../../settings/setting-row.ts";

/** Where `indus addons search` looks. */
export const ADDONS_INDEX: SettingRow<string> = {
  name: "addonsIndex",
  check: text,
  does: "the index that indus addons search looks in: an address, or a file",
  otherwise: "none",
  guide: "[Publishing an addon](publishing.md#an-index).",
};
