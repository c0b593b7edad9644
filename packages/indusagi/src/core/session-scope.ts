// What one session has for what is called in it. A tool or a handler keeps nothing of a session: it is handed the scope with
// each call, and looks there.

/** Names a thing of which a session has one. Whoever holds the key may use it. */
export interface SessionKey<Value = unknown> {
  readonly name: string;
  /** Never set: it carries the type. */
  readonly holds?: Value;
}

export function sessionKey<Value>(name: string): SessionKey<Value> {
  return { name };
}

export interface SessionScope {
  /** Undefined where this session has none. */
  readonly get: <Value>(key: SessionKey<Value>) => Value | undefined;
}

/** A scope in the making: whoever opens the session puts there what it has. */
export interface OpenScope extends SessionScope {
  readonly put: <Value>(key: SessionKey<Value>, value: Value) => void;
}

export function createSessionScope(): OpenScope {
  const values = new Map<SessionKey<unknown>, unknown>();
  return {
    get: <Value>(key: SessionKey<Value>) => values.get(key) as Value | undefined, // only `put` writes, with the key's type
    put: (key, value) => void values.set(key, value),
  };
}

/** Of a call that belongs to no session. */
export const NO_SCOPE: SessionScope = { get: () => undefined };
