import { describe, expect, it } from "vitest";
import { NO_DAMAGE } from "../../../../tests/support/test-damage.ts";
import type { Entry, EntryBody } from "./contract.ts";
import { ContextFold } from "./fold.ts";
import type { LogDamage } from "./log-reader.ts";
import { NO_USAGE } from "./usage.ts";
import { findLogProblems, verifyEntries } from "./verify.ts";

const ask: EntryBody = { type: "user", content: [{ kind: "text", text: "hello" }], via: "submit" };
const reply: EntryBody = {
  type: "assistant",
  message: { role: "assistant", content: [{ kind: "text", text: "hi" }] },
  stop: "complete",
  usage: NO_USAGE,
};
const request: EntryBody = { type: "request", digest: "" };
const summary: EntryBody = { type: "summary", origin: "host", text: "s", usage: NO_USAGE };

/** A log of these bodies in which each request has the digest of what precedes it. */
function logOf(...bodies: readonly EntryBody[]): readonly Entry[] {
  const fold = new ContextFold();
  return bodies.map((body, n) => {
    const entry: Entry = {
      n,
      at: 1,
      ...(body.type === "request" ? { ...body, digest: fold.digest() } : body),
    };
    fold.add(entry);
    return entry;
  });
}

const problemsOf = (entries: readonly Entry[], damage: Partial<LogDamage> = {}): readonly string[] =>
  findLogProblems({ entries, damage: { ...NO_DAMAGE, ...damage } }, verifyEntries(entries));

const whole = logOf(
  { type: "session", v: 1, id: "s1", cwd: "/w", version: "1" },
  ask,
  request,
  { type: "end", how: "aborted" },
  request,
  reply,
  request,
  summary,
);

describe("a log explains its session", () => {
  it("when nothing is missing, a request without a reply and a summary included", () => {
    expect(problemsOf(whole)).toEqual([]);
  });

  it("not when a line was damaged", () => {
    expect(problemsOf(whole, { lines: 2 })).toEqual(["The log has 2 damaged lines, skipped."]);
    expect(problemsOf(whole, { tail: 400 })).toEqual([
      "The log ended with 400 bytes of an incomplete entry, cut off.",
    ]);
  });

  it("not when a request is gone: each reply needs its own", () => {
    const withoutRequest = whole.filter(({ n }) => n !== 6);
    expect(problemsOf(withoutRequest)).toEqual([
      "Entries are missing, or out of order, before entries 7.",
      "No request precedes the replies at entries 7.",
    ]);
    expect(verifyEntries(withoutRequest).mismatches).toEqual([]); // the twin: digests alone do not notice
  });

  it("not when it is empty", () => {
    expect(problemsOf([])).toEqual(["The log contains no readable entry."]);
  });

  it("not when its beginning is gone or an entry stands twice", () => {
    expect(problemsOf(whole.slice(1))[0]).toBe("Entries are missing, or out of order, before entries 1.");
    expect(problemsOf([...whole, ...whole.slice(-1)])[0]).toBe(
      "Entries are missing, or out of order, before entries 7.",
    );
  });

  it("not when an entry was changed: the requests behind it say so", () => {
    const changed = whole.map((entry) => (entry.type === "user" ? { ...entry, content: [] } : entry));
    expect(problemsOf(changed)).toEqual(["The log does not explain the requests at entries 2, 4, 6."]);
  });
});
