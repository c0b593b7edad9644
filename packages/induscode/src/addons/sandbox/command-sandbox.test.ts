// Many sessions of one process, each with confined commands, all waiting for its exit. One listener each makes twelve, more than Node's
// default limit, and it warned.

import { expect, it, onTestFinished } from "vitest";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { createCommandScene } from "../../../../../tests/support/test-command-scene.ts";
import { levelOf, strongAt } from "../../../../../tests/support/test-levels.ts";
import { confineCommands } from "./command-sandbox.ts";

const SESSIONS = 12;
const LEVEL = "landlock";
const strong = strongAt(LEVEL);

it.skipIf(lacksLevel(LEVEL, strong?.level === levelOf(LEVEL)))(
  "the temporary folders of all sessions have one listener to the end of the process",
  async () => {
    if (strong === undefined) throw new Error("it was there a moment ago");
    const { root, home, env, close } = await createCommandScene();
    onTestFinished(() => close());
    const facts = { root, personHome: home, env, withhold: [], isWritable: true, network: "off" } as const;
    const sessions = Array.from({ length: SESSIONS }, () => confineCommands(strong, facts));
    onTestFinished(() => {
      for (const session of sessions) session.close();
    });
    const counts: number[] = [];
    for (const { shell } of sessions) {
      const { stdout } = await shell.exec("echo $TMPDIR", {
        cwd: root,
        signal: new AbortController().signal,
      });
      expect(String(stdout)).toMatch(/indus-commands-\w+\/tmp\n$/);
      counts.push(process.listenerCount("exit"));
    }
    const [first = 0] = counts;
    expect(Math.max(...counts)).toBe(first);
  },
);
