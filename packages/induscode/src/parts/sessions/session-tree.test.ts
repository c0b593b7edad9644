import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import type { Conductor } from "../../conductor/contract.ts";
import { treeCommand } from "./session-tree.ts";

const withLog = (logPath: string) => ({
  conductor: { status: () => ({ logPath, sessionId: "s1", busy: false }) } as unknown as Conductor,
  list: undefined,
  retell: undefined,
});

test("a session without a log has said nothing; a log that cannot be read is not taken for one", async () => {
  const { root } = createWorkspace();
  const logPath = join(root, "s1.jsonl");
  expect(await treeCommand("", withLog(logPath))).toBe("Nothing has been said in this session yet.");
  mkdirSync(logPath);
  await expect(treeCommand("", withLog(logPath))).rejects.toThrow();
});
