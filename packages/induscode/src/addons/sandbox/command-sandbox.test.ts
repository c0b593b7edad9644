// Confined commands of many sessions, and in a folder of many files.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { createCommandScene } from "../../../../../tests/support/test-command-scene.ts";
import { levelOf, strongAt } from "../../../../../tests/support/test-levels.ts";
import { confineCommands } from "./command-sandbox.ts";

/** With one listener each, Node warns. */
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
    onTestFinished(async () => {
      for (const session of sessions) await session.close();
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

/** Their names are longer than any Linux takes as a command line (6 MB). */
const FILES = { count: 30_000, nameLength: 200 };

it.skipIf(lacksLevel(LEVEL, strong?.level === levelOf(LEVEL)))(
  "a command starts where Landlock opens more files one by one than a command line can name",
  LONG_ONLY,
  async () => {
    if (strong === undefined) throw new Error("it was there a moment ago");
    const { root, home, env, close } = await createCommandScene();
    onTestFinished(() => close());
    for (let at = 0; at < FILES.count; at++)
      writeFileSync(join(root, String(at).padStart(FILES.nameLength, "f")), "");
    const confined = confineCommands(strong, {
      ...{ root, personHome: home, env, withhold: [], isWritable: true, network: "off" },
    });
    onTestFinished(async () => void (await confined.close()));
    const { stdout, stderr } = await confined.shell.exec("cat src/old.txt; echo x > .npmrc", {
      cwd: root,
      signal: new AbortController().signal,
    });
    expect([String(stdout), String(stderr)]).toEqual(["old", expect.stringContaining("Permission denied")]);
  },
);
