// The editor of the rich console as a person meets it: the real command in a pseudo-terminal.

import { chmodSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createWorkplace } from "../support/indus.ts";
import { expectTerminalAsBefore, ODD_INPUT, SEQUENCES } from "../support/keys.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { clearForLine, leaveConsole, openRichConsole, RICH_IDLE } from "../support/open-console.ts";

const UP = "\x1b[A";
const sent = (server: ModelServer, at: number): string => server.requests[at]?.rawBody ?? "";

it("several lines are written, a long paste is folded and sent whole, and a paste sends nothing", async () => {
  const { type, waitFor, server } = await openRichConsole([{ text: "Read." }]);
  const pasted = Array.from({ length: 40 }, (_, n) => `row ${n}`).join("\r");
  type(`one\x1b\rtwo \x1b[200~${pasted}\r\x1b[201~`);
  await waitFor(/› one\n {2}two \[pasted 40 lines\]\n/);
  expect(server.requests).toHaveLength(0);
  type("\r");
  await waitFor("Read.");
  expect(sent(server, 0)).toContain("one\\ntwo row 0\\nrow 1\\n");
  expect(sent(server, 0)).toContain("row 39");
});

it("Ctrl+V says so where no image can be read from the clipboard, until the next key", async () => {
  const { type, waitFor } = await openRichConsole([], { env: { DISPLAY: "", WAYLAND_DISPLAY: "" } });
  type("\x16");
  await waitFor(
    /› *\ncannot read an image from the clipboard; type @path\.png to send an image file instead$/,
  );
  type("x");
  await waitFor(/› x\n *anthropic\/scripted[^\n]*$/);
});

it(
  "an image goes with a skill's command, and a command that asks no model says that none was sent",
  LONG_ONLY,
  async () => {
    const server = await startModelServer([]);
    onTestFinished(server.close);
    const place = createWorkplace(server.url);
    const image = join(place.cwd, "dot.png");
    writeFileSync(image, Buffer.from("89504e470d0a1a0a00", "hex"));
    mkdirSync(join(place.home, "skills/peek"), { recursive: true });
    writeFileSync(
      join(place.home, "skills/peek/SKILL.md"),
      "---\nname: peek\ndescription: Looks.\n---\n\nLook.\n",
    );
    const { type, waitFor, server: own } = await openRichConsole([{ text: "Seen." }], { place });
    const dropped = `\x1b[200~${image}\x1b[201~`;
    type(`/peek ${dropped}`);
    await waitFor("› /peek [image dot.png]");
    type("\r");
    await waitFor("Seen.");
    await waitFor(RICH_IDLE);
    expect(sent(own, 0)).toContain('"media_type":"image/png","data":"iVBORw0KGgoA"');
    type(`/help ${dropped}`);
    await waitFor("› /help [image dot.png]");
    type("\r");
    await waitFor("the model gets no image with this line: /help [image dot.png]");
  },
);

it("what was sent comes back in the next session of the folder: Up and Ctrl+R", LONG_ONLY, async () => {
  const first = await openRichConsole([{ text: "Yes." }]);
  first.type("remember the first line\r");
  await first.waitFor("Yes.");
  await first.waitFor(RICH_IDLE);
  first.type("\x04");
  expect(await first.left).toBe(0);
  expect(globSync("history/*.jsonl", { cwd: first.place.home })).toHaveLength(1);
  const second = await openRichConsole([{ text: "Again." }], { place: first.place });
  second.type(UP);
  await second.waitFor("› remember the first line");
  second.type("\x15\x12first");
  await second.waitFor(/history: first\n {2}remember the first line/);
  second.type("\r\r");
  await second.waitFor("Again.");
  expect(sent(second.server, 0)).toContain("remember the first line");
});

it("@ lists files without the ignored ones, and the file goes along with the line", async () => {
  const server = await startModelServer([{ text: "Seen." }]);
  onTestFinished(server.close);
  const place = createWorkplace(server.url);
  mkdirSync(join(place.cwd, "src"));
  mkdirSync(join(place.cwd, "built"));
  writeFileSync(join(place.cwd, ".gitignore"), "built/\n");
  writeFileSync(join(place.cwd, "built", "needle.js"), "");
  writeFileSync(join(place.cwd, "src", "needle.ts"), "the content of needle");
  const { type, waitFor, screen, server: own } = await openRichConsole([{ text: "Seen." }], { place });
  type("see @need");
  await waitFor("▸ src/needle.ts");
  expect(screen()).not.toContain("built/needle.js");
  type("\t");
  await waitFor("› see @src/needle.ts");
  type("\r");
  await waitFor("Seen.");
  expect(sent(own, 0)).toContain("the content of needle");
});

it("/ lists the commands, Enter runs the one that begins so, and a mistyped one is answered with the nearest", async () => {
  const { type, waitFor, place } = await openRichConsole([]);
  type("/hel");
  await waitFor(/▸ \/help {2}show the commands/);
  type("\r");
  await waitFor("/addons [trust|restart|remove ID]");
  type("/hepl\r");
  await waitFor("Unknown command /hepl. Did you mean /help?");
  type("/bug\r");
  await waitFor("Written: ");
  expect(globSync("bugs/*.json", { cwd: place.home })).toHaveLength(1);
});

it(
  "! runs a command behind the gate and the model hears of it next; !! keeps it from the model",
  LONG_ONLY,
  async () => {
    const { type, waitFor, server } = await openRichConsole([{ text: "Heard." }], {
      args: ["--allow", "bash(echo *)", "--deny", "bash(rm *)"],
    });
    type("!echo shared-word\r");
    await waitFor(/\n {2}shared-word\n/);
    await waitFor(RICH_IDLE);
    type("!!echo private-word\r");
    await waitFor(/\n {2}private-word\n/);
    await waitFor(RICH_IDLE);
    type("!rm -rf nothing\r");
    await waitFor(/not run: /);
    await waitFor(RICH_IDLE);
    expect(server.requests).toHaveLength(0);
    type("go on\r");
    await waitFor("Heard.");
    expect(sent(server, 0)).toContain("$ echo shared-word\\nshared-word");
    expect(sent(server, 0)).not.toContain("private-word");
  },
);

it("! shows both ends of one long line and how much is missing", LONG_ONLY, async () => {
  const { type, waitFor, server, place } = await openRichConsole([{ text: "Heard." }]);
  place.file("big", `begin${"a".repeat(400_000)}end`);
  type("!cat big\r");
  await waitFor("… trimmed 348808 bytes to fit the window …");
  await waitFor(RICH_IDLE);
  type("go on\r");
  await waitFor("Heard.");
  const heard = /\$ cat big\\nbegina+\\n… trimmed 348808 bytes to fit the window …\\na+end"/;
  expect(heard.test(sent(server, 0))).toBe(true);
});

it("! says that the working folder is gone, which refuses nothing", LONG_ONLY, async () => {
  const { type, waitFor, place } = await openRichConsole([]);
  rmSync(place.cwd, { recursive: true });
  type("!ls\r");
  await waitFor(/✗ ! ls {2}failed {2}.*\n {2}not run: Cannot run in \S+: folder not found\.\n/);
});

it("a command that nobody allowed is asked about, and not run when the answer is no", LONG_ONLY, async () => {
  const { type, waitFor, place } = await openRichConsole([]);
  type("!mkfifo made-here\r");
  await waitFor("mkfifo made-here");
  await waitFor("[y] yes");
  await new Promise((resolve) => setTimeout(resolve, 600)); // what was typed before the question does not answer it
  type("n");
  await waitFor(/not run|no\b/);
  expect(() => readFileSync(join(place.cwd, "made-here"))).toThrow("ENOENT");
});

it("the text is written on in the person's own editor", LONG_ONLY, async () => {
  const server = await startModelServer([]);
  onTestFinished(server.close);
  const place = createWorkplace(server.url);
  const editor = join(place.home, "editor.sh");
  writeFileSync(editor, '#!/bin/sh\nprintf "%s and more" "$(cat "$1")" > "$1.new" && mv "$1.new" "$1"\n');
  chmodSync(editor, 0o755);
  const { type, waitFor } = await openRichConsole([], { place, env: { VISUAL: editor } });
  type("begun\x18\x05");
  await waitFor("› begun and more");
});

it(
  "keybindings.json gives actions other keys, and what is wrong in it is named with its line",
  LONG_ONLY,
  async () => {
    const server = await startModelServer([]);
    onTestFinished(server.close);
    const place = createWorkplace(server.url);
    mkdirSync(place.home, { recursive: true });
    writeFileSync(
      join(place.home, "keybindings.json"),
      '{\n  "edit.newline": "f2",\n  "edit.submitt": "f3",\n  "fold": "f4", "pager": [], "history.search": "f6"\n}\n',
    );
    const { type, waitFor } = await openRichConsole(
      [{ text: "", calls: [{ name: "bash", input: { command: "seq 1 10" } }] }, { text: "It ran." }],
      { place, args: ["--permission-mode", "bypass"] },
    );
    await waitFor('keybindings.json, line 3: "edit.submitt" is not an action; did you mean "edit.submit"?');
    type("a\x1bOQb");
    await waitFor(/› a\n {2}b\n/);
    // What the hints name are the keys that there are now.
    type("\x03\x1bOS");
    await waitFor(/nothing here is folded(?!;)/);
    type("\x1b[17~");
    await waitFor("Enter accepts, F6 searches on, Esc cancels");
    type("\x1b");
    await waitFor(RICH_IDLE);
    type("go\r");
    await waitFor(/… \d+ more lines \(F4 unfolds\)[\s\S]*It ran\.[\s\S]*\n\n›[^\n]*\n *anthropic/);
    type("\x1bOS");
    await waitFor(/↑↓ choose/);
    type("\x1bOS"); // the chosen key, not Ctrl+O, folds it again
    await waitFor(/▸ [\s\S]*\(F4 unfolds\)/);
  },
);

it(
  "random keys and events leave a console that still answers and a terminal as it was",
  LONG_ONLY,
  async () => {
    const keys = [
      ..."abc /@!漢é👍'\"\\",
      ..."\x01\x02\x05\x06\x08\x0b\x0e\x10\x12\x14\x15\x17\x19\x1f\x7f\t\n",
      ...SEQUENCES,
      ...ODD_INPUT,
    ];
    const terminal = await openRichConsole([], { underShell: true });
    const { type, raw } = terminal;
    let seed = 20_261_122;
    const next = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed;
    };
    for (let n = 0; n < 40; n++)
      type(Array.from({ length: 20 }, () => keys[next() % keys.length] ?? "").join(""));
    await clearForLine(terminal, "still here");
    expect(await leaveConsole(terminal)).toBe(0);
    expectTerminalAsBefore(raw());
    expect(raw()).toMatch(/\x1b\[<u.*\x1b\[\?2004l/s);
  },
);
