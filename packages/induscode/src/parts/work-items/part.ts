// Work items: what needs doing in a folder beyond one session.

import type { PartRow } from "../../cli/subcommand-row.ts";
import { bool, type SettingRow, settingOf } from "../../settings/setting-row.ts";

const WORK_ITEMS: SettingRow<boolean> = {
  name: "workItems",
  check: bool,
  does: "tools for work items, which outlast a session",
  otherwise: "false",
  guide: "[Work items](sessions.md#work-items).",
};

export const workItemsPart: PartRow = {
  name: "work items",
  settings: [WORK_ITEMS],
  features: async ({ settings }) =>
    settingOf(settings, WORK_ITEMS) === true
      ? [(await import("./work-item-tools.ts")).workItemsFeature()]
      : [],
  inSession: async (place) => (await import("./in-session.ts")).joinWithWorkItems(place),
};
