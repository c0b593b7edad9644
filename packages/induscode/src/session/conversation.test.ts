import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createConversation } from "./conversation.ts";

it("conversations in one process have each their own folder, environment and files that they saw", async () => {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const { signal } = new AbortController();
  const conversations = Array.from({ length: 20 }, (_, at) => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "indus-conversation-")));
    const env = { PATH: process.env.PATH, MINE: String(at), KEPT: "secret" };
    const conversation = createConversation({ cwd, env, withhold: ["KEPT"] });
    conversation.recall([[join(cwd, "seen"), { mtimeMs: at, size: 1, readAt: 1 }]]);
    return { cwd, conversation };
  });
  const seen = await Promise.all(
    conversations.map(async ({ cwd, conversation }, at) => {
      const { shell, cwd: own, framework } = conversation.context(signal);
      const { stdout } = await shell.exec('echo "$PWD $MINE [$KEPT]"', { cwd: own, signal });
      const records = conversations.filter((each) => framework.readState?.has(join(each.cwd, "seen")));
      return [stdout.trim() === `${cwd} ${at} []`, records.length === 1];
    }),
  );
  expect(seen).toEqual(conversations.map(() => [true, true]));
  expect({ cwd: process.cwd(), env: { ...process.env } }).toEqual(before);
});
