// What an addon recorded, in the protocol's form: the answer to `describe`.

import type { AddonModule, RecordedTask, RegisteredManifest } from "../kit/index.ts";
import { PROTOCOL_VERSION } from "../process/protocol/messages.ts";

/** Handlers, interceptors and so on are referred to by their index in these lists. */
export function registrationOf(
  manifest: RegisteredManifest,
  { id, version, onFailure }: Omit<AddonModule, "register">,
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
    tools: manifest.tools.map(({ name, description, parameters, requiredCapabilities }) => ({
      name,
      description,
      parameters,
      requiredCapabilities,
    })),
    tasks: manifest.tasks.map(taskCard),
  };
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
