import { expect, it } from "vitest";
import type * as door from "./index.ts";

it("offers its published names", async () => {
  const values: Readonly<Record<string, unknown>> = await import("./index.ts");
  const functions = ["composeBriefing", "composeBriefingWithOptions", "composeWith", "discoverProfiles"];
  const names = ["AGENTS_DIR", "BRIEFING_SECTIONS", "BRIEFING_SECTION_IDS", "TOOL_SUMMARIES", ...functions];
  expect(names.filter((name) => values[name] === undefined)).toEqual([]);
  // Must compile, or `npm run check` fails.
  type Published = [
    door.BriefingContext,
    door.BriefingSection,
    door.SectionFn,
    door.Macro,
    door.GatherContextDocsOptions,
  ];
  const types: Published["length"] = 5;
  expect(types).toBe(5);
});
