import type { ModelParams } from "indusagi/llmgateway";
import type { Deck } from "../deck/contract.ts";
import type { HookDispatch } from "../feature/handler.ts";
import type { Entry, EntryBody } from "./contract.ts";
import type { CostBudget } from "./cost.ts";
import type { ContextFold } from "./fold.ts";
import type { OpenedLog, SessionLog } from "./log.ts";
import type { NO_MASK } from "./masked.ts";
import type { ModelInUse, ModelResolver } from "./model-in-use.ts";
import type { SessionRecord } from "./record.ts";
import type { NoticeQueue } from "./turns/notice-queue.ts";
import type { PromptText } from "./turns/prompt.ts";
import type { QueuedLines } from "./turns/queued-lines.ts";
import type { WhereToWrite } from "./unwritten.ts";

/** What the conductor of one session works with. */
export interface ConductorDeps {
  readonly log: SessionLog;
  /** What the log already holds when a session is resumed. */
  readonly entries: readonly Entry[];
  /** The view folded from those entries. */
  readonly fold?: ContextFold | undefined;
  /** Makes the log of the next session, for {@link Conductor.renew}. */
  readonly nextLog: () => SessionLog;
  /** Makes a fork of the session, for {@link Conductor.fork}; absent if forking is not offered. Throws a `LogError`. */
  readonly forkLog?: ((back: number) => OpenedLog & { readonly left: string }) | undefined;
  /** Opens a session, for {@link Conductor.goOn}; absent if that is not offered. Throws a `LogError`. */
  readonly openLog?: ((id: string, told: string[]) => OpenedLog) | undefined;
  /** Asked when a task ends because its log cannot be written; absent if nobody can answer. */
  readonly whereToWrite?: WhereToWrite | undefined;
  /** Called with all logged entries when the conversation continues from elsewhere, and with none when a new one begins. */
  readonly entered?: ((entries: readonly Entry[]) => void) | undefined;
  readonly resolveModel: ModelResolver;
  /** `provider/model`. */
  readonly modelName: string;
  /** Used in this order when its provider cannot answer. */
  readonly fallbackModels?: readonly string[] | undefined;
  readonly deck: Deck;
  readonly hooks: HookDispatch;
  /**
   * The system prompt as of a given moment; asked once for each session this process runs, so that the prefix stays the same. A
   * resumed session keeps the moment of its logged prompt.
   */
  readonly compose: (clock: number) => string;
  readonly params: ModelParams;
  readonly maxTurns?: number | undefined;
  /** Shared by a session and its delegates. */
  readonly budget?: CostBudget | undefined;
  /** Hides the known secrets in everything that is logged, sent and shown. */
  readonly mask?: typeof NO_MASK | undefined;
  /** Called when a turn begins, and at its end for what is to be logged about it. */
  readonly turn?: TurnHooks | undefined;
}

export interface TurnHooks {
  readonly begin: () => void;
  /** Never rejects. */
  readonly end: () => Promise<readonly EntryBody[]>;
}

/** What a turn works with, and whatever asks the model something outside of one. */
export interface TurnDeps extends Pick<ConductorDeps, "hooks" | "deck" | "budget"> {
  readonly record: SessionRecord;
  readonly mask: typeof NO_MASK;
  readonly models: ModelInUse;
  readonly notices: NoticeQueue;
  readonly lines: QueuedLines;
  readonly prompt: PromptText;
}
