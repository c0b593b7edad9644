// The scripted model in a process of its own, so that its work is not measured: plays one scenario at once, turn after
// turn, and notes when each request was there and each answer was out. Started by measure.ts with fork.
import { type ScriptedTurn, startModelServer } from "../tests/support/model-server.ts";
import { clockMs } from "./clock.ts";
import { type Scenario, type ScenarioName, scenarios } from "./scenarios.ts";

/** One request of the program under test, in milliseconds of the machine's monotonic clock. */
export interface Exchange {
  readonly arrivedMs: number;
  endedMs: number;
}

/** To the parent: first where the model listens, then, when asked with any message, what it saw. */
export type ModelMessage = { readonly url: string } | { readonly exchanges: readonly Exchange[] };

const scenario: Scenario = scenarios[process.argv[2] as ScenarioName];
const exchanges: Exchange[] = [];
const server = await startModelServer(
  (_request, index) => {
    const exchange = { arrivedMs: clockMs(), endedMs: Number.NaN };
    exchanges.push(exchange);
    // The server writes the whole answer before it comes back to the event loop.
    queueMicrotask(() => {
      exchange.endedMs = clockMs();
    });
    return withCallIds(scenario.turn(index), index);
  },
  { record: false },
);

send({ url: server.url });
process.once("message", async () => {
  send({ exchanges });
  process.disconnect?.();
  await server.close();
});

function send(message: ModelMessage): void {
  process.send?.(message);
}

/** A provider gives each call of a conversation an id of its own. */
function withCallIds(turn: ScriptedTurn, index: number): ScriptedTurn {
  if (turn.calls === undefined) return turn;
  return { ...turn, calls: turn.calls.map((call, at) => ({ ...call, id: `toolu_${index}_${at}` })) };
}
