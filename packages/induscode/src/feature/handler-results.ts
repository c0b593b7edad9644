// What foreign code may hand back. Each check throws, inside the fence, for a result that does not fit: to the session
// that is the same as a handler that failed. All of it ends in the log, so all of it must be JSON.

/**
 * Throws unless `result` is a payload as rich as `current`: each key is still there, with the same kind of value; but for
 * the delegate's name, which is the host's to say and to say again.
 */
export function checkPayload(result: unknown, current: object): void {
  if (result === current) return;
  const payload = record(result, "a transform must return a payload");
  for (const [key, value] of Object.entries(current))
    if (key !== "delegate" && kindOf(payload[key]) !== kindOf(value))
      throw new TypeError(`its payload must hold ${kindOf(value)} as "${key}", not ${kindOf(payload[key])}`);
  requireJson(payload, "its payload");
}

/** Throws unless `result` is a gate's decision or undefined. */
export function checkDecision(result: unknown): void {
  if (result === undefined) return;
  const { stop, reason } = record(result, "a gate must return a decision or undefined");
  if (typeof stop !== "boolean") throw new TypeError(`its "stop" must be a boolean, not ${kindOf(stop)}`);
  if (reason !== undefined && typeof reason !== "string")
    throw new TypeError(`its "reason" must be a string, not ${kindOf(reason)}`);
}

/** Throws unless `result` is what an enter stage may return: new arguments, a decision, or undefined. */
export function checkEnterOutcome(result: unknown): void {
  if (result === undefined) return;
  const outcome = record(result, "an enter stage must return arguments, a decision or undefined");
  if ("stop" in outcome) checkDecision(outcome);
  else requireJson(outcome.args, 'its "args"');
}

/** Throws unless `result` is a tool's result or undefined. */
export function checkToolResult(result: unknown): void {
  if (result === undefined) return;
  const { content, isError } = record(result, "an exit stage must return a tool result or undefined");
  if (typeof isError !== "boolean")
    throw new TypeError(`its "isError" must be a boolean, not ${kindOf(isError)}`);
  if (!Array.isArray(content)) throw new TypeError(`its "content" must be a list, not ${kindOf(content)}`);
  for (const block of content) {
    const { kind, text, value } = record(block, "its content must be made of blocks");
    if (kind === "json") requireJson(value, "a block's value");
    else if (kind !== "text" || typeof text !== "string")
      throw new TypeError("its blocks must be { kind: text, text } or { kind: json, value }");
  }
}

function record(value: unknown, expected: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new TypeError(`${expected}, not ${kindOf(value)}`);
}

/** Throws for what JSON has no text for, by itself (a circle, a bigint) or here (undefined, a function). */
function requireJson(value: unknown, what: string): void {
  if (JSON.stringify(value) === undefined) throw new TypeError(`${what} must be JSON, not ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
