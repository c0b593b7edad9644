// A command that asks to leave the sandbox because of one folder, through the real command: the person lets it read that folder inside.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { lacks } from "../support/needs.ts";
import { openPlainConsole, openRichConsole } from "../support/open-console.ts";

const isThere = createSandbox().strong()?.level === "bubblewrap";
/** A question that takes keys, as the last thing on the screen. */
const ARMED = /asks for permission[\s\S]*\[r\][^\n]*\n(?: {2,}(?!what)[^\n]*\n)* *anthropic[^\n]*$/;
const ENTERED = { args: ["--permission-mode", "auto"] };

const run = (command: string, outside?: string) => ({
  calls: [{ name: "bash", input: outside === undefined ? { command } : { command, outside } }],
});
/** Says what it reads, and that it cannot write there. */
const LOOK = "cat ../shared/a.txt && node write.mjs ../shared";
const WRITE = `import { writeFileSync } from "node:fs";
try { writeFileSync(process.argv[2] + "/new", "x"); } catch (error) { console.log(error.code); }`;

function placeWith(): Workplace {
  const place = createWorkplace();
  const shared = join(place.cwd, "../shared");
  mkdirSync(shared);
  writeFileSync(join(shared, "a.txt"), "the shared text");
  place.file("write.mjs", WRITE);
  return place;
}

const outputs = (place: Workplace): readonly string[] =>
  place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));

describe.skipIf(lacks("bubblewrap", isThere))(
  "a command that asks to leave the sandbox for one folder",
  () => {
    it("reads that folder inside by an answer, and so do the commands after it, which change nothing there", async () => {
      const place = placeWith();
      const script = [run(LOOK), run(LOOK, "the text"), run(LOOK), { text: "All done." }];
      const { type, answer, waitFor, screen } = await openRichConsole(script, { ...ENTERED, place });
      type("go\r");
      await waitFor(ARMED);
      expect(screen().replaceAll(/\s+/g, "")).toContain("[h]yes,inthesandbox,reading");
      await answer("t");
      await waitFor(/All done\./);
      const [before, granted, later] = outputs(place);
      expect(before).not.toContain("the shared text");
      expect(before).toContain("commands do not see");
      for (const each of [granted, later]) {
        expect(each).toContain("the shared text");
        expect(each).toContain("EROFS");
      }
      expect(granted).toContain("the person let it run inside, reading");
      const log = place.entries();
      expect(log.filter(({ type: kind }) => kind === "approval")).toMatchObject([
        { approval: { kind: "read", tool: "bash", whole: true } },
      ]);
      expect(JSON.stringify(log)).toContain("allowed commands of this session to read");
    });

    it("is asked in the plain console in the same words, and one command reads it by `h`", async () => {
      const place = placeWith();
      const script = [run(LOOK, "the text"), run(LOOK), { text: "All done." }];
      const { type, answer, waitFor } = await openPlainConsole(script, { ...ENTERED, place });
      type("go\r");
      await waitFor(/in the sandbox, reading [\s\S]*: \[h\] this command[\s\S]*\/n › ?$/);
      await answer("h\r");
      await waitFor(/All done\./);
      const [granted, later] = outputs(place);
      expect(granted).toContain("the shared text");
      expect(later).not.toContain("the shared text");
    });

    it(
      "is kept for the folder by an answer that says so, until the person takes it back",
      LONG_ONLY,
      async () => {
        const place = placeWith();
        const script = [run(LOOK, "the text"), { text: "All done." }];
        const { type, answer, waitFor } = await openRichConsole(script, { ...ENTERED, place });
        type("go\r");
        await waitFor(ARMED);
        await answer("f");
        await waitFor(/All done\./);
        type("/permissions\r");
        await waitFor(/By your answers, commands in the sandbox read [\s\S]*commands in the sandbox read /);
        const later = await openRichConsole([run(LOOK), { text: "Again." }], { ...ENTERED, place });
        later.type("go\r");
        await later.waitFor(/Again\./);
        expect(outputs(place)[0]).toContain("the shared text");
        const { stdout } = await place.run(["permissions"]);
        const [, id = ""] = /^([0-9a-f]{8}) .*commands in the sandbox read /m.exec(stdout) ?? [];
        expect((await place.run(["permissions", "rm", id])).code).toBe(0);
        const after = await openRichConsole([run(LOOK), { text: "Once more." }], { ...ENTERED, place });
        after.type("go\r");
        await after.waitFor(/Once more\./);
        expect(outputs(place)[0]).not.toContain("the shared text");
      },
    );

    it(
      "is offered no folder that a rule asks about (twin: the rule is about another one)",
      LONG_ONLY,
      async () => {
        for (const [name, isOffered] of [
          ["shared", false],
          ["other", true],
        ] as const) {
          const place = placeWith();
          const folder = join(place.cwd, "..", name);
          place.settings({ localServers: [], permissions: { ask: [`read(${folder}/**)`] } });
          const script = [run("node check.mjs ../shared/a.txt", "the text"), { text: "All done." }];
          const { type, answer, waitFor, screen } = await openRichConsole(script, { ...ENTERED, place });
          type("go\r");
          await waitFor(ARMED);
          expect(screen().includes("[h]")).toBe(isOffered);
          await answer("n");
          await waitFor(/All done\./);
        }
      },
    );
  },
);
