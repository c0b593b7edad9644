// The model that a file asks for: whose word counts, and which words mean one.

import type { BriefingDiagnostic, MacroOrigin } from "./contract.ts";

/** Why a file does not get the model that it names; undefined if it does. A name without a provider is one that the person gave. */
export function modelProblem(
  model: string,
  origin: MacroOrigin,
  aliases: ReadonlySet<string> = new Set(),
): string | undefined {
  if (!model.includes("/")) return aliases.has(model) ? undefined : `no model has the alias ${model}`;
  return origin === "project"
    ? "only files in your home folder may name a model as provider/model"
    : undefined;
}

/** What to do about a {@link modelProblem}. */
function howToName(model: string): string {
  const alias = model.split("/").at(-1) ?? model;
  return `give it a name in ~/.indus/models.json: "aliases": { "${alias}": "provider/model" }`;
}

/** Says that a file works with the session's own. */
export function withSessionModel(path: string, model: string, problem: string): BriefingDiagnostic {
  const message = `${path}: its model ${model} is not used: ${problem}`;
  return { kind: "unsupported", path, message, instead: howToName(model) };
}
