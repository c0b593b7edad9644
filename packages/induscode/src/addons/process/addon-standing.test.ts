import { expect, test } from "vitest";
import { createAddonStanding } from "./addon-standing.ts";
import { RpcError } from "./protocol/contract.ts";

type Attachment = Parameters<ReturnType<typeof createAddonStanding>["attach"]>[0];

function attachment(said: string[]): Attachment {
  return {
    featureId: "project:a",
    grants: [],
    diagnostic: (severity, text) => void said.push(`${severity}: ${text}`),
    fault: (kind, text) => void said.push(`${kind} fault: ${text}`),
    session: () => undefined,
  };
}

test("a request has no effect before the addon is attached, nor while it registers", async () => {
  const standing = createAddonStanding(() => undefined);
  expect(standing.attached).toThrow(RpcError);
  const given = attachment([]);
  standing.attach(given);
  expect(standing.attached()).toBe(given);
  await standing.whileRegistering(async () => expect(standing.attached).toThrow("while it registers"));
  expect(standing.attached()).toBe(given);
});

test("what is said about it waits until somebody can hear it, and is said once", async () => {
  const logged: string[] = [];
  const said: string[] = [];
  const standing = createAddonStanding((text) => void logged.push(text));
  standing.tell("load", "early");
  standing.diagnostic("warning", "skipped");
  expect(said).toEqual([]);
  expect(logged).toHaveLength(1);
  expect(standing.takeEarly()).toEqual([{ severity: "warning", text: "skipped" }]);
  standing.attach(attachment(said));
  expect(said).toEqual(["load fault: early"]);
  await standing.whileRegistering(async () => {
    standing.diagnostic("warning", "skipped");
    standing.diagnostic("warning", "new");
  });
  expect(said).toEqual(["load fault: early", "warning: new"]);
});
