import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSessionScope } from "indusagi/core";
import { expect, it, onTestFinished } from "vitest";
import type { Entry } from "../../conductor/contract.ts";
import { SESSION_HERE, type SessionHere } from "../../session/session-here.ts";
import { joinWithMemory } from "./in-session.ts";
import { keptMemory } from "./kept-memory.ts";
import { acceptMemory } from "./memory.ts";

it("shows what is remembered in each session that is entered, unless its view contains it", async () => {
  const home = mkdtempSync(join(tmpdir(), "indus-memory-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const place = { settings: {}, folder: "/ws", home, personHome: "/home/me" };
  const files = keptMemory(place);
  if (!files) throw new Error("memory is on by default");
  mkdirSync(dirname(files.user), { recursive: true });
  writeFileSync(files.user, "- likes tabs\n");
  acceptMemory(files);
  const shown: string[] = [];
  const scope = createSessionScope();
  const here = {
    conductor: { subscribe: () => () => undefined, notify: (_: string, text: string) => shown.push(text) },
    notices: { tell: (line: string) => shown.push(line), alert: () => undefined },
    secrets: { text: (text: string) => text },
  };
  scope.put(SESSION_HERE, here as unknown as SessionHere);
  const part = (await joinWithMemory(place))(scope);
  part?.entered?.([]);
  expect(shown).toEqual([expect.stringContaining("> - likes tabs")]);
  const notice = { type: "notice", origin: "builtin:memory", text: shown[0] } as unknown as Entry;
  part?.entered?.([notice]); // a resume: it is in view
  expect(shown).toHaveLength(1);
  part?.entered?.([notice, { type: "clear" } as unknown as Entry]); // another one, in which it is not
  expect(shown).toHaveLength(2);
});
