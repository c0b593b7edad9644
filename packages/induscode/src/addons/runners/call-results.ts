// Converts what an author's code returns into the protocol's shapes. A value that fits none is an error that says what would.

/** Whatever an observer or a command returned. */
export function asNothing(): unknown {
  return {};
}

/** A transform's answer. */
export function asPayload(payload: unknown): unknown {
  return isNothing(payload)
    ? {}
    : { payload: asTable(payload, "a transform returns the payload to pass on") };
}

/** A gate's answer. */
export function asDecision(outcome: unknown): unknown {
  if (isNothing(outcome)) return {};
  const { stop, reason } = asTable(outcome, GATE_ANSWER);
  if (isNothing(stop) && isNothing(reason)) return {};
  if (isNothing(stop)) throw new TypeError(`${GATE_ANSWER}; "stop" is missing`);
  if (typeof stop !== "boolean")
    throw new TypeError(`${GATE_ANSWER}; "stop" must be true or false, it is a ${typeof stop}`);
  return { stop, reason };
}

const GATE_ANSWER = 'a gate returns { stop: true, reason: "…" }, or nothing';

/** The answer of an interceptor's first half. */
export function asEnterResult(outcome: unknown): unknown {
  if (isNothing(outcome)) return {};
  const answer = "enter returns { args }, a gate's decision, or nothing";
  const table = asTable(outcome, answer);
  if (!("args" in table) && !("stop" in table)) throw new TypeError(`${answer}; it returned neither`);
  return table;
}

/** The answer of an interceptor's second half. */
export function asExitResult(outcome: unknown): unknown {
  if (isNothing(outcome)) return {};
  if (isResult(outcome) || typeof outcome === "string") return { result: toolResultOf(outcome) };
  const expected = "exit returns { content }, a string instead, or nothing";
  const { content } = asTable(outcome, expected) as { readonly content?: unknown };
  const found =
    content === undefined ? "without content" : "whose content is neither a string nor a list of blocks";
  throw new TypeError(`${expected}; it returned an object ${found}`);
}

/** A result as it is; a text, or any other JSON value, becomes a result with that one block. */
export function toolResultOf(outcome: unknown): unknown {
  if (isResult(outcome)) return { content: outcome.content, isError: outcome.isError ?? undefined };
  if (isNothing(outcome)) return { content: [] };
  if (typeof outcome === "string") return { content: [{ kind: "text", text: outcome }] };
  return { content: [{ kind: "json", value: outcome }] };
}

function isNothing(outcome: unknown): boolean {
  return outcome === undefined || outcome === null;
}

function asTable(outcome: unknown, expected: string): Readonly<Record<string, unknown>> {
  if (typeof outcome === "object" && outcome !== null && !Array.isArray(outcome))
    return outcome as Readonly<Record<string, unknown>>;
  throw new TypeError(
    `${expected}; it returned ${Array.isArray(outcome) ? "a list" : `a ${typeof outcome}`}`,
  );
}

interface Result {
  readonly content: unknown;
  readonly isError?: unknown;
}

/** A value with content that the host can read completely; anything else with that key is a plain value of the author's. */
function isResult(outcome: unknown): outcome is Result {
  const content = (outcome as { readonly content?: unknown } | null | undefined)?.content;
  return typeof content === "string" || (Array.isArray(content) && content.every(isBlock));
}

function isBlock(block: unknown): boolean {
  const { type, kind = type, text, data } = (block ?? {}) as Readonly<Record<string, unknown>>;
  return (
    kind === "json" ||
    (kind === "text" && typeof text === "string") ||
    (kind === "image" && typeof data === "string")
  );
}
