import type { Ticket } from "indusagi/swarm";
import { expect, onTestFinished, test } from "vitest";
import { createScreen } from "../../../../../tests/support/terminal.ts";
import type { ConductorEvent } from "../../conductor/contract.ts";
import { createCrewTable } from "./crew-table.ts";

const ticket = (title: string, status: Ticket["status"]): Ticket => ({
  ...{ id: "tkt_1", title, brief: "", priority: "normal", deps: [], status, comments: [] },
  ...{ postedBy: "plan", postedAt: "" },
});

const reply = (agent: string, cost: number): ConductorEvent =>
  ({
    kind: "delegate",
    agent,
    sessionId: "s",
    event: { kind: "entry", entry: { type: "assistant", cost } },
  }) as unknown as ConductorEvent;

function scene(columns: number, memberOf = (agent: string): string => agent) {
  const screen = createScreen(columns);
  const written: string[] = [];
  const table = createCrewTable(
    {
      columns,
      write: (text: string | Uint8Array) => {
        written.push(String(text));
        screen.feed(Buffer.from(String(text).replaceAll("\n", "\r\n")));
        return true;
      },
    },
    memberOf,
  );
  onTestFinished(() => table.close());
  const shown = async (): Promise<readonly string[]> => {
    await screen.settled();
    return screen.text().trimEnd().split("\n");
  };
  return { table, shown, written };
}

test("those who work stand below the lines that stay, with what they took; whoever is done leaves the table", async () => {
  const { table, shown } = scene(80);
  table.work("ada", ticket("Find it", "claimed"));
  table.say("ada  starts  Find it");
  table.work("bob", ticket("Mend it", "claimed"));
  table.say("bob  starts  Mend it");
  table.hear(reply("ada", 0.02));
  table.hear(reply("ada", 0.02));
  table.hear(reply("nobody", 1));
  expect(await shown()).toEqual([
    "ada  starts  Find it",
    "bob  starts  Mend it",
    expect.stringMatching(/^▸ ada {2}2 turns, \$0\.04, [\d.]+ m?s {2}Find it$/),
    expect.stringMatching(/^▸ bob {2}0 turns, [\d.]+ m?s {2}Mend it$/),
  ]);
  table.work("ada", ticket("Find it", "done"));
  table.say("ada  done  Find it: Found.");
  expect(await shown()).toEqual([
    ...["ada  starts  Find it", "bob  starts  Mend it", "ada  done  Find it: Found."],
    expect.stringMatching(/^▸ bob /),
  ]);
  table.close();
  expect(await shown()).toHaveLength(3);
});

test("a delegate counts for the member that it is; what is claimed elsewhere has a row until it is not any more", async () => {
  const { table, shown } = scene(80, (agent) => `${agent}@here`);
  table.work("ada@here", ticket("Find it", "claimed"));
  table.workElsewhere([
    { ...ticket("Mend it", "claimed"), assignee: "bob@there", claimedAt: Date.now() - 3_600_000 },
  ]);
  table.hear(reply("ada", 0.02));
  expect(await shown()).toEqual([
    expect.stringMatching(/^▸ ada@here {2}1 turn, \$0\.02, [\d.]+ m?s {2}Find it$/),
    expect.stringMatching(/^▸ bob@there {2}1 h 0 min {2}Mend it$/),
  ]);
  table.workElsewhere([]);
  expect(await shown()).toEqual([expect.stringMatching(/^▸ ada@here {2}1 turn/)]);
});

test("what is too wide is cut, so that the table is where it is taken away again; nothing in a title moves the cursor", async () => {
  const { table, shown, written } = scene(40);
  table.work("ada", ticket(`${"漢字".repeat(30)}\u001b[2J`, "claimed"));
  for (let n = 0; n < 5; n++) table.hear(reply("ada", 0));
  expect(await shown()).toEqual([expect.stringMatching(/^▸ ada {2}5 turns, [\d.]+ m?s {2}漢/)]);
  expect(written.join("")).not.toContain("\u001b[2J");
  table.close();
  expect(await shown()).toEqual([""]);
});
