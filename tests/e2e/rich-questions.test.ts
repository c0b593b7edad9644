// What a permission question in the rich console shows of its call, and what its keys do: the real command in a
// pseudo-terminal.

import { expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import type { Script, ScriptedTurn } from "../support/model-server.ts";
import { openRichConsole } from "../support/open-console.ts";

const says = (text: string): ScriptedTurn => ({ text });
const writes = (path: string, content: string) => ({ name: "write", input: { path, content } });
const handsOn = (objective: string) => ({ name: "task", input: { agent: "coder", objective } });

/** A delegate's turns, and those of the session's own agent. */
function withDelegate(own: readonly ScriptedTurn[], delegate: readonly ScriptedTurn[]): Script {
  const left = { own: [...own], delegate: [...delegate] };
  return ({ body }) =>
    left[JSON.stringify(body.system).includes("You are the delegate") ? "delegate" : "own"].shift();
}

function placeThatAsks(): Workplace {
  const place = createWorkplace();
  place.settings({ localServers: [], permissions: { ask: ["write(**)"] } });
  return place;
}

/** A question that takes keys, as the last thing on the screen. */
const ARMED = /asks for permission[\s\S]*\[r\][^\n]*\n *anthropic[^\n]*$/;

it("a delegate's question shows what its own call writes, while one of the session's has the same tool", async () => {
  const { type, waitFor, screen } = await openRichConsole(
    withDelegate(
      [{ calls: [handsOn("write it"), writes("good.txt", "harmless\n")] }, says("All done.")],
      [{ calls: [writes("evil.txt", "of the delegate\n")] }, says("wrote it")],
    ),
    { place: placeThatAsks() },
  );
  type("go\r");
  await waitFor(ARMED);
  const first = screen();
  const isDelegates = first.includes("evil.txt\n  why");
  expect(first).toContain(isDelegates ? "+ of the delegate" : "+ harmless");
  expect(first).not.toContain(isDelegates ? "+ harmless" : "+ of the delegate");
  if (isDelegates) expect(first).not.toMatch(/write good\.txt {2}asking/);
  type("n");
  await waitFor(/→ no[\s\S]*asks for permission[\s\S]*\[r\][^\n]*\n *anthropic[^\n]*$/);
  const second = screen().slice(screen().lastIndexOf("→ no"));
  expect(second).toContain(isDelegates ? "+ harmless" : "+ of the delegate");
  expect(second).not.toContain(isDelegates ? "+ of the delegate" : "+ harmless");
});
