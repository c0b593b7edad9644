import { expect, test } from "vitest";
import { earlierDeps, newTickets, refuseCircle } from "./new-tickets.ts";

test("keys of a post become the ids of its tickets, and what else is named was there before", () => {
  const [first, second] = newTickets(
    [
      { key: "a", title: "first", deps: ["tkt_old"] },
      { title: "second", deps: ["a", "a", "tkt_old"] },
    ],
    0,
  );
  expect(second?.deps).toEqual([first?.id, "tkt_old"]);
  expect(first).toMatchObject({ brief: "", priority: "normal", deps: ["tkt_old"] });
  expect(earlierDeps([first, second].flatMap((ticket) => ticket ?? []))).toEqual(["tkt_old"]);
});

test("a circle is refused through tickets that were there before; a chain as long as a board is none (the twin)", () => {
  const deps = new Map([["old", ["new"]]]);
  expect(() => refuseCircle(new Map([["new", ["old"]]]), (id) => deps.get(id) ?? [])).toThrow(
    "dependency cycle: new -> old -> new",
  );
  const long = (id: string): readonly string[] => (id === "99999" ? [] : [`${Number(id) + 1}`]);
  expect(() => refuseCircle(new Map([["0", ["1"]]]), long)).not.toThrow();
});
