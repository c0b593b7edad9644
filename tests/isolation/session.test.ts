// A handful of the matrix's cells in real sessions: `indus -p` with a hostile and a good addon goes on, names the hostile
// one, quarantines it alone, and runs it again when the person says so.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { rows } from "../support/long-form.ts";
import type { Script } from "../support/model-server.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";
import { buildPrograms, type Programs } from "./build-programs.ts";
import { type Cell, MISSING_KINDS, nameOf } from "./hook-points.ts";
import { layHostile, type Order } from "./hostile-addon.ts";
import { processesOf } from "./processes.ts";

let programs: Programs;
beforeAll(async () => {
  programs = await buildPrograms();
});

const COMMANDS = ["echo one", "echo forbidden", "echo three"] as const;

/** Every session runs the three commands and answers. */
const SCRIPT: Script = (_request, index) => {
  const command = COMMANDS[index % 4];
  return command === undefined
    ? { text: "All done." }
    : { text: "Next.", calls: [{ id: `call-${index}`, name: "bash", input: { command } }] };
};

async function openPlace(order: Order) {
  const place = await createServedWorkplace(SCRIPT);
  const marker = layHostile(place.cwd, order, programs);
  const watching = join(place.cwd, ".indus/addons/watching");
  mkdirSync(watching);
  const gate = 'event = "tool:before"\nmatch-arg = "command"\ncontains = "forbidden"\nreason = "not here"';
  writeFileSync(join(watching, "manifest.toml"), `id = "watching"\n[[gate]]\n${gate}\n`);
  return { ...place, marker };
}

const GRANTS = ["--grant", "hostile", "--grant", "watching"] as const;

async function runSession({ run }: Workplace) {
  return run(["-p", "do it", "--model", "anthropic/scripted", "--permission-mode", "bypass", ...GRANTS]);
}

/** The states of the session's tool calls, in order: the good addon refuses the second. */
function statesOf({ entries }: Workplace): readonly string[] {
  return entries().flatMap((entry) => (entry.type === "tool" ? [entry.state] : []));
}

const CASES: readonly (Cell & { readonly says: RegExp })[] = [
  {
    kind: "module",
    point: "chat:params",
    behaviour: "exits",
    says: /hostile failed at chat:params: its process exited with code 7/,
  },
  { kind: "module", point: "load", behaviour: "throws", says: /hostile: thrown on order/ },
  {
    kind: "python",
    point: "turn:start",
    behaviour: "hangs",
    says: /hostile failed at turn:start: no answer within 5000 ms/,
  },
  {
    kind: "python",
    point: "context:build",
    behaviour: "forks",
    says: /hostile failed at context:build: its process exited with code 7/,
  },
  {
    kind: "process",
    point: "tool:after",
    behaviour: "floods",
    says: /hostile failed at tool:after: a line may have at most 8388608 bytes/,
  },
  {
    kind: "process",
    point: "register",
    behaviour: "answers-garbage",
    says: /hostile: expected one JSON message per line/,
  },
  {
    kind: "wasm",
    point: "input:submit",
    behaviour: "allocates",
    says: /hostile failed at input:submit: the module trapped/,
  },
  {
    kind: "wasm",
    point: "chat:message",
    behaviour: "answers-deep-json",
    says: /hostile failed at chat:message: its answer cannot be sent: a message may be nested at most 200 deep/,
  },
];

describe("a session beside a hostile addon", () => {
  for (const { says, ...order } of rows(
    CASES,
    ({ kind, behaviour }) => kind === "process" && behaviour === "floods",
  ))
    it.skipIf(MISSING_KINDS.has(order.kind))(`${nameOf(order)}: answers, and names it`, async () => {
      const place = await openPlace({ ...order, mayExecute: order.behaviour === "forks" });
      const { code, stdout, stderr } = await runSession(place);
      expect(stderr).toMatch(says);
      expect(stdout).toContain("All done.");
      expect(code).toBe(0);
      expect(statesOf(place)).toEqual(["ok", "refused", "ok"]);
      expect(processesOf(place.marker)).toEqual([]);
    });

  it.skipIf(MISSING_KINDS.has("process"))("without one says nothing of the kind (the twin)", async () => {
    const place = await openPlace({ kind: "process", point: "none", behaviour: "throws" });
    const { code, stderr } = await runSession(place);
    expect(code).toBe(0);
    for (const { says } of CASES) expect(stderr).not.toMatch(says);
    expect(statesOf(place)).toEqual(["ok", "refused", "ok"]);
  });
});

describe.skipIf(MISSING_KINDS.has("process"))("quarantine across sessions", () => {
  it("is told, outlives the session, is shown by `indus addons`, and ends with `indus addons restart`", async () => {
    const place = await openPlace({ kind: "process", point: "tool:before", behaviour: "throws" });
    const failed = /project:hostile failed at tool:before: thrown on order/g;

    const first = await runSession(place);
    expect(first.code).toBe(0);
    expect(first.stderr.match(failed)).toHaveLength(3);
    expect(first.stderr).toMatch(
      /the addon hostile is in quarantine after 3 handler faults in five minutes.+indus addons restart hostile/,
    );

    const shown = await place.run(["addons", ...GRANTS]);
    expect(shown.stdout).toMatch(
      /hostile has been in quarantine since .+ To run it again: indus addons restart hostile\. The last fault: thrown on order/,
    );
    expect(shown.stdout).not.toContain("watching has been in quarantine");

    const second = await runSession(place);
    expect(second.code).toBe(0);
    expect(second.stderr).not.toMatch(failed);
    expect(statesOf(place)).toEqual(["ok", "refused", "ok"]);

    const restarted = await place.run(["addons", "restart", "hostile"]);
    expect(restarted.stdout).toMatch(/^hostile \(.+\) is released from quarantine$/m);
    expect((await runSession(place)).stderr.match(failed)).toHaveLength(3);
  });
});
