// What an addon asks of the console: shown and asked under its name, by its grants, at a rate a person can handle.

import { Aborted, monotonicMs, type SessionScope } from "indusagi/core";
import type { ServiceAnswer } from "../../feature/services.ts";
import type { FeatureUi, UiAnswer, UiDialog, UiPart, UiShape } from "../../feature/ui.ts";
import { createLineAllowance } from "./line-allowance.ts";
import type { AddonToHost, UiOffers } from "./protocol/messages.ts";
import { refuse, serviceOf } from "./refuse-request.ts";

/** Where a request lands: the session of the call that made it, by the addon's grants. */
export interface UiPlace {
  readonly session: SessionScope;
  readonly ui: (part: UiPart) => ServiceAnswer<FeatureUi>;
}

/** What the console must know of a request. */
interface UiRequest {
  readonly signal: AbortSignal;
  readonly ui: () => UiPlace;
  /** The same for a question, which needs a call of one session; `ended` fires with the call. */
  readonly asking: () => UiPlace & { readonly ended: AbortSignal };
}

export type UiMethod = Extract<keyof AddonToHost, `ui/${string}`>;

type UiMethods = {
  readonly [M in UiMethod]: (
    params: AddonToHost[M]["params"],
    request: UiRequest,
  ) => AddonToHost[M]["result"] | Promise<AddonToHost[M]["result"]>;
};

interface UiCalls {
  readonly methods: UiMethods;
  /** The addon's process is gone, and with it its part of status lines. */
  readonly clear: () => void;
}

const SHAPES_A_MINUTE = 60;
/** For texts and bars that replace others. */
const CHANGES_A_MINUTE = 600;
const MAX_STATUS_ITEMS = 3;
const MAX_SHAPE_BYTES: number = 32 * 1024;
const QUESTIONS_A_MINUTE = 10;
/** After this many dismissed questions in a row, the addon must pause: a person who does not want to answer is not worn down. */
const MAX_DISMISSALS = 3;
const DISMISSED_PAUSE_MS = 60_000;
const DEFAULT_QUESTION_MS = 300_000;

const PARTS: readonly UiPart[] = ["status", "render", "ask"];

export function createUiCalls(): UiCalls {
  const shapes = createLineAllowance({ count: SHAPES_A_MINUTE, perMs: 60_000 });
  const changes = createLineAllowance({ count: CHANGES_A_MINUTE, perMs: 60_000 });
  const questions = createLineAllowance({ count: QUESTIONS_A_MINUTE, perMs: 60_000 });
  const standing = new Map<SessionScope, { readonly ids: Set<string>; readonly ui: FeatureUi }>();
  const open = new Set<SessionScope>();
  let dismissals = 0;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;

  const ask = async (
    dialog: UiDialog,
    timeoutMs: number | undefined,
    request: UiRequest,
  ): Promise<{ readonly answer: UiAnswer } | { readonly unanswered: "dismissed" | "expired" }> => {
    const found = request.asking();
    const ui = serviceOf(found.ui("ask"));
    if (open.has(found.session)) refuse("limit", "a question of this addon is already waiting for an answer");
    if (monotonicMs() < pausedUntilMs)
      refuse(
        "limit",
        `the person left ${MAX_DISMISSALS} questions of this addon unanswered: it may ask again in a minute`,
      );
    if (!questions.take().ok)
      refuse("limit", `an addon may ask at most ${QUESTIONS_A_MINUTE} questions a minute`);
    const late = AbortSignal.timeout(timeoutMs ?? DEFAULT_QUESTION_MS);
    const until = AbortSignal.any([late, found.ended, request.signal]);
    open.add(found.session);
    try {
      const answer = await ui.ask(dialog, until);
      dismissals = answer === undefined ? dismissals + 1 : 0;
      if (dismissals >= MAX_DISMISSALS) {
        dismissals = 0;
        pausedUntilMs = monotonicMs() + DISMISSED_PAUSE_MS;
      }
      return answer === undefined ? { unanswered: "dismissed" } : { answer };
    } catch (error) {
      if (!(error instanceof Aborted) || !until.aborted) throw error;
      return late.aborted ? { unanswered: "expired" } : refuse("cancelled", "the call that asked has ended");
    } finally {
      open.delete(found.session);
    }
  };

  const takeChange = (): void => {
    if (!changes.take().ok)
      refuse(
        "limit",
        `an addon may change texts and progress bars at most ${CHANGES_A_MINUTE} times a minute`,
      );
  };

  const methods: UiMethods = {
    "ui/offers": (_params, request) => {
      const found = request.ui();
      return Object.fromEntries(PARTS.map((part) => [part, found.ui(part).ok])) as unknown as UiOffers;
    },
    "ui/status"({ id = "", text }, request) {
      const found = request.ui();
      const ui = serviceOf(found.ui("status"));
      takeChange();
      const entry = standing.get(found.session) ?? { ids: new Set<string>(), ui };
      const { ids } = entry;
      if (text.trim() === "") ids.delete(id);
      else if (!ids.has(id) && ids.size >= MAX_STATUS_ITEMS)
        refuse("limit", `an addon may have at most ${MAX_STATUS_ITEMS} items in the status line`);
      else ids.add(id);
      standing.set(found.session, entry);
      ui.status(id, text);
      return {};
    },
    "ui/render"({ shape }, request) {
      const ui = serviceOf(request.ui().ui("render"));
      const bytes = Buffer.byteLength(JSON.stringify(shape));
      if (bytes > MAX_SHAPE_BYTES)
        refuse(
          "limit",
          `a shape may have at most ${MAX_SHAPE_BYTES} bytes as JSON, but this shape has ${bytes}`,
        );
      if (shape.kind === "table" && shape.rows.some((row) => row.length > shape.columns.length))
        refuse("params", `a row of the table has more cells than its ${shape.columns.length} columns`);
      if (shape.kind === "progress") takeChange();
      else if (!shapes.take().ok)
        refuse("limit", `an addon may show at most ${SHAPES_A_MINUTE} shapes a minute`);
      ui.render(shape as UiShape);
      return {};
    },
    async "ui/select"({ question, choices, timeoutMs }, request) {
      const found = await ask({ kind: "select", question, choices }, timeoutMs, request);
      return "answer" in found ? { choice: found.answer as number } : found;
    },
    async "ui/confirm"({ question, timeoutMs }, request) {
      const found = await ask({ kind: "confirm", question }, timeoutMs, request);
      return "answer" in found ? { isConfirmed: found.answer as boolean } : found;
    },
    async "ui/input"({ question, isSecret = false, timeoutMs }, request) {
      const found = await ask({ kind: "input", question, isSecret }, timeoutMs, request);
      return "answer" in found ? { text: found.answer as string } : found;
    },
  };

  return {
    methods,
    clear() {
      for (const { ui } of standing.values()) ui.clear();
      standing.clear();
    },
  };
}
