// Names a session with a model the person configured for it: asked once, when the first task is answered, in parallel with
// what follows. The question is logged with its answer.

import { beginningOf, describeError, trimEndOf, trimStartOf } from "indusagi/core";
import type { AssistantMessage, Message, ModelRequest } from "indusagi/llmgateway";
import { saidText } from "../conductor/branch.ts";
import type { Conductor, Entry } from "../conductor/contract.ts";
import { budgetProblem, type CostBudget, pricedReply } from "../conductor/cost.ts";
import type { ModelResolver } from "../conductor/model-in-use.ts";

export interface TitleFacts {
  readonly conductor: Pick<Conductor, "subscribe" | "announce" | "noteTitle" | "status">;
  readonly resolveModel: ModelResolver;
  /** The setting `titleModel`. */
  readonly model: string;
  readonly budget?: CostBudget;
}

const QUESTION =
  "Give the conversation that begins like this a name of at most eight words, in its language. Answer with the name alone.";
const MAX_SAID = 2_000;
const MAX_ANSWERED = 1_000;
/** A name fits on one line of a list. */
const MAX_TITLE = 80;

/** Listens until `close`. A session that already has a name keeps it. */
export function nameSessions({ conductor, resolveModel, model, budget }: TitleFacts): { close(): void } {
  const leaving = new AbortController();
  let said: string | undefined;
  let answered = "";
  let named: string | undefined;
  const stopListening = conductor.subscribe((event) => event.kind === "entry" && see(event.entry), {
    pieces: false,
  });

  function see(entry: Entry): void {
    if (entry.type === "title") named = conductor.status().sessionId;
    if (entry.type === "user") said ??= saidText(entry);
    if (entry.type === "assistant") answered = textIn(entry.message.content);
    if (entry.type !== "end") return;
    const first = entry.turns === 1 && entry.how === "complete" ? said : undefined;
    said = undefined;
    if (!first || named === conductor.status().sessionId) return;
    const { sessionId } = conductor.status();
    const asked = `${QUESTION}\n\nPerson:\n${first.slice(0, MAX_SAID)}\n\nAssistant:\n${answered.slice(0, MAX_ANSWERED)}`;
    void ask(asked, sessionId)
      .catch(describeError)
      .then((problem) => {
        if (problem === undefined || leaving.signal.aborted) return;
        const text = `The session keeps its first line as its name: ${problem}`;
        conductor.announce({ kind: "alert", text });
      });
  }

  /** Returns why it got no name. */
  async function ask(asked: string, sessionId: string): Promise<string | undefined> {
    const found = await resolveModel(model);
    if (!found.ok) return found.fault.message;
    const problem = budgetProblem(found, budget);
    if (problem !== undefined) return problem;
    const message: Message = { role: "user", content: [{ kind: "text", text: asked }] };
    const request: ModelRequest = {
      model: found.model,
      system: "",
      tools: [],
      messages: [message],
      params: {},
    };
    const { signal } = leaving;
    const result = await found.provider.stream(request, { signal, onDelta: () => undefined });
    if (!result.ok) return result.fault.message;
    const { usage } = result.reply;
    const priced = pricedReply(found, usage, budget);
    const text = titleIn(textIn(result.reply.message.content));
    if (text === "") return `${model} returned no name.`;
    // The person may have named this session meanwhile, or begun another.
    if (named === sessionId) return undefined;
    if (conductor.status().sessionId !== sessionId) return `${model} answered after the session was left.`;
    conductor.noteTitle({ text, by: found.name ?? model, asked, usage, ...priced });
    return undefined;
  }

  return {
    close() {
      stopListening();
      leaving.abort();
    },
  };
}

/** Models like to quote a name or make it a heading. */
function titleIn(text: string): string {
  const [first = ""] = text.trim().split("\n", 1);
  const isAround = (character: string): boolean => "#*_\"'`“”«».: ".includes(character);
  return beginningOf(trimEndOf(trimStartOf(first, isAround), isAround), MAX_TITLE);
}

function textIn(content: AssistantMessage["content"]): string {
  return content.flatMap((block) => (block.kind === "text" ? block.text : [])).join("\n");
}
