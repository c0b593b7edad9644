// What the start tells of addons, and of files that are in place but not used.

import { digestOf } from "../../addons/source/entry-marks.ts";
import { limitedLines } from "../../cli/limited-lines.ts";
import { unknownTools } from "../../deck/builtins/delegate-roles.ts";
import { homePath } from "../../store/home-files.ts";
import {
  gatherFindings,
  idleGuards,
  type StartManner,
  skippedParts,
  startLines,
} from "../features/findings.ts";
import type { ForeignFile } from "../features/foreign-files.ts";
import { untold } from "../told-once.ts";
import { unmaskableNotice } from "../unmaskable-notice.ts";
import type { StartFeatures } from "./features.ts";
import { ADDONS, MEND, type StartSettings } from "./settings.ts";

/** Adds the lines. */
export async function tellFindings(
  start: StartSettings,
  { features, briefing, profiles }: StartFeatures,
): Promise<void> {
  const { options, secrets, notices } = start;
  const { flags, home } = options;
  const { registry } = features;
  notices.lines.unshift(...limitedLines(features.quarantined, ADDONS)); // what is unguarded comes first
  const manner: StartManner = {
    isVerbose: flags.verbose === true,
    isTalking: flags.print !== true && flags.json !== true,
    isNews: (whats) => untold(home, "toldFiles", [digestOf([options.cwd, ...whats].join("\0"))]).length > 0,
  };
  const findings = gatherFindings({
    diagnostics: briefing.diagnostics,
    foreign: await foreignHere(manner, start, briefing.folderDocs.files()),
    commands: briefing.commands,
    reports: registry.reports,
    strays: features.strays,
    delegates: unknownTools(profiles, registry.tools),
    packages: homePath(home, "packages"),
  });
  notices.lines.push(
    ...limitedLines(features.problems, ADDONS),
    ...limitedLines(features.warnings, ADDONS),
    ...limitedLines(features.skipped, ADDONS),
    ...limitedLines(skippedParts(registry.reports), ADDONS),
    ...limitedLines(idleGuards(registry), MEND),
    ...startLines(findings, manner),
    ...unmaskableNotice(home, secrets),
  );
}

/** Looked for only where the start tells of them. */
async function foreignHere(
  { isVerbose, isTalking }: StartManner,
  { options, personHome }: StartSettings,
  used: readonly string[],
): Promise<readonly ForeignFile[]> {
  if (!isVerbose && !isTalking) return [];
  const { findForeignFiles, foreignPlaces } = await import("../features/foreign-files.ts");
  const { addedServers } = await import("../features/added-servers.ts");
  const { "mcp-config": servers = [] } = options.flags;
  const all = [...used, ...servers, ...addedServers(options.home)];
  return findForeignFiles(foreignPlaces(options.cwd, { home: options.home, personHome }, all));
}
