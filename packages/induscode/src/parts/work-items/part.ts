// Work items: what needs doing in a folder beyond one session.

import type { PartRow } from "../../cli/subcommand-row.ts";

export const workItemsPart: PartRow = {
  name: "work items",
  features: async ({ settings }) =>
    settings.workItems === true ? [(await import("./work-item-tools.ts")).workItemsFeature()] : [],
  inSession: async (place) => (await import("./in-session.ts")).joinWithWorkItems(place),
};
