import { expect, test } from "vitest";
import { addonId } from "../contract.ts";
import { firstExchange, startFailure } from "./first-exchange.ts";
import { ProtocolBreach, RpcError } from "./protocol/contract.ts";
import { PROTOCOL_VERSION, type Registration } from "./protocol/messages.ts";

const id = addonId("a");
const found = { protocol: PROTOCOL_VERSION, tools: [], skipped: ["one"] } as unknown as Registration;

test("what registers the same is taken, whatever it says about what it leaves out", async () => {
  const again = { ...found, skipped: ["another"] } as unknown as Registration;
  expect(await firstExchange({ id }, async () => again, found)).toBe(again);
});

test.each<[string, Registration, string]>([
  ["another protocol", { ...found, protocol: 0 } as unknown as Registration, "speaks protocol 0; this host"],
  [
    "something else than before",
    { ...found, commands: [{}] } as unknown as Registration,
    "something different",
  ],
])("%s is refused", async (_what, answer, words) => {
  await expect(firstExchange({ id }, async () => answer, found)).rejects.toThrow(words);
});

test("a later start that registers something else may be right, and whoever takes that hears of it", async () => {
  const other = { ...found, commands: [{}] } as unknown as Registration;
  const changed: Registration[] = [];
  const onChanged = (now: Registration): void => void changed.push(now);
  expect(await firstExchange({ id, onChanged }, async () => other, found)).toBe(other);
  expect(await firstExchange({ id, onChanged }, async () => other, other)).toBe(other);
  expect(changed).toEqual([other]);
});

test.each([
  [false, "the addon a did not register within 1 ms"],
  [
    true,
    "the server did not answer within 0.001 s, which start-seconds in [run] sets (for one that was added: remove it, and add it with --start-seconds N)",
  ],
])("one that does not answer in time is given up (a server: %s)", async (isServer, words) => {
  const never = ({ signal }: { readonly signal: AbortSignal }): Promise<Registration> =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  await expect(firstExchange({ id, startMs: 1, isServer }, never, undefined)).rejects.toThrow(words);
});

test.each<[string, unknown, string, string]>([
  ["an addon's own answer", new RpcError(1, "no", { kind: "register" }), "no", "register"],
  [
    "an end, which has them already,",
    new ProtocolBreach("closed", "it ended: words"),
    "it ended: words",
    "breach",
  ],
  ["any other failure", new Error("late"), "late: words", "load"],
])(
  "the last words are told with a failed start unless %s is the reason",
  (_what, error, message, faultKind) => {
    expect(startFailure(error, ": words")).toMatchObject({ message, faultKind });
  },
);

test("of a server's own failed start, which its runner tells, the last words are told, too", () => {
  expect(startFailure(new RpcError(1, "no"), ": words", true)).toMatchObject({ message: "no: words" });
});
