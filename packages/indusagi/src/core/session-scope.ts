// What a session provides to the code called in it. A tool or a handler keeps no session state: it is handed the scope with
// each call and looks things up there.

/** Names something that a session has one of. Keys of one name are one key. */
export interface SessionKey<Value = unknown> {
  readonly name: string;
  /** Never set: it only carries the type. */
  readonly holds?: Value;
}

export function sessionKey<Value>(name: string): SessionKey<Value> {
  return { name };
}

export interface SessionScope {
  /** Undefined if this session has none. */
  readonly get: <Value>(key: SessionKey<Value>) => Value | undefined;
}

/** A scope being built: the code that opens the session fills it. */
export interface OpenScope extends SessionScope {
  readonly put: <Value>(key: SessionKey<Value>, value: Value) => void;
}

export function createSessionScope(): OpenScope {
  const values = new Map<string, unknown>(); // the tools of a program's own copy of this package find what is there
  return {
    get: <Value>(key: SessionKey<Value>) => values.get(key.name) as Value | undefined, // safe: only `put` writes, with the key's type
    put: (key, value) => void values.set(key.name, value),
  };
}

/** For a call that belongs to no session. */
export const NO_SCOPE: SessionScope = { get: () => undefined };
