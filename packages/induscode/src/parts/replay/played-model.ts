// The model of a replayed session: it answers each line with its recorded answers, whatever is asked.

import {
  cardFor,
  type ModelFault,
  type ModelProvider,
  type ModelReply,
  parseModelName,
} from "indusagi/llmgateway";
import type { Part } from "../../cli/part.ts";
import type { Conductor, Entry, UserContent } from "../../conductor/contract.ts";
import type { SessionModels } from "../../session/models/session-models.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { replyIn, type TapedLine } from "./tape.ts";

type Act =
  | { readonly kind: "reply"; readonly reply: ModelReply; readonly joining: readonly UserContent[] }
  /** Interrupted in the middle, after this text. */
  | { readonly kind: "interrupted"; readonly text: string };

export interface PlayedModel {
  readonly models: SessionModels;
  /** From now on it answers this line of the session. */
  readonly begin: (line: TapedLine, conductor: Pick<Conductor, "steer" | "abort">) => void;
}

export interface PlayedFacts {
  readonly home: string;
  readonly cwd: string;
  readonly parts: readonly Part[];
}

/** `first` is the `provider/model` that the session began with; context windows come from the settings in `home`. */
export async function createPlayedModel(
  first: string,
  { home, cwd, parts }: PlayedFacts,
): Promise<PlayedModel> {
  const { models = {} } = (await loadSettings(home, cwd, parts)).settings;
  let acts: Act[] = [];
  let line: TapedLine | undefined;
  let conductor: Parameters<PlayedModel["begin"]>[1] | undefined;

  const stream: ModelProvider["stream"] = async (_request, { signal, onDelta }) => {
    const act = acts.shift();
    onDelta({ kind: "connected" });
    if (act?.kind === "reply" && !signal.aborted) {
      for (const content of act.joining) conductor?.steer(content);
      return { ok: true, reply: act.reply };
    }
    if (act?.kind === "interrupted") onDelta({ kind: "text", text: act.text });
    const end = endOf(line?.entries ?? []);
    if (act?.kind === "interrupted" || end === undefined || end.how === "aborted") {
      conductor?.abort();
      return { ok: false, fault: fault("aborted", "The session was stopped here.") };
    }
    if (end.fault) return { ok: false, fault: fault("request", end.fault.message) };
    return {
      ok: false,
      fault: fault("exhausted", "The model is called more often than when the session was recorded."),
    };
  };

  return {
    models: {
      name: first,
      lateNotices: () => [],
      names: () => [],
      fallbacks: [],
      async resolve(name) {
        const { provider: id = "", model = name } = parseModelName(name) ?? {};
        const card = { ...cardFor(id, model), ...models[name] };
        return { ok: true, name, provider: { id, stream }, model, card };
      },
    },
    begin(next, its) {
      line = next;
      conductor = its;
      acts = actsOf(next.entries);
    },
  };
}

function actsOf(entries: readonly Entry[]): Act[] {
  const acts: Act[] = [];
  let joining: UserContent[] = [];
  for (const entry of entries) {
    const reply = replyIn(entry);
    if (reply) {
      joining = [];
      acts.push({ kind: "reply", reply, joining });
    } else if (entry.type === "assistant") {
      const text = entry.message.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
      acts.push({ kind: "interrupted", text });
    } else if (entry.type === "user" && entry.via === "steer") joining.push(entry.typed ?? entry.content);
    else if (entry.type === "end") break; // what follows is the person's own action
  }
  return acts;
}

/** How the line ended; undefined if the program ended before it. */
export function endOf(entries: readonly Entry[]): Extract<Entry, { readonly type: "end" }> | undefined {
  return entries.find((entry) => entry.type === "end");
}

function fault(kind: ModelFault["kind"], message: string): ModelFault {
  return { kind, message };
}
