// The session's model, for texts of a feature's own: the conversation has nothing of them, the log all, and the person hears what each cost.

import { formatDollars } from "indusagi/core";
import type { Message, ModelRequest } from "indusagi/llmgateway";
import type { Conductor } from "../conductor/contract.ts";
import { budgetProblem, pricedReply } from "../conductor/cost.ts";
import type { SessionHost } from "../feature/host.ts";
import type { ModelFacts } from "./open-facts.ts";

type LentModel = NonNullable<SessionHost["sample"]>;

export function lendModel(
  { resolveModel, budget }: Pick<ModelFacts, "resolveModel" | "budget">,
  conductor: Pick<Conductor, "status" | "announce" | "noteSample">,
): LentModel {
  return async (feature, { messages, system = "", maxTokens, temperature }, signal) => {
    const found = await resolveModel(conductor.status().model);
    if (!found.ok) throw new Error(found.fault.message);
    const problem = budgetProblem(found, budget);
    if (problem !== undefined) throw new Error(problem);
    const limited = { maxOutputTokens: maxTokens };
    const request: ModelRequest = {
      ...{ model: found.model, system, tools: [] },
      messages: messages.map(({ role, text }): Message => ({ role, content: [{ kind: "text", text }] })),
      params: temperature === undefined ? limited : { ...limited, temperature },
    };
    const result = await found.provider.stream(request, { signal, onDelta: () => undefined });
    if (!result.ok) throw new Error(result.fault.message);
    const { message, usage, stop } = result.reply;
    const priced = pricedReply(found, usage, budget);
    const text = message.content.flatMap((block) => (block.kind === "text" ? block.text : [])).join("\n");
    const by = `${found.card.provider}/${found.card.id}`;
    const asked = [system, ...messages.map((each) => `${each.role}: ${each.text}`)].join("\n\n").trim();
    conductor.noteSample({ feature, by, asked, text, usage, ...priced });
    const cost = priced.cost === undefined ? "at an unknown price" : `for ${formatDollars(priced.cost)}`;
    const tokens = `${usage.inputTokens} tokens in, ${usage.outputTokens} out`;
    conductor.announce({ kind: "alert", text: `${feature} used ${by}: ${tokens}, ${cost}` });
    return { text, model: by, isCut: stop === "max_output" };
  };
}
