// The events and stages around a tool, as the boundary reaches them, without a tool behind them.

import { textResult } from "../../packages/indusagi/src/capabilities/index.ts";
import type { Deck } from "../../packages/induscode/src/deck/contract.ts";
import type { LiveHooks } from "../../packages/induscode/src/feature/dispatch/hooks.ts";

/** Runs a call of a session that plays handlers. */
export function toolRunner({ dispatcher, chain }: LiveHooks): Deck["run"] {
  return async (call, signal) => {
    const before = await dispatcher.dispatch(
      "tool:before",
      { name: call.name, callId: call.id, args: call.input },
      { signal },
    );
    const around = { tool: call.name, callId: call.id, args: before.payload.args };
    const ran = await chain.runWith(around, async () => textResult("seen"), signal);
    const text = ran.result?.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
    const ended = { name: call.name, callId: call.id, args: ran.args, text: text ?? "", isError: false };
    const after = await dispatcher.dispatch("tool:after", ended, { signal });
    await dispatcher.dispatch("shell:env", { command: "ls", env: {} }, { signal });
    const seen = after.payload.text;
    return { id: call.id, output: seen, text: seen, isError: false, state: "ok", finalInput: ran.args };
  };
}
