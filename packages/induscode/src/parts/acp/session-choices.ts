// What can be chosen in a session by an editor's menus: the permission mode, the model, how hard it thinks.

import {
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
} from "@agentclientprotocol/sdk/unstable";
import type { Conductor } from "../../conductor/contract.ts";
import { chooseModel, chooseThinking, chooseMode as modeProblem } from "../../session/choices.ts";
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
export function chooseMode(session: Chooses, wanted: unknown): void {
  refuse(modeProblem(session, wanted));
}

/** Throws the protocol's error if there is no such option or value. */
export async function chooseOption(session: Chooses, id: string, value: unknown): Promise<void> {
  switch (id) {
    case "mode":
      return chooseMode(session, value);
    case "model":
      return refuse(await chooseModel(session.conductor, value));
    case "thinking":
      return refuse(chooseThinking(session.conductor, value));
    default:
      return refuse(`unknown option ${JSON.stringify(id)}; expected mode, model or thinking`);
  }
}

function refuse(why: string | undefined): void {
  if (why !== undefined) throw RequestError.invalidParams(undefined, why);
}
