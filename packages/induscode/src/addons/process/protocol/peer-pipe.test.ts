// A peer on real pipes, with third-party programs at the other end.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { EVENT_PARAMS, FOREVER, startPeer } from "../../../../../../tests/support/test-peer.ts";
import { untilHolds } from "../../../../../../tests/support/until.ts";
import type { Peer, ProtocolBreach } from "./contract.ts";

function startProgram(script: string): {
  readonly child: ChildProcessWithoutNullStreams;
  readonly peer: Peer;
  readonly breaches: readonly ProtocolBreach[];
} {
  const child = spawn("/bin/sh", ["-c", script], { stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => child.stdin.destroy());
  const { peer, breaches } = startPeer({
    write: (line) => child.stdin.write(line),
    unsent: () => child.stdin.writableLength,
  });
  child.stdout.on("data", (chunk: Buffer) => peer.receive(chunk));
  return { child, peer, breaches };
}

// Only shell built-ins, so that nothing but the two pipes and this end is measured.
const ANSWERS = `while IFS= read -r line; do
  id=\${line#*'"id":'}
  printf '{"jsonrpc":"2.0","id":%s,"result":{}}\\n' "\${id%%,*}"
done`;

it("answers a thousand requests one after the other", async () => {
  const { peer, breaches } = startProgram(ANSWERS);
  for (let count = 0; count < 1_000; count++)
    expect(await peer.request("event", EVENT_PARAMS, { signal: FOREVER })).toEqual({});
  expect(breaches).toEqual([]);
});

it("answers 500 requests that were sent at once", async () => {
  const { peer } = startProgram(ANSWERS);
  const asked = Array.from({ length: 500 }, () => peer.request("event", EVENT_PARAMS, { signal: FOREVER }));
  expect(await Promise.all(asked)).toEqual(Array(500).fill({}));
});

it("ends the connection to a program that does not read, before much has piled up", async () => {
  const { child, peer, breaches } = startProgram("exec sleep 30");
  const params = { name: "a", args: "x".repeat(1024 * 1024), cwd: "/" };
  const outcomes: unknown[] = [];
  for (let count = 0; count < 40 && breaches.length === 0; count++)
    peer.request("command", params, { signal: FOREVER }).catch((why: unknown) => outcomes.push(why));
  await untilHolds(() => expect(outcomes.length).toBeGreaterThan(15));
  expect(breaches.map(({ kind }) => kind)).toEqual(["unresponsive"]);
  expect(new Set(outcomes)).toEqual(new Set(breaches));
  expect(child.stdin.writableLength).toBeLessThan(20 * 1024 * 1024);
});

it("ends the connection to a program that floods it, and holds little of it", async () => {
  const { child, peer, breaches } = startProgram('exec yes \'{"jsonrpc":"2.0","method":"log"\'');
  await untilHolds(() => expect(breaches).toHaveLength(1));
  expect(breaches[0]?.kind).toBe("json");
  child.stdout.pause();
  const { child: second, breaches: later } = startProgram("exec tr '\\0' x </dev/zero");
  await untilHolds(() => expect(later).toHaveLength(1));
  second.stdout.pause();
  expect(later[0]?.message).toMatch(/^a line may have at most 8388608 bytes, found at least/);
  expect(peer.pending()).toBe(0);
});

it("keeps nothing alive by itself: a process that only waits for an answer may end", async () => {
  const program = `
    import { createPeer } from ${JSON.stringify(new URL("peer.ts", import.meta.url).href)};
    import { DEFAULT_LIMITS } from ${JSON.stringify(new URL("contract.ts", import.meta.url).href)};
    const peer = createPeer({ limits: DEFAULT_LIMITS, write: () => true, handle: () => ({}), onBreach: () => {} });
    peer.request("dispose", {}, { signal: new AbortController().signal });
    process.on("exit", () => console.log("ended with", peer.pending()));`;
  const child = spawn(process.execPath, ["--conditions=indus-source", "--input-type=module", "-e", program], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await new Promise((resolve) => child.once("close", resolve));
  expect(said).toBe("ended with 1\n"); // after the time that makes the other side unresponsive nothing would be pending
});
