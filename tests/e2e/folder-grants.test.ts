// A command that asks to leave the sandbox because of one folder, through the real command: the person lets it read that folder inside, or
// change it where it writes there.

import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { openEditor } from "../support/acp-editor.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { startModelServer } from "../support/model-server.ts";
import { lacks } from "../support/needs.ts";
import { openPlainConsole, openRichConsole } from "../support/open-console.ts";
import { serveOverStdio } from "../support/serve-client.ts";
import { until } from "../support/until.ts";

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

/** Changes a folder, and plants there what acts later. */
const CHANGE = `mkdir ../shared/made && echo x > ../shared/b.txt && echo '{}' > ../shared/.mcp.json`;

function placeWith(url?: string): Workplace {
  const place = createWorkplace(url);
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

    const shared = (place: Workplace): readonly string[] => readdirSync(join(place.cwd, "../shared")).sort();

    it("changes that folder inside by an answer where its line shows that it writes, and so do the commands after it, but nothing that acts later", async () => {
      const place = placeWith();
      const again =
        "rm -r ../shared/made && mkdir -p ../shared/.git/hooks && echo x > ../shared/.git/hooks/pre-push";
      const script = [run(CHANGE), run(CHANGE, "the files"), run(again), { text: "All done." }];
      const { type, answer, waitFor, screen } = await openRichConsole(script, { ...ENTERED, place });
      type("go\r");
      await waitFor(ARMED);
      expect(shared(place)).toEqual(["a.txt"]);
      expect(screen().replaceAll(/\s+/g, "")).toContain("[h]yes,inthesandbox,readingandchanging");
      await answer("t");
      await waitFor(/All done\./);
      const [before, granted, later] = outputs(place);
      expect(before).toMatch(
        /commands do not see .*the person can let commands read that folder, or change it,/,
      );
      expect(granted).toMatch(
        /the person let it run inside, reading and changing .*shared, instead of outside/,
      );
      for (const [said, name] of [
        [granted, ".mcp.json"],
        [later, ".git"],
      ] as const)
        expect(said).toMatch(new RegExp(`shared/${name} was moved to .*put-away-`));
      expect(shared(place)).toEqual(["a.txt", "b.txt", "put-away-1-.git", "put-away-1-.mcp.json"]);
      const log = place.entries();
      expect(log.filter(({ type: kind }) => kind === "approval")).toMatchObject([
        { approval: { kind: "write", tool: "bash", whole: true } },
      ]);
      expect(JSON.stringify(log)).toContain("allowed commands of this session to read and change");
    });

    it(
      "is let change it in the plain console for one command, or for the folder until the person takes it back",
      LONG_ONLY,
      async () => {
        const place = placeWith();
        const script = [
          run(CHANGE, "the files"),
          run("touch ../shared/c", "more"),
          run("touch ../shared/d"),
          { text: "All done." },
        ];
        const first = await openPlainConsole(script, { ...ENTERED, place });
        first.type("go\r");
        await first.waitFor(/in the sandbox, reading and changing [\s\S]*: \[h\] this [\s\S]*\/n › ?$/);
        await first.answer("h\r");
        await first.waitFor(
          /touch \.\.\/shared\/c[\s\S]*in the sandbox, reading and changing [\s\S]*\/n › ?$/,
        );
        await first.answer("f\r");
        await first.waitFor(/All done\./);
        expect(shared(place)).toEqual(["a.txt", "b.txt", "c", "d", "made", "put-away-1-.mcp.json"]);
        first.type("/permissions\r");
        await first.waitFor(
          /commands in the sandbox read and change\s[\s\S]*commands in the sandbox read and change /,
        );
        const later = await openRichConsole([run("touch ../shared/e"), { text: "Again." }], {
          ...ENTERED,
          place,
        });
        later.type("go\r");
        await later.waitFor(/Again\./);
        expect(shared(place)).toContain("e");
        const { stdout } = await place.run(["permissions"]);
        const [, id = ""] = /^([0-9a-f]{8}) .*commands in the sandbox read and change /m.exec(stdout) ?? [];
        expect((await place.run(["permissions", "rm", id])).code).toBe(0);
        const after = await openRichConsole([run("touch ../shared/f"), { text: "Once more." }], {
          ...ENTERED,
          place,
        });
        after.type("go\r");
        await after.waitFor(/Once more\./);
        expect(shared(place)).not.toContain("f");
      },
    );

    it(
      "is offered to change no folder that a rule about edits asks about, or in a sandbox that is read-only (twin: neither is so)",
      LONG_ONLY,
      async () => {
        for (const [isRuled, sandbox, isOffered] of [
          [true, "workspace-write", false],
          [false, "read-only", false],
          [false, "workspace-write", true],
        ] as const) {
          const place = placeWith();
          const rule = `edit(${join(place.cwd, "../shared")}/**)`;
          place.settings({ localServers: [], permissions: { ask: isRuled ? [rule] : [] }, sandbox });
          const script = [run(CHANGE, "the files"), { text: "All done." }];
          const { type, answer, waitFor, screen } = await openRichConsole(script, { ...ENTERED, place });
          type("go\r");
          await waitFor(ARMED);
          expect(screen().includes("[h]")).toBe(isOffered);
          await answer("n");
          await waitFor(/All done\./);
        }
      },
    );

    it(
      "is offered no folder to which a link of the working directory leads that acts later (twin: the link leads elsewhere)",
      LONG_ONLY,
      async () => {
        for (const [target, isOffered] of [
          ["../../shared", false],
          ["../other", true],
        ] as const) {
          const place = placeWith();
          place.file(".claude/own.md", "words");
          symlinkSync(target, join(place.cwd, ".claude/skills"));
          const script = [run(CHANGE, "the files"), { text: "All done." }];
          const { type, answer, waitFor, screen } = await openRichConsole(script, { ...ENTERED, place });
          type("go\r");
          await waitFor(ARMED);
          expect(screen().includes("[h]")).toBe(isOffered);
          await answer("n");
          await waitFor(/All done\./);
        }
      },
    );

    const AUTO = ["--permission-mode", "auto"];
    const served = async (): Promise<Workplace> => {
      const script = [
        run(LOOK, "the text"),
        run(CHANGE, "the files"),
        run("touch ../shared/c"),
        { text: "done" },
      ];
      const server = await startModelServer(script);
      onTestFinished(server.close);
      return placeWith(server.url);
    };
    const expectBoth = (place: Workplace): void => {
      const [read, changed] = outputs(place);
      expect(read).toContain("the shared text");
      expect(read).toContain("EROFS");
      expect(changed).toContain("reading and changing");
      expect(shared(place)).toEqual(["a.txt", "b.txt", "made", "put-away-1-.mcp.json"]);
    };

    it("reads and changes it by the answers of an editor", async () => {
      const place = await served();
      const names: string[] = [];
      const editor = await openEditor(place, {
        args: AUTO,
        onPermission({ options }) {
          const found = options.find(({ name }) => name.endsWith("for this command"));
          names.push(`${found?.kind} ${found?.name.replace(/\/.*\//, "")}`);
          return found?.name;
        },
      });
      onTestFinished(async () => void (await editor.leave()));
      const { session } = methods.agent;
      const { sessionId } = await editor.agent.request(session.new, { cwd: place.cwd, mcpServers: [] });
      await editor.agent.request(session.prompt, { sessionId, prompt: [{ type: "text", text: "go" }] });
      expect(names).toEqual([
        "allow_once Yes, in the sandbox, reading shared, for this command",
        "allow_once Yes, in the sandbox, reading and changing shared, for this command",
      ]);
      expectBoth(place);
    });

    it("reads and changes it by the answers of a client of indus serve, which names no other folder", async () => {
      const place = await served();
      const client = serveOverStdio(place, AUTO);
      onTestFinished(async () => {
        client.leave();
        await client.ended;
      });
      const { id } = await client.request("sessions/open", { cwd: place.cwd });
      const session = String(id);
      await client.request("subscribe", { session });
      const end = client.request("submit", { session, content: [{ kind: "text", text: "go" }] });
      for (const [number, named] of [
        [1, "readable"],
        [2, "writable"],
      ] as const) {
        await until(() => client.told("question").length >= number);
        const asked = client.told("question")[number - 1];
        expect(asked).toMatchObject({ question: { permission: { [named]: join(place.cwd, "../shared") } } });
        const host = { session, id: number, answer: { kind: "host", lasts: "once" } };
        await expect(client.request("answer", host)).rejects.toThrow(/must be one of .*folder, found host/);
        await client.request("answer", { ...host, answer: { kind: "folder", lasts: "once" } });
      }
      expect(await end).toMatchObject({ kind: "complete" });
      expectBoth(place);
    });
  },
);
