// A span, and the form in which OTLP takes it as JSON.

import { randomBytes } from "node:crypto";

export type AttributeValue = string | number | boolean | readonly string[];
/** Those that are undefined are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export interface SpanEvent {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly attributes: Attributes;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  /** Whether it is a request to another system. */
  readonly isClient: boolean;
  readonly startedAt: number;
  endedAt: number;
  attributes: Attributes;
  readonly events: SpanEvent[];
  /** Why it failed; undefined if it did not. */
  failure: string | undefined;
}

interface Begin {
  readonly name: string;
  readonly at: number;
  readonly isClient?: boolean;
  readonly attributes: Attributes;
}

/** Without a parent it begins a trace. */
export function beginSpan(
  { name, at, isClient = false, attributes }: Begin,
  parent: { readonly traceId: string; readonly spanId: string } | undefined,
): Span {
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    parentId: parent?.spanId,
    ...{ name, isClient, attributes: { ...attributes }, events: [] },
    ...{ startedAt: at, endedAt: at, failure: undefined },
  };
}

/** Ends it, for a reason if it failed. */
export function endSpan(span: Span, at: number, more: Attributes, failure: string | undefined): Span {
  span.endedAt = at;
  span.attributes = { ...span.attributes, ...more, "error.type": failure };
  span.failure = failure;
  return span;
}

/** A request to a collector. */
export function otlpBody(
  spans: readonly Span[],
  resource: Attributes,
  scope: { readonly name: string; readonly version: string },
): object {
  return {
    resourceSpans: [
      { resource: { attributes: listed(resource) }, scopeSpans: [{ scope, spans: spans.map(otlpSpan) }] },
    ],
  };
}

const KINDS = { internal: 1, client: 3 };
const ERROR = 2;

function otlpSpan({ traceId, spanId, parentId, name, isClient, ...span }: Span): object {
  return {
    ...{ traceId, spanId, parentSpanId: parentId, name },
    kind: isClient ? KINDS.client : KINDS.internal,
    startTimeUnixNano: nanos(span.startedAt),
    endTimeUnixNano: nanos(Math.max(span.startedAt, span.endedAt)),
    attributes: listed(span.attributes),
    events: span.events.map((event) => ({
      ...{ name: event.name, timeUnixNano: nanos(event.at), attributes: listed(event.attributes) },
    })),
    status: span.failure === undefined ? {} : { code: ERROR, message: span.failure },
  };
}

function listed(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: otlpValue(value) }],
  );
}

function otlpValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(otlpValue) } };
}

/** As text: the number has more digits than JavaScript's have. */
function nanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}
