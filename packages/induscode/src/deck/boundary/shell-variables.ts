import type { SetVariable } from "../../feature/tool.ts";
import { changedVariables, isHarmlessVariable } from "../../feature/variables.ts";
import type { Passage } from "./passage.ts";

/** Features set variables for a command: those that can affect what runs become part of what is decided. */
export async function setVariables(passage: Passage): Promise<undefined> {
  const { accesses, call, command, hooks, sender, session, time } = passage;
  if (!command) return;
  // Features never see a denied call.
  if (accesses !== passage.notDenied) {
    const denied = await session.permissions.deny({ tool: call.name, accesses });
    if (denied.kind === "refuse") return;
  }
  const {
    payload,
    changedBy,
    steps = [],
  } = await hooks.dispatcher.dispatch(
    "shell:env",
    { command: command.command, env: {} },
    { signal: sender.signal, time },
  );
  const setBy = new Map<string, string>();
  for (const [at, by] of changedBy.entries()) {
    const names = changedVariables(steps[at - 1]?.env, steps[at]?.env).map(({ name }) => name);
    for (const name of names) setBy.set(name, by.feature);
    passage.changes.push({ at: "shell:env", ...by, detail: names.sort().join(", ") });
  }
  passage.env = payload.env;
  const variables = Object.entries(payload.env).flatMap(([name, value]): readonly SetVariable[] => {
    const by = setBy.get(name) ?? "";
    return isHarmlessVariable(by, name, value) ? [] : [{ name, value, by }];
  });
  if (variables.length > 0)
    passage.accesses = accesses.map((access) =>
      access.kind === "execute" ? { ...access, variables } : access,
    );
}
