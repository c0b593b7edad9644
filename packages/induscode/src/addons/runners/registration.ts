// What an addon recorded, in the protocol's form: the answer to `describe`.

import type { AddonModule, RecordedTask, RecordedTool, RegisteredManifest } from "../kit/index.ts";
import { PROTOCOL_VERSION } from "../process/protocol/messages.ts";
import { type SkippedCard, withSendableCards } from "./sendable-cards.ts";

/** `skipped`: what could not be recorded. Handlers and interceptors are referred to by their index in these lists. */
export function registrationOf(
  manifest: RegisteredManifest,
  { id, version, onFailure }: Omit<AddonModule, "register">,
  skipped: readonly SkippedCard[],
): Readonly<Record<string, unknown>> {
  return withSendableCards({
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
    tools: manifest.tools.map(toolCard),
    tasks: manifest.tasks.map(taskCard),
    instructions: manifest.instructions,
    skipped,
  });
}

function toolCard({ name, description, parameters, requiredCapabilities, resources }: RecordedTool): object {
  return { name, description, parameters, requiredCapabilities, resources };
}

function taskCard({
  id,
  description,
  activation,
  restart,
  graceMs,
  requiredCapabilities,
}: RecordedTask): object {
  return { id, description, activation, restart, graceMs, requiredCapabilities };
}
