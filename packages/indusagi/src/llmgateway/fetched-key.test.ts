// One fetch of a key that several calls wait for.

import { expect, it } from "vitest";
import type { ModelProvider, ModelRequest, ModelResult } from "./contract.ts";
import { type FetchedKey, withFetchedKey } from "./fetched-key.ts";

const REQUEST = {} as ModelRequest;

function start() {
  const fetches: { readonly signal: AbortSignal; readonly end: (key: FetchedKey) => void }[] = [];
  const provider = withFetchedKey({
    id: "own",
    fetch: (signal) => new Promise((end) => fetches.push({ signal, end })),
    make: (key): ModelProvider => ({
      id: "own",
      stream: async () => ({ ok: true, reply: { key } }) as unknown as ModelResult,
    }),
    onKey: () => undefined,
    now: () => 0,
  });
  const ask = (signal: AbortSignal): Promise<ModelResult> =>
    provider.stream(REQUEST, { signal, onDelta: () => undefined });
  return { fetches, ask };
}

const aborted = { ok: false, fault: { kind: "aborted" } };

it("a call that is cancelled takes no key from another one that waits for the same fetch", async () => {
  const { fetches, ask } = start();
  const [first, second] = [new AbortController(), new AbortController()];
  const answers = [ask(first.signal), ask(second.signal)];
  first.abort();
  expect(await answers[0]).toMatchObject(aborted);
  expect(fetches.map(({ signal }) => signal.aborted)).toEqual([false]);
  fetches[0]?.end({ ok: true, key: "k" });
  expect(await answers[1]).toEqual({ ok: true, reply: { key: "k" } });
});

it("a fetch that nobody waits for any more is cancelled, and the next call begins another", async () => {
  const { fetches, ask } = start();
  const only = new AbortController();
  const answer = ask(only.signal);
  only.abort();
  expect(await answer).toMatchObject(aborted);
  const next = ask(new AbortController().signal);
  expect(fetches.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  fetches[1]?.end({ ok: true, key: "k" });
  expect(await next).toEqual({ ok: true, reply: { key: "k" } });
});
