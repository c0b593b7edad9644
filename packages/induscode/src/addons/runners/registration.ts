// What an addon recorded, in the protocol's form: the answer to `describe`.

import type { AddonModule, RecordedTask, RecordedTool, RegisteredManifest } from "../kit/index.ts";
import { PROTOCOL_VERSION } from "../process/protocol/messages.ts";
import { errorText } from "./error-text.ts";

/** A frame may have 200, with those around a schema. */
const MAX_LEVELS = 190;

/** Handlers, interceptors and so on are referred to by their index in these lists. */
export function registrationOf(
  manifest: RegisteredManifest,
  { id, version, onFailure }: Omit<AddonModule, "register">,
  tell: (problem: string) => void,
): Readonly<Record<string, unknown>> {
  return {
    protocol: PROTOCOL_VERSION,
    id,
    version,
    onFailure,
    handlers: manifest.subscriptions.map(({ event, handler }) => ({
      event,
      kind: handler.kind,
      onFailure: handler.kind === "gate" ? handler.onFailure : undefined,
    })),
    interceptors: manifest.interceptors.map(({ match, enter, exit }) => ({
      match,
      enter: enter !== undefined,
      exit: exit !== undefined,
    })),
    commands: manifest.commands.map(({ name, summary, argumentHint }) => ({ name, summary, argumentHint })),
    tools: manifest.tools.flatMap((tool) => toolCard(tool, tell)),
    tasks: manifest.tasks.map(taskCard),
  };
}

/** A schema that cannot be sent, because it holds itself or has no end, would cost all that the addon registers. */
function toolCard(
  { name, description, parameters, requiredCapabilities }: RecordedTool,
  tell: (problem: string) => void,
): readonly unknown[] {
  const problem = sendProblem(parameters);
  if (problem === undefined) return [{ name, description, parameters, requiredCapabilities }];
  tell(`the tool ${name} is skipped: its schema cannot be sent: ${problem}`);
  return [];
}

function sendProblem(value: unknown): string | undefined {
  try {
    if (!isWithin(value, MAX_LEVELS))
      return `it holds itself, or is nested more than ${MAX_LEVELS} levels deep`;
    JSON.stringify(value);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isWithin(item, levels - 1));
}

function taskCard({
  id,
  description,
  activation,
  restart,
  graceMs,
  requiredCapabilities,
}: RecordedTask): unknown {
  return { id, description, activation, restart, graceMs, requiredCapabilities };
}
