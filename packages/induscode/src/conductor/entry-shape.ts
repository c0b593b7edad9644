// Decides which lines of a log are entries: checks the type of every field that the fold and the wires read. A line that is JSON
// but not an entry is damage like any other, and must not surface as a TypeError in the middle of a session.

import { isTable } from "indusagi/core";
import type { Entry } from "./contract.ts";

/** `newer`: it fits, except that a part of it is of a kind that only a later version knows. */
type Verdict = boolean | "newer";
type Check = (value: unknown) => Verdict;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isTrue: Check = (value) => value === true;
const isBoolean: Check = (value) => typeof value === "boolean";
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isPresent: Check = (value) => value !== undefined;

const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return false;
    let verdict: Verdict = true;
    for (let at = 0; at < value.length; at++) {
      const found = check(value[at]);
      if (found === false) return false;
      if (found === "newer") verdict = found;
    }
    return verdict;
  };

// Each line of a log passes here before a resumed session's first request, so this allocates nothing, not even an iterator.
const shape = (fields: Readonly<Record<string, Check>>): Check => {
  const names = Object.keys(fields);
  const checks = Object.values(fields);
  return (value) => {
    if (!isTable(value)) return false;
    let verdict: Verdict = true;
    for (let at = 0; at < names.length; at++) {
      const found = checks[at]?.(value[names[at] as string]);
      if (found === "newer") verdict = found;
      else if (found !== true) return false;
    }
    return verdict;
  };
};

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? true : check(value);

const oneOf =
  (key: string, shapes: ReadonlyMap<unknown, Check>): Check =>
  (value) => {
    if (!isTable(value) || typeof value[key] !== "string") return false;
    return shapes.get(value[key])?.(value) ?? "newer";
  };

const isImage = shape({ kind: (value) => value === "image", mediaType: isText, data: isText });
const isBlock = oneOf(
  "kind",
  new Map([
    ["text", shape({ text: isText })],
    ["image", shape({ mediaType: isText, data: isText })],
    ["thinking", shape({ text: isText, provider: isText })],
    ["tool_call", shape({ id: isText, name: isText, input: isPresent })],
  ]),
);
const spoken = shape({ content: listOf(isBlock) });
const isMessage = oneOf(
  "role",
  new Map([
    ["user", spoken],
    ["assistant", spoken],
    [
      "tool",
      shape({
        callId: isText,
        name: isText,
        text: isText,
        isError: isBoolean,
        images: optional(listOf(isImage)),
      }),
    ],
  ]),
);
const usage = shape({
  inputTokens: isNumber,
  outputTokens: isNumber,
  cacheReadTokens: isNumber,
  cacheWriteTokens: isNumber,
});

const isLimit = shape({ what: isText, remaining: isNumber, limit: optional(isNumber) });
const isFile = shape({ path: isText, mtimeMs: isNumber, size: isNumber });
const isFileChange = shape({ path: isText, before: isText, after: isText });
const isDocument = shape({ path: isText, folder: isText, digest: isText });
const isPlace = shape({ tool: isText, place: isText, whole: isBoolean });
const isApproval = oneOf(
  "kind",
  new Map([
    [
      "execute",
      shape({
        tool: isText,
        command: isText,
        cwd: isText,
        variables: optional(isTable),
        outside: optional(isTrue),
      }),
    ],
    ["network", shape({ tool: isText, host: isText })],
    ["delegate", shape({ tool: isText, agent: isText })],
    ["read", isPlace],
    ["write", isPlace],
  ]),
);

const BODIES: ReadonlyMap<string, Check> = new Map([
  [
    "session",
    shape({
      id: isText,
      v: (value) => value === 1 || value === 2 || value === 3,
      parent: optional(shape({ session: isText, entry: isCount })),
    }),
  ],
  [
    "prompt",
    shape({
      model: isText,
      system: isText,
      tools: listOf(isTable),
      params: isTable,
      clock: optional(isNumber),
      toolChanges: optional(listOf(shape({ tool: isText, how: isText, feature: optional(isText) }))),
    }),
  ],
  ["user", shape({ content: listOf(isBlock), queued: optional(isCount) })],
  ["queued", spoken],
  ["sample", shape({ feature: isText, by: isText, asked: isText, text: isText, usage })],
  ["title", shape({ text: isText, by: optional(isText), asked: optional(isText), usage: optional(usage) })],
  [
    "delegate",
    shape({
      id: isText,
      agent: isText,
      session: isText,
      status: isText,
      cost: optional(isNumber),
      by: optional(isText),
      deed: optional(isText),
    }),
  ],
  [
    "checkpoint",
    shape({ files: listOf(isFileChange), more: optional(isCount), isIncomplete: optional(isTrue) }),
  ],
  ["rewind", shape({ from: isText, files: listOf(isFileChange), left: optional(listOf(isFileChange)) })],
  ["context", shape({ from: isCount, remove: isCount, insert: listOf(isMessage) })],
  ["request", shape({ digest: isText })],
  ["assistant", shape({ message: isMessage, usage, limits: optional(listOf(isLimit)) })],
  [
    "tool",
    shape({
      callId: isText,
      name: isText,
      state: isText,
      text: isText,
      files: optional(listOf(isFile)),
      images: optional(listOf(isImage)),
      diff: optional(isText),
      feature: optional(isText),
      by: optional(isText),
    }),
  ],
  ["notice", shape({ origin: isText, text: isText, documents: optional(listOf(isDocument)) })],
  ["approval", shape({ approval: isApproval })],
  ["mode", shape({ mode: isText, by: isText })],
  ["plan", shape({ isPlanning: isBoolean })],
  [
    "decision",
    shape({
      decision: shape({
        tool: isText,
        outcome: isText,
        rulings: listOf(
          shape({ what: isText, outcome: isText, why: isText, layer: isText, mode: optional(isText) }),
        ),
      }),
    }),
  ],
  ["summary", shape({ text: isText, usage, keeps: optional(isCount) })],
  ["blank", shape({ outcomes: listOf(isCount) })],
  ["jump", shape({ to: isCount, summary: optional(isText), usage: optional(usage) })],
  // Nothing of these is read back.
  ["veto", isTable],
  ["clear", isTable],
  ["end", isTable],
]);

/** The type of a parsed line that only a later version reads: it, or a part of it, is of a kind unknown here. Undefined for any other line. */
export function laterType(value: unknown): string | undefined {
  if (!isTable(value) || typeof value.type !== "string") return undefined;
  const { type } = value;
  return !isKnownType(type) || verdictOn(value) === "newer" ? type : undefined;
}

export function isKnownType(type: string): boolean {
  return BODIES.has(type);
}

/** Whether a parsed line is an entry. One of a type that only a later version knows counts: the fold skips it. */
export function isEntry(value: unknown): value is Entry {
  return verdictOn(value) === true;
}

function verdictOn(value: unknown): Verdict {
  if (!isTable(value)) return false;
  const { type, n, at } = value;
  if (typeof type !== "string" || !isCount(n) || !isNumber(at)) return false;
  return BODIES.get(type)?.(value) ?? true;
}
