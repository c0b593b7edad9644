// What can be chosen in a session by an editor's menus: the permission mode, the model, how hard it thinks.

import {
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
} from "@agentclientprotocol/sdk/unstable";
import type { Conductor } from "../../conductor/contract.ts";
import { START_MODES } from "../../deck/permissions/modes.ts";
import type { IndusSession } from "../../session/open-indus.ts";
import { THINKING_LEVELS } from "../../settings/thinking-levels.ts";

type Chooses = Pick<IndusSession, "modes"> & {
  readonly conductor: Pick<Conductor, "status" | "setModel" | "setThinking">;
  readonly lent: { readonly models: Pick<IndusSession["lent"]["models"], "names"> };
};

export function modeState({ modes }: Chooses): SessionModeState {
  return {
    currentModeId: modes.inForce(),
    availableModes: modes
      .choices()
      .map(({ mode, meaning }) => ({ id: mode, name: mode, description: meaning })),
  };
}

export function configOptions(session: Chooses): SessionConfigOption[] {
  const { model, params } = session.conductor.status();
  const names = session.lent.models.names();
  const { currentModeId, availableModes } = modeState(session);
  return [
    {
      type: "select",
      id: "mode",
      name: "Permissions",
      category: "mode",
      currentValue: currentModeId,
      options: availableModes.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      type: "select",
      id: "model",
      name: "Model",
      category: "model",
      currentValue: model,
      options: [...new Set([model, ...names])].map((name) => ({ value: name, name })),
    },
    {
      type: "select",
      id: "thinking",
      name: "Thinking",
      category: "thought_level",
      currentValue: params.thinking ?? "off",
      options: THINKING_LEVELS.map((level) => ({ value: level, name: level })),
    },
  ];
}

/** Throws the protocol's error if there is no such mode, or the session cannot be in it. */
export function chooseMode({ modes }: Chooses, wanted: unknown): void {
  const mode = START_MODES.find((each) => each === wanted);
  if (mode === undefined)
    throw RequestError.invalidParams(
      undefined,
      `unknown mode ${JSON.stringify(wanted)}; expected ${START_MODES.join(", ")}`,
    );
  const why = modes.choose(mode);
  if (why !== undefined)
    throw RequestError.invalidParams(undefined, `the mode stays ${modes.inForce()}: ${why}`);
}

/** Throws the protocol's error if there is no such option or value. */
export async function chooseOption(session: Chooses, id: string, value: unknown): Promise<void> {
  switch (id) {
    case "mode":
      return chooseMode(session, value);
    case "model": {
      const fault = typeof value === "string" ? await session.conductor.setModel(value) : undefined;
      if (typeof value === "string" && fault === undefined) return;
      throw RequestError.invalidParams(undefined, fault?.message ?? "expected the name of a model");
    }
    case "thinking": {
      const level = THINKING_LEVELS.find((each) => each === value);
      if (level !== undefined) return session.conductor.setThinking(level);
      throw RequestError.invalidParams(
        undefined,
        `unknown value ${JSON.stringify(value)}; expected ${THINKING_LEVELS.join(", ")}`,
      );
    }
    default:
      throw RequestError.invalidParams(
        undefined,
        `unknown option ${JSON.stringify(id)}; expected mode, model or thinking`,
      );
  }
}
