// The table of parts: what a person can name, each in a folder of `parts`. Its order is that of their commands in `/help`.

import type { PartRow } from "../cli/subcommand-row.ts";
import { acpPart } from "../parts/acp/part.ts";
import { addonsPart } from "../parts/addons/part.ts";
import { authPart } from "../parts/auth/part.ts";
import { authorPart } from "../parts/author/part.ts";
import { blamePart } from "../parts/blame/part.ts";
import { checkpointsPart } from "../parts/checkpoints/part.ts";
import { completionPart } from "../parts/completion/part.ts";
import { consolePart } from "../parts/console/part.ts";
import { crewPart } from "../parts/crew/part.ts";
import { delegatesPart } from "../parts/delegates/part.ts";
import { doctorPart } from "../parts/doctor/part.ts";
import { exportPart } from "../parts/export/part.ts";
import { jobsPart } from "../parts/jobs/part.ts";
import { mcpPart } from "../parts/mcp/part.ts";
import { memoryPart } from "../parts/memory/part.ts";
import { modelsPart } from "../parts/models/part.ts";
import { packagesPart } from "../parts/packages/part.ts";
import { permissionsPart } from "../parts/permissions/part.ts";
import { planPart } from "../parts/plan/part.ts";
import { promptPart } from "../parts/prompt/part.ts";
import { replayPart } from "../parts/replay/part.ts";
import { servePart } from "../parts/serve/part.ts";
import { sessionsPart } from "../parts/sessions/part.ts";
import { telemetryPart } from "../parts/telemetry/part.ts";
import { usagePart } from "../parts/usage/part.ts";
import { viewPart } from "../parts/view/part.ts";
import { workItemsPart } from "../parts/work-items/part.ts";

export const PARTS: readonly PartRow[] = [
  consolePart,
  planPart,
  promptPart,
  delegatesPart,
  sessionsPart,
  checkpointsPart,
  exportPart,
  viewPart,
  usagePart,
  replayPart,
  blamePart,
  memoryPart,
  workItemsPart,
  modelsPart,
  authPart,
  jobsPart,
  permissionsPart,
  completionPart,
  addonsPart,
  mcpPart,
  packagesPart,
  authorPart(async (line, author) => (await import("./run-console.ts")).runConsole(line, author)),
  crewPart,
  acpPart,
  telemetryPart,
  servePart,
  doctorPart,
];
