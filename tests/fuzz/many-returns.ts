// Sessions in which many handlers at each event return what was drawn: some thousand returns for one start of a session, one
// log and one verification. What fails is played again with fewer of them, until few are left, and these are named.

import { inspect } from "node:util";
import { findLogProblems, verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import { createHooks } from "../../packages/induscode/src/feature/dispatch/hooks.ts";
import { HOOK_EVENTS } from "../../packages/induscode/src/feature/events.ts";
import type {
  EventSubscription,
  HookHandler,
  HostHandlerContext,
} from "../../packages/induscode/src/feature/handler.ts";
import { MAX_GROWTH_BYTES } from "../../packages/induscode/src/feature/handler-limits.ts";
import type { ToolInterceptor } from "../../packages/induscode/src/feature/interceptor.ts";
import { drawDeed, drawFrom, mixSeeds } from "./draw.ts";
import { type Deed, PLACES, type Place } from "./returns-deeds.ts";
import { playSession } from "./returns-session.ts";
import { toolRunner } from "./returns-tools.ts";

/** One request of a handler or stage, and the deed that was drawn for it. */
export interface Asked {
  readonly place: Place;
  readonly kind: HookHandler["kind"];
  /** Among the handlers of its place. */
  readonly handler: number;
  readonly given: unknown;
  readonly context: HostHandlerContext;
  readonly deed: Deed;
  /** How many were asked at this place before, in this session. */
  readonly nth: number;
}

/** How what was drawn comes back to the session. */
export interface Way {
  readonly name: string;
  readonly isRemote: boolean;
  readonly kinds: readonly HookHandler["kind"][];
  readonly answer: (asked: Asked) => unknown;
  /** Before each session. */
  readonly ready?: () => Promise<void>;
  /** What else must hold after each session; throws where it does not. */
  readonly check?: () => void;
}

export interface Tally {
  sessions: number;
  returns: number;
  faults: number;
  changes: number;
  readonly byPlace: Record<string, number>;
}

/** Handlers of one kind at a place that the session reaches once; at one that it reaches three times there are a third as many. */
const HANDLERS = 24;
const NOTHING: Deed = { kind: "value", value: undefined };

/** How often one session reaches each place. */
const OCCURRENCES: Readonly<Record<Place, number>> = {
  "session:start": 1,
  "session:end": 1,
  "turn:start": 1,
  "turn:end": 1,
  "tool:before": 2,
  "tool:after": 2,
  "chat:params": 2,
  "chat:message": 1, // of its three, the first is often left alone, and the last is not always reached
  "shell:env": 2,
  "input:submit": 1,
  "context:build": 2,
  "compact:build": 1,
  "compact:before": 1,
  enter: 2,
  exit: 2,
};

/** An interceptor has one stage where an event has a handler of each kind. */
export function handlersAt(place: Place, kinds: Way["kinds"]): number {
  const stages = place === "enter" || place === "exit" ? kinds.length : 1;
  return Math.ceil((HANDLERS * stages) / OCCURRENCES[place]);
}

/** In three sessions of four nothing is returned of the first message: most of what is drawn would drop its calls. */
function keepsCalls(seed: number, place: Place, nth: number, kinds: Way["kinds"]): boolean {
  return place === "chat:message" && seed % 4 > 0 && nth < handlersAt(place, kinds) * kinds.length;
}

/** Plays sessions until each place has had so many returns. Rejects with the fewest returns that do harm. */
export async function playMany(way: Way, least: number, seed: number): Promise<Tally> {
  const tally: Tally = { sessions: 0, returns: 0, faults: 0, changes: 0, byPlace: {} };
  while (PLACES.some((place) => (tally.byPlace[place] ?? 0) < least)) {
    const own = mixSeeds(seed, tally.sessions);
    const asked: string[] = [];
    try {
      await playOne(way, own, (key, place) => drawDeed(drawFrom(mixSeeds(own, seedOf(key, place)))), {
        tally,
        asked,
      });
    } catch (error) {
      throw new Error(await describeSmallest(way, own, asked, error), { cause: error });
    }
    tally.sessions++;
  }
  return tally;
}

type DeedOf = (key: string, place: Place) => Deed;

function seedOf(key: string, place: Place): number {
  return PLACES.indexOf(place) * 100_003 + Number(key.slice(key.lastIndexOf("#") + 1));
}

/** One session. Throws where anything but the addons' own faults comes of it. */
async function playOne(
  way: Way,
  seed: number,
  deedOf: DeedOf,
  { tally, asked }: { readonly tally?: Tally; readonly asked?: string[] } = {},
): Promise<void> {
  await way.ready?.();
  const counts = new Map<Place, number>();
  const answer = (request: Omit<Asked, "deed" | "nth">): unknown => {
    const { place } = request;
    const nth = counts.get(place) ?? 0;
    counts.set(place, nth + 1);
    const key = `${place}#${nth}`;
    asked?.push(key);
    const deed = keepsCalls(seed, place, nth, way.kinds) ? NOTHING : deedOf(key, place);
    if (tally && deed !== NOTHING) {
      tally.returns++;
      tally.byPlace[place] = (tally.byPlace[place] ?? 0) + 1;
    }
    return way.answer({ ...request, deed, nth });
  };
  const remote = way.isRemote ? { isRemote: true } : {};
  const feature = (handler: number) => `project:f${handler}` as const;
  const numbered = (place: Place): readonly number[] =>
    Array.from({ length: handlersAt(place, way.kinds) }, (_, handler) => handler);
  const subscriptions = HOOK_EVENTS.flatMap((event) =>
    numbered(event).flatMap((handler) =>
      way.kinds.map((kind) => ({
        feature: feature(handler),
        event,
        handler: {
          kind,
          ...remote,
          run: (given: unknown, context: HostHandlerContext) =>
            answer({ place: event, kind, handler, given, context }),
        },
      })),
    ),
  ) as unknown as readonly EventSubscription[];
  const interceptors = numbered("enter").map((handler) => ({
    feature: feature(handler),
    match: "*",
    ...remote,
    enter: (given: unknown, context: HostHandlerContext) =>
      answer({ place: "enter", kind: "transform", handler, given, context }),
    exit: (given: unknown, context: HostHandlerContext) =>
      answer({ place: "exit", kind: "transform", handler, given, context }),
  })) as unknown as readonly ToolInterceptor[];
  const strangers: string[] = [];
  const hooks = createHooks(
    { subscriptions, interceptors },
    {
      deadlineMs: 120_000,
      onGateFailure: "allow",
      onFault: ({ owner, message }) => {
        if (tally) tally.faults++;
        if (!owner?.startsWith("project:f")) strangers.push(`${owner}: ${message}`);
      },
    },
  );
  const ran = await playSession({ dispatcher: hooks.dispatcher, runTool: toolRunner(hooks) });
  if (tally) tally.changes += ran.log.entries.filter((entry) => "changes" in entry).length;
  const wrong: readonly unknown[] = [
    ...strangers,
    ...ran.refusals,
    ...(ran.end.kind === "complete" ? [] : [ran.end]),
    ...(ran.compactFault === undefined ? [] : [ran.compactFault]),
    ...findLogProblems(ran.log, verifyEntries(ran.log.entries)),
    // Each feature may add so much in a turn, and as much again to one request; JSON in JSON escapes a character as six.
    ...ran.requestBytes.filter((bytes) => bytes > 6 * 2 * MAX_GROWTH_BYTES * HANDLERS),
  ];
  if (wrong.length > 0) throw new Error(inspect(wrong, { depth: 6 }).slice(0, 4_000));
  way.check?.();
}

/** Leaves out halves, then quarters and so on, of what was returned, as long as it still fails; then parts of each that is left. */
async function describeSmallest(
  way: Way,
  seed: number,
  asked: readonly string[],
  error: unknown,
): Promise<string> {
  const placeOf = (key: string): Place => key.slice(0, key.lastIndexOf("#")) as Place;
  const deeds = new Map(
    asked.map((key) => [key, drawDeed(drawFrom(mixSeeds(seed, seedOf(key, placeOf(key)))))]),
  );
  let last = error;
  const fails = async (tried: ReadonlyMap<string, Deed>): Promise<boolean> => {
    try {
      await playOne(way, seed, (key) => tried.get(key) ?? NOTHING);
      return false;
    } catch (found) {
      last = found;
      return true;
    }
  };
  let left = deeds;
  for (let parts = 2; left.size > 1; ) {
    const keys = [...left.keys()];
    const size = Math.ceil(keys.length / parts);
    let smaller: Map<string, Deed> | undefined;
    for (let at = 0; at < keys.length && smaller === undefined; at += size) {
      const out = new Set(keys.slice(at, at + size));
      const tried = new Map([...left].filter(([key]) => !out.has(key)));
      if (await fails(tried)) smaller = tried;
    }
    if (smaller !== undefined) [left, parts] = [smaller, Math.max(2, parts - 1)];
    else if (size > 1) parts = Math.min(keys.length, parts * 2);
    else break;
  }
  for (const key of left.keys()) {
    for (let again = true; again; ) {
      again = false;
      for (const deed of smallerDeeds(left.get(key) as Deed)) {
        const tried = new Map(left).set(key, deed);
        if (!(await fails(tried))) continue;
        [left, again] = [tried, true];
        break;
      }
    }
  }
  const named = [...left].map(
    ([key, deed]) => `${key}: ${inspect(deed, { depth: 12, maxStringLength: 300 })}`,
  );
  const why = last instanceof Error ? last.message : String(last);
  return `${way.name}, session seed ${seed}: of ${asked.length} returns these do it:\n${named.join("\n")}\n\n${why}`;
}

function smallerDeeds(deed: Deed): readonly Deed[] {
  if (deed.kind === "value") return smallerValues(deed.value).map((value) => ({ kind: "value", value }));
  if (deed.kind !== "mutated") return [];
  return deed.edits.flatMap((edit, at) => [
    { kind: "mutated" as const, edits: deed.edits.toSpliced(at, 1) },
    ...smallerValues(edit.value).map((value) => ({
      kind: "mutated" as const,
      edits: deed.edits.with(at, { ...edit, value }),
    })),
  ]);
}

function smallerValues(value: unknown): readonly unknown[] {
  if (typeof value === "string")
    return value.length < 2 ? [] : [value.slice(0, value.length >> 1), value.slice(value.length >> 1)];
  if (typeof value !== "object" || value === null || !isPlain(value)) return [];
  if (Array.isArray(value)) return value.flatMap((item, at) => [item as unknown, value.toSpliced(at, 1)]);
  return Object.entries(value).flatMap(([key, item]) => {
    const { [key]: _, ...rest } = value as Readonly<Record<string, unknown>>;
    return [item as unknown, rest];
  });
}

/** Made of JSON alone: reading the others may do anything. */
function isPlain(value: object): boolean {
  try {
    return JSON.stringify(JSON.parse(JSON.stringify(value))) === JSON.stringify(value);
  } catch {
    return false;
  }
}
