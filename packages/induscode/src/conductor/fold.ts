// The model's view as a pure fold of the log: nothing reaches a request except through an entry (invariant 1). The view and its
// digest are kept incrementally, so that a turn costs what it adds. However damaged the log, every provider accepts the view: each
// call has its outcome after it, each outcome its call before it.

import { createHash, type Hash } from "node:crypto";
import type {
  AssistantMessage,
  ImageBlock,
  Message,
  ModelParams,
  ModelRequest,
  RateLimit,
  ToolCallBlock,
  ToolDescriptor,
  Usage,
} from "indusagi/llmgateway";
import type { Entry, ModelCost } from "./contract.ts";
import { type CostEntry, CostSum } from "./cost.ts";
import { NO_USAGE, sumUsage } from "./usage.ts";

/** What precedes the messages of a request. */
export interface PromptFacts {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDescriptor[];
  readonly params: ModelParams;
}

/** Which entry a message of the view comes from, and how much room it takes. */
export interface ViewPlace {
  /** The number of its entry. */
  readonly n: number;
  readonly chars: number;
  /** It replaces an outcome and says how to see it again. */
  readonly isBlank?: true;
  /** It is a line of the person's. */
  readonly isLine?: true;
}

/** An earlier state of a view: see {@link ContextFold.mark}. */
export interface FoldMark {
  /** Append-only. */
  readonly messages: readonly Message[];
  readonly places: readonly ViewPlace[];
  readonly length: number;
  readonly chain: Hash;
  readonly chars: number;
  readonly openCalls: readonly ToolCallBlock[];
  readonly contextTokens: number;
  readonly countedChars: number;
}

/** How often a view had to be repaired because lines of its log are missing. */
export interface Repairs {
  /** Outcomes whose call is missing: the model does not see them. */
  readonly droppedOutcomes: number;
  /** Calls whose outcome is missing: the model reads that it is lost. */
  readonly closedCalls: number;
  /** Answers with nothing before them: a line is inserted that says something is missing. */
  readonly missingLines: number;
}

const LOST_OUTCOME =
  "The outcome of this call is lost: the session log was damaged. Whether the call had an effect is unknown: look before you repeat it.";
const LOST_LINE = "[A line of this conversation is missing here: the session log was damaged.]";

// A rough estimate for what the provider has not counted; it only decides when to compact.
const CHARS_PER_TOKEN = 4;
// A lower figure means that the provider counted something else.
const FEWEST_CHARS_PER_TOKEN = 0.8;
/** More than this is not held to be hashed later. */
const UNHASHED_CHARS = 65_536;
const PICTURE_CHARS = 1_600 * CHARS_PER_TOKEN;

/** Folds entries, one at a time, into the request that the next model call sends. */
export class ContextFold {
  #messages: Message[] = [];
  #places: ViewPlace[] = [];
  /** The number of the entry being added. */
  #n = 0;
  #session: Extract<Entry, { type: "session" }> | undefined;
  #chain: Hash = createHash("sha256");
  /** The end of the chain's text: hashing many messages at once takes a fraction of hashing each. */
  #unhashed = "";
  #chars = 0;
  #prompt: PromptFacts | undefined;
  #promptDigest = "";
  #promptChars = 0;
  /** Derived from the provider's count of the last request: Chinese text and figures have fewer than prose. */
  #charsPerToken = CHARS_PER_TOKEN;
  #clock: number | undefined;
  #patch: Extract<Entry, { type: "context" }> | undefined;
  #openCalls: ToolCallBlock[] = [];
  #repairs: Repairs = { droppedOutcomes: 0, closedCalls: 0, missingLines: 0 };
  #usage: Usage = NO_USAGE;
  readonly #costs = new CostSum();
  #limits: readonly RateLimit[] = [];
  #contextTokens = 0;
  #turns = 0;
  /** The view's characters when the provider last counted it. */
  #countedChars = 0;

  add(entry: Entry): void {
    this.#n = entry.n;
    switch (entry.type) {
      case "prompt":
        this.#prompt = { model: entry.model, system: entry.system, tools: entry.tools, params: entry.params };
        this.#clock = entry.clock;
        this.#setPrompt(JSON.stringify(this.#prompt));
        return;
      case "user":
        if (entry.via === "submit") this.#turns++;
        this.#say({ role: "user", content: entry.content }, { isLine: true });
        return;
      case "notice":
        this.#say(textMessage(`[notice from ${entry.origin}]\n${entry.text}`));
        return;
      case "assistant":
        if (entry.stop !== "interrupted") this.#learnDensity(entry.usage);
        this.#answer(entry.message);
        if (entry.stop === "interrupted") return;
        this.#countUsage(entry);
        this.#limits = entry.limits ?? [];
        return;
      case "tool":
        if (entry.by === undefined) this.#end(entry);
        this.#costs.add(entry, "");
        return;
      case "delegate":
        this.#costs.add(entry, "");
        return;
      case "context":
        this.#patch = entry;
        return;
      case "summary": {
        const kept = this.#since(entry.keeps);
        this.#empty();
        this.#countUsage(entry);
        this.#contextTokens = 0;
        this.#push(textMessage(`[summary of the session so far]\n${entry.text}`));
        for (const [message, place] of kept) this.#push(message, place);
        return;
      }
      case "blank":
        this.#blank(new Set(entry.outcomes));
        return;
      case "clear":
        this.#empty();
        return;
      case "jump":
        if (entry.summary === undefined) return;
        this.#totals(entry);
        this.#say(textMessage(`[summary of another branch of this session]\n${entry.summary}`));
        return;
      case "end":
        this.#patch = undefined;
        return;
      case "title":
      case "sample":
        this.#totals(entry);
        return;
      case "session":
        if (entry.v > (this.#session?.v ?? 0)) this.#session = entry;
        return;
      case "request":
      case "veto":
      case "queued":
      case "checkpoint":
      case "rewind":
      case "approval":
      case "decision":
      case "mode":
      case "plan":
        return; // facts about the session that the model does not see
    }
  }

  /** The current position of the view; its cost does not grow with the view. */
  mark(): FoldMark {
    return {
      messages: this.#messages,
      places: this.#places,
      length: this.#messages.length,
      chain: this.#hashed().copy(),
      chars: this.#chars,
      openCalls: [...this.#openCalls],
      contextTokens: this.#contextTokens,
      countedChars: this.#countedChars,
    };
  }

  /** Restores the messages at that mark. The prompt stays, and what was spent and said since still counts. */
  goBack(mark: FoldMark): void {
    this.#messages = mark.messages.slice(0, mark.length);
    this.#places = mark.places.slice(0, mark.length);
    this.#chain = mark.chain.copy();
    this.#unhashed = "";
    this.#chars = mark.chars;
    this.#patch = undefined;
    this.#openCalls = [...mark.openCalls];
    this.#contextTokens = mark.contextTokens;
    this.#countedChars = mark.countedChars;
  }

  /** The prompt in force; undefined before the first. */
  get prompt(): PromptFacts | undefined {
    return this.#prompt;
  }

  /** The time that the prompt in force was written for; undefined if none is logged. */
  get clock(): number | undefined {
    return this.#clock;
  }

  /** An estimate of the tokens of the prompt in force, with its tools. */
  get promptTokens(): number {
    return Math.ceil(this.#promptChars / this.#charsPerToken);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** One for each message. */
  get places(): readonly ViewPlace[] {
    return this.#places;
  }

  /** The total over all messages. */
  get chars(): number {
    return this.#chars;
  }

  /** The entry that names the log's format; a later one if the format was raised. */
  get session(): Extract<Entry, { type: "session" }> | undefined {
    return this.#session;
  }

  /** Calls without an outcome: an earlier process ended while they ran. */
  get openCalls(): readonly ToolCallBlock[] {
    return [...this.#openCalls];
  }

  /** What was left out or inserted to keep the view valid; all 0 for an undamaged log. */
  get repairs(): Repairs {
    return this.#repairs;
  }

  /** Lines that the person sent. */
  get turns(): number {
    return this.#turns;
  }

  /** Totals over every reply of the session. */
  get usage(): Usage {
    return this.#usage;
  }

  /** What the provider said about its limits with the last reply. */
  get limits(): readonly RateLimit[] {
    return this.#limits;
  }

  /** The cost of those replies, by model. */
  get costs(): readonly ModelCost[] {
    return this.#costs.costs;
  }

  /** Tokens in the model's view: the provider's count, plus an estimate of what came since or was not counted. */
  get contextTokens(): number {
    return this.#contextTokens + this.estimatedTokens;
  }

  /** The uncounted part of {@link contextTokens}. */
  get estimatedTokens(): number {
    const counted = this.#contextTokens === 0 ? 0 : this.#countedChars;
    return Math.ceil((this.#chars - counted) / this.#charsPerToken);
  }

  /** The request that the next model call sends. `messages` is a live view: use it before the next `add`. */
  request(model: string): ModelRequest {
    if (!this.#prompt) throw new Error("a request needs a prompt entry before it");
    const { system, tools, params } = this.#prompt;
    return { model, system, tools, params, messages: this.#patched() };
  }

  /** Identifies the whole request: prompt and messages, in order. */
  digest(): string {
    const chain = this.#patch ? chainOf(this.#patched()) : this.#hashed().copy();
    return `sha256:${chain.update(this.#promptDigest).digest("hex")}`;
  }

  /** The chain with all messages in it. */
  #hashed(): Hash {
    if (this.#unhashed !== "") this.#chain.update(this.#unhashed);
    this.#unhashed = "";
    return this.#chain;
  }

  #patched(): readonly Message[] {
    if (!this.#patch) return this.#messages;
    const { from, remove, insert } = this.#patch;
    return this.#messages.toSpliced(from, remove, ...insert);
  }

  /** Only outcomes may stand between a call and its outcome. */
  #say(message: Message, kind?: Pick<ViewPlace, "isLine">): void {
    this.#closeLostCalls();
    this.#push(message, undefined, kind);
  }

  #answer(message: AssistantMessage): void {
    this.#closeLostCalls();
    const before = this.#messages.at(-1)?.role;
    if (before === undefined || before === "assistant") {
      this.#push(textMessage(LOST_LINE));
      this.#repair("missingLines");
    }
    this.#push(message);
    for (const block of message.content) if (block.kind === "tool_call") this.#openCalls.push(block);
  }

  #end({ callId, name, text, state, images }: Extract<Entry, { type: "tool" }>): void {
    const at = this.#openCalls.findIndex(({ id }) => id === callId);
    if (at < 0) this.#repair("droppedOutcomes");
    else {
      this.#openCalls.splice(at, 1);
      const shown = images === undefined ? {} : { images };
      this.#push({ role: "tool", callId, name, text, isError: state !== "ok", ...shown });
    }
  }

  #closeLostCalls(): void {
    for (const { id, name } of this.#openCalls.splice(0)) {
      this.#push({ role: "tool", callId: id, name, text: LOST_OUTCOME, isError: true });
      this.#repair("closedCalls");
    }
  }

  #repair(what: keyof Repairs): void {
    this.#repairs = { ...this.#repairs, [what]: this.#repairs[what] + 1 };
  }

  #push(message: Message, from?: ViewPlace, kind?: Pick<ViewPlace, "isLine">): void {
    this.#patch = undefined; // it applied to one request only
    const text = JSON.stringify(message);
    this.#unhashed += `${text}\n`;
    if (this.#unhashed.length > UNHASHED_CHARS) this.#hashed();
    const place = from ?? { n: this.#n, chars: text.length + pictureDifference(message), ...kind };
    this.#chars += place.chars;
    this.#messages.push(message);
    this.#places.push(place);
  }

  /** The messages from an entry on, without outcomes whose call is not among them. */
  #since(n: number | undefined): readonly (readonly [Message, ViewPlace])[] {
    if (n === undefined) return [];
    this.#closeLostCalls();
    const first = this.#places.findIndex((place, at) => place.n >= n && this.#messages[at]?.role !== "tool");
    return first < 0 ? [] : zip(this.#messages, this.#places).slice(first);
  }

  /** Replaces the outcomes with a note on how to see them again. */
  #blank(outcomes: ReadonlySet<number>): void {
    const [tokens, chars, counted] = [this.#contextTokens, this.#chars, this.#countedChars];
    const calls = this.#openCalls;
    const all = zip(this.#messages, this.#places);
    this.#empty();
    for (const [message, place] of all) {
      if (message.role !== "tool" || !outcomes.has(place.n)) this.#push(message, place);
      else {
        const { images: _, ...rest } = message;
        const blank = { ...rest, text: blankText(place.n) };
        this.#push(blank, { n: place.n, chars: JSON.stringify(blank).length, isBlank: true });
      }
    }
    const freed = chars - this.#chars;
    this.#openCalls = calls;
    this.#countedChars = Math.max(0, counted - freed);
    this.#contextTokens = Math.max(0, tokens - Math.ceil(freed / this.#charsPerToken));
  }

  #empty(): void {
    this.#messages = [];
    this.#places = [];
    this.#patch = undefined;
    this.#chain = createHash("sha256");
    this.#unhashed = "";
    this.#chars = 0;
    this.#contextTokens = 0;
    this.#openCalls = [];
  }

  #setPrompt(text: string): void {
    this.#promptDigest = createHash("sha256").update(text).digest("hex");
    this.#promptChars = text.length;
  }

  #learnDensity({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): void {
    const density = (this.#chars + this.#promptChars) / (inputTokens + cacheReadTokens + cacheWriteTokens);
    this.#charsPerToken =
      density < FEWEST_CHARS_PER_TOKEN ? CHARS_PER_TOKEN : Math.min(density, CHARS_PER_TOKEN);
  }

  #totals(entry: CostEntry): void {
    if ("usage" in entry && entry.usage) this.#usage = sumUsage(this.#usage, entry.usage);
    this.#costs.add(entry, this.#prompt?.model ?? "");
  }

  #countUsage(entry: Extract<Entry, { type: "assistant" | "summary" }>): void {
    const { usage } = entry;
    this.#totals(entry);
    this.#contextTokens =
      usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    this.#countedChars = this.#chars;
  }
}

function chainOf(messages: readonly Message[]): Hash {
  const chain = createHash("sha256");
  for (const message of messages) chain.update(JSON.stringify(message)).update("\n");
  return chain;
}

/** The difference between a picture's size for the model, which does not depend on its bytes, and its data's characters. */
function pictureDifference(message: Message): number {
  const blocks = message.role === "tool" ? (message.images ?? []) : message.content;
  let difference = 0;
  for (const block of blocks) if (block.kind === "image") difference += charsOf(block) - block.data.length;
  return difference;
}

/** A document also holds text: its bytes say more about it than its pages, which may be few and full. */
function charsOf({ mediaType, data }: ImageBlock): number {
  return mediaType.startsWith("image/") ? PICTURE_CHARS : Math.max(PICTURE_CHARS, data.length / 2);
}

function blankText(n: number): string {
  return `[To make room, this outcome is no longer shown. The tool read shows it again: {"path":"outcome:${n}"}]`;
}

function zip(
  messages: readonly Message[],
  places: readonly ViewPlace[],
): readonly (readonly [Message, ViewPlace])[] {
  return places.flatMap((place, at) => {
    const message = messages[at];
    return message === undefined ? [] : [[message, place] as const];
  });
}

function textMessage(text: string): Message {
  return { role: "user", content: [{ kind: "text", text }] };
}
