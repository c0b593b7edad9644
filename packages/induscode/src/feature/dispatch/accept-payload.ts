// Checks what a transform returned before anything else reads it: every changed key exists in the event, may be changed, has
// the event's shape and is within its size limit. A value that fails throws and changes nothing.

import { isSameJson, isTable } from "indusagi/core";
import { conversationProblem, foreignCall } from "../conversation.ts";
import type { HookEvent, PayloadOf } from "../events.ts";
import { PAYLOAD_SHAPES, SHAPE_OF_EVENT } from "../payload-shapes.ts";
import type { AssistantMessage, Message } from "../payloads.ts";
import { createShapeChecks, type ShapeCheck } from "../shape.ts";
import { kindOf, requireJson, requireTable } from "./json-returns.ts";
import { readChatMessage } from "./lenient-forms.ts";

/** Whether `after` may replace `before`; throws when that adds too much. */
export type RequireRoom = (change: {
  readonly before: unknown;
  readonly after: unknown;
  readonly lasts: boolean;
}) => void;

interface Field {
  readonly isGiven: boolean;
  readonly check: ShapeCheck;
}

const checks = createShapeChecks(PAYLOAD_SHAPES);
const fieldsByEvent = new Map<HookEvent, ReadonlyMap<string, Field>>();

/**
 * The payload after a transform of `event` received `given` and returned `returned`; undefined when nothing changed,
 * compared by value. Throws for a value that does not fit.
 */
export function acceptPayload<E extends HookEvent>(
  event: E,
  {
    given,
    returned,
    requireRoom,
  }: {
    readonly given: PayloadOf<E>;
    readonly returned: unknown;
    readonly requireRoom: RequireRoom;
  },
): PayloadOf<E> | undefined {
  if (returned === undefined || returned === null || returned === given) return undefined;
  const before = given as unknown as Table;
  const table = requireTable(returned, "a transform must return a payload, or nothing for no change");
  const changed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(readForms(event, before, table))) {
    // null means no change, like an absent key
    if (value === undefined || value === null || value === before[key]) continue;
    const after = requireJson(value, `its "${key}"`);
    if (isSameJson(after, before[key])) continue;
    requireField(event, key, after);
    changed[key] = after;
  }
  if (Object.keys(changed).length === 0) return undefined;
  requireWhole(event, before, changed);
  const keys = Object.keys(changed);
  requireRoom({
    before: keys.map((key) => before[key]),
    after: keys.map((key) => changed[key]),
    lasts: event !== "context:build",
  });
  return { ...given, ...changed };
}

type Table = Readonly<Record<string, unknown>>;

/** The keys of an event that a transform may change. */
export function changeableKeys(event: HookEvent): readonly string[] {
  return [...fieldsOf(event)].flatMap(([key, { isGiven }]) => (isGiven ? [] : key));
}

function fieldsOf(event: HookEvent): ReadonlyMap<string, Field> {
  const known = fieldsByEvent.get(event);
  if (known) return known;
  const { properties = {} } = PAYLOAD_SHAPES[SHAPE_OF_EVENT[event]] ?? {};
  const made = new Map(
    Object.entries(properties).map(([key, shape]) => [
      key,
      { isGiven: shape.readOnly === true, check: checks.compile(shape) },
    ]),
  );
  fieldsByEvent.set(event, made);
  return made;
}

function requireField(event: HookEvent, key: string, value: unknown): void {
  const fields = fieldsOf(event);
  const field = fields.get(key);
  if (field === undefined) {
    const known = [...fields.keys(), ...besideOf(event)].join(", ");
    throw new TypeError(
      `its payload has the unknown field ${shortly(key)}; the fields of ${event} are ${known}`,
    );
  }
  if (field.isGiven) {
    const open = changeableKeys(event).join(", ") || "nothing";
    throw new TypeError(`it changed "${key}", which only the host sets; at ${event} it may change ${open}`);
  }
  const misfit = field.check(value as never); // the caller has made it JSON
  if (misfit !== undefined) throw new TypeError(`its payload.${key}${misfit.at} ${misfit.what}`);
}

/** What no schema can express: how the parts of a payload fit together and fit what was there before. */
function requireWhole(event: HookEvent, before: Table, changed: Table): void {
  if (event === "context:build") {
    const problem = conversationProblem(
      before.messages as readonly Message[],
      changed.messages as readonly Message[],
    );
    if (problem !== undefined) throw new TypeError(`its payload.messages are inconsistent: ${problem}`);
  }
  if (event === "chat:message") {
    const call = foreignCall(before.message as AssistantMessage, changed.message as AssistantMessage);
    if (call === undefined) return;
    const found = `its payload.message has the call ${shortly(call.id)} of ${shortly(call.name)}, which the model did not make`;
    throw new TypeError(`${found}; calls may be removed here, and are changed at tool:before`);
  }
}

const PARAMETERS: readonly string[] = Object.keys(PAYLOAD_SHAPES.ModelParams?.properties ?? {});

function besideOf(event: HookEvent): readonly string[] {
  return event === "chat:params" ? PARAMETERS : [];
}

/** The returned payload, normalized where it may be written in more than one form. */
function readForms(event: HookEvent, before: Table, returned: Table): Table {
  if (event === "chat:params") return readParams(before, returned);
  if (event === "chat:message" && returned.message !== before.message)
    return { ...returned, message: readChatMessage(returned.message, "assistant") };
  const { messages } = returned;
  if (event === "context:build" && Array.isArray(messages))
    return { ...returned, messages: messages.map((message) => readChatMessage(message)) };
  return returned;
}

/** Authors return `temperature` next to the rest or in `params`: both are taken. */
function readParams(before: Table, returned: Table): Table {
  const { params: given, ...rest } = returned;
  const params = given ?? before.params;
  if (!isTable(params) || !isTable(before.params)) return returned;
  const old = before.params;
  const direct = PARAMETERS.filter((key) => rest[key] !== undefined && rest[key] !== null);
  const unset = Object.entries(params).filter(([, value]) => value === null);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !PARAMETERS.includes(key))),
    params: {
      ...params,
      ...Object.fromEntries(unset.map(([key]) => [key, old[key]])),
      ...Object.fromEntries(direct.map((key) => [key, rest[key]])),
    },
  };
}

function shortly(text: unknown): string {
  return typeof text === "string" ? JSON.stringify(text.slice(0, 60)) : kindOf(text);
}
