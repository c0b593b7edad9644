// The scripted model in a process of its own, so that its work is not measured: plays one scenario, turn after turn,
// without delay, and records when each request arrived and each answer was sent. Started by measure.ts with fork.
import { type ScriptedTurn, startModelServer } from "../tests/support/model-server.ts";
import { clockMs } from "./clock.ts";
import { type Scenario, type ScenarioName, scenarios } from "./scenarios.ts";

/** One request of the program under test, in milliseconds of the machine's monotonic clock. */
export interface Exchange {
  readonly arrivedMs: number;
  endedMs: number;
}

/** To the parent: first the model's address, then, on any message, what it recorded. */
export type ModelMessage = { readonly url: string } | { readonly exchanges: readonly Exchange[] };

const scenario: Scenario = scenarios[process.argv[2] as ScenarioName];
const exchanges: Exchange[] = [];
const server = await startModelServer(
  (_request, index) => {
    const exchange = { arrivedMs: clockMs(), endedMs: Number.NaN };
    exchanges.push(exchange);
    // The server writes the whole answer before it returns to the event loop.
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

/** Like a provider, gives each call of a conversation its own id. */
function withCallIds(turn: ScriptedTurn, index: number): ScriptedTurn {
  if (turn.calls === undefined) return turn;
  return { ...turn, calls: turn.calls.map((call, at) => ({ ...call, id: `toolu_${index}_${at}` })) };
}
