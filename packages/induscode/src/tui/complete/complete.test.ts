import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { createPlainHistory } from "../../../../../tests/support/test-history.ts";
import { findCommand } from "../../console/find-command.ts";
import { createStyle } from "../../console/style.ts";
import type { InstalledCommand } from "../../feature/command.ts";
import type { EditorEvent } from "../contract.ts";
import { createEditor, type OpenedEditor } from "../editor/editor.ts";
import { createBindings } from "../keys/bindings.ts";
import { createKeyDecoder } from "../keys/decode.ts";
import { createCommandCompleter, firstOf } from "./commands.ts";
import { createFileIndex, type FoundFiles } from "./file-index.ts";
import { createFileCompleter, mentionAt, mentionOf, mentionsIn } from "./files.ts";
import { fit } from "./fuzzy.ts";
import { createResourceCompleter } from "./resources.ts";

const turns = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
};

const FILES = [
  "src/main.ts",
  "src/console/editor.ts",
  "src/editor/state.ts",
  "docs/read me.md",
  "README.md",
  "src/\u001b[31mred.ts",
];

const command = (name: string, more: Partial<InstalledCommand> = {}): InstalledCommand => ({
  name,
  summary: `does ${name}`,
  feature: "builtin:session",
  run: () => undefined,
  ...more,
});
const COMMANDS = [
  command("help"),
  command("model", { argumentHint: "[provider/model]", complete: () => ["anthropic/sonnet", "openai/gpt"] }),
  command("theme", { argumentHint: "[name]", complete: () => ["dark", "light"], picks: true }),
  command("compact", { argumentHint: "[what to keep]" }),
  command("review", { argumentHint: "<file>" }),
  command("skill:fix-issue", { feature: "builtin:prompts", argumentHint: "[what to do]" }),
  command("skill:help", { feature: "builtin:prompts" }),
];

function open(paths: readonly string[] = FILES): {
  readonly editor: OpenedEditor;
  readonly type: (keys: string) => Promise<readonly EditorEvent[]>;
  readonly rows: (columns?: number) => readonly string[];
  readonly lists: () => number;
} {
  let lists = 0;
  const editor = createEditor({
    bindings: createBindings(),
    style: createStyle(false),
    history: createPlainHistory(),
    onChange: () => undefined,
    completer: firstOf([
      createCommandCompleter(() => ({ commands: COMMANDS, handles: {} })),
      createFileCompleter({
        list: async (onPaths) => {
          lists += 1;
          onPaths(paths);
        },
        now: () => 0,
        later: setImmediate,
      }),
    ]),
  });
  return {
    editor,
    type: async (keys) => {
      const decoder = createKeyDecoder();
      const events: EditorEvent[] = [];
      for (const input of [...decoder.write(keys), ...decoder.flush()]) {
        if (input.kind === "key") events.push(...editor.press(input.key));
        await turns();
      }
      return events;
    },
    rows: (columns = 60) => editor.render(columns).rows,
    lists: () => lists,
  };
}

test("@ shows the files that fit, the best first, and Tab puts one in", async () => {
  const { editor, type, rows } = open();
  await type("look at @edi");
  expect(rows().slice(0, 4)).toEqual([
    "› look at @edi",
    "▸ src/editor/",
    "  src/console/editor.ts",
    "  src/editor/state.ts",
  ]);
  await type("\x1b[B\t");
  expect(editor.text()).toBe("look at @src/console/editor.ts ");
  expect(rows()).toHaveLength(1);
});

test("a folder is completed, and then what is in it", async () => {
  const { editor, type } = open();
  await type("@src/ed\t");
  expect(editor.text()).toBe("@src/editor/");
  await type("\t");
  await type("\t");
  expect(editor.text()).toMatch(/^@src\/editor\//);
});

test("Esc sends the list away until more is typed, and Enter then sends the line", async () => {
  const { type, rows } = open();
  await type("@mai\x1b");
  expect(rows()).toEqual(["› @mai"]);
  expect(await type("\r")).toMatchObject([{ kind: "submit", submission: { text: "@mai" } }]);
});

test("no file is listed before the first @", async () => {
  const { type, lists } = open();
  await type("mail me@example.com");
  expect(lists()).toBe(0);
  await type(" @");
  expect(lists()).toBe(1);
});

test("a name with a blank or with what acts is shown printable and put in quoted", async () => {
  const { editor, type, rows } = open();
  await type("@red");
  expect(rows().join("\n")).not.toContain("\u001b");
  await type("\t");
  expect(editor.text()).toMatch(/^@"src\/\\u001b\[31mred\.ts" $/);
  await type("\x15@readme\x1b[B");
  await type('\x15@"read m\t');
  expect(editor.text()).toBe('@"docs/read me.md" ');
});

test("the mention of any path gives the path back, and holds no invisible character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (path) => {
      const mention = mentionOf(path);
      expect(mention).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      if (mention.startsWith('@"')) expect(JSON.parse(mention.slice(1))).toBe(path);
      else expect(mention.slice(1)).toBe(path);
    }),
  );
});

test.each([
  ["a@b", undefined],
  ["@a", "a"],
  ["see (@a/b", "a/b"],
  ['see @"a b', "a b"],
  ["@a b", undefined],
])("%s mentions %s", (text, typed) => {
  expect(mentionAt(text, text.length)?.typed).toBe(typed);
});

test("a text's mentions are its @paths, plain or quoted, each once", () => {
  expect(mentionsIn('see @a.ts, (@b/c) and @"d e.md" @"x\\u001by"; not me@example.org, @a.ts')).toEqual([
    "a.ts",
    "b/c",
    "d e.md",
    "x\u001by",
  ]);
});

test("/ shows the commands with hint and summary; a skill goes by its bare name where that is free", async () => {
  const { type, rows } = open();
  await type("/");
  expect(rows()).toEqual([
    "› /",
    "▸ /help  does help",
    "  /model [provider/model]  does model",
    "  /theme [name]  does theme",
    "  /compact [what to keep]  does compact",
    "  /review <file>  does review",
    "  /fix-issue [what to do]  does skill:fix-issue",
    "  /skill:help  does skill:help",
  ]);
  await type("fix");
  expect(rows()).toEqual(["› /fix", "▸ /fix-issue [what to do]  does skill:fix-issue"]);
});

test("Enter on the beginning of a name runs it; on one that only fits, or lacks its argument, it is put in", async () => {
  const { editor, type } = open();
  expect(await type("/hel\r")).toMatchObject([{ submission: { text: "/help" } }]);
  expect(await type("/cmpt\r")).toEqual([]);
  expect(editor.text()).toBe("/compact ");
  expect(await type("\x15/rev\r")).toEqual([]);
  expect(editor.text()).toBe("/review ");
  expect(await type("\x15/help\r")).toMatchObject([{ submission: { text: "/help" } }]);
});

test("behind a name its values are completed, and Enter sends them", async () => {
  const { type, rows } = open();
  await type("/model son");
  expect(rows()).toEqual(["› /model son", "▸ anthropic/sonnet"]);
  await type("\t");
  expect(rows()).toEqual(["› /model anthropic/sonnet"]);
});

test("a path that begins with a slash is no command", async () => {
  const { type, rows } = open();
  await type("/usr/bin");
  expect(rows()).toEqual(["› /usr/bin"]);
});

test("a typed name means a command in any case of letters, and a skill by its bare name", () => {
  const named = (typed: string): string => {
    const found = findCommand(COMMANDS, typed);
    return typeof found === "string" ? found : found.name;
  };
  expect(["help", "HELP", "fix-issue", "skill:help", "hepl", "zzz"].map(named)).toEqual([
    "help",
    "help",
    "skill:fix-issue",
    "skill:help",
    "Unknown command /hepl. Did you mean /help? Type /help.",
    "Unknown command /zzz. Type /help.",
  ]);
  const twice = [command("skill:a"), command("plugin:a")];
  expect(findCommand(twice, "a")).toMatch(/^Unknown command/);
});

test("of the files that fit, the better match comes first", () => {
  const order = (typed: string, ...names: readonly string[]): readonly string[] =>
    names.toSorted((a, b) => fit(b, typed) - fit(a, typed));
  expect(order("state", "src/understated.ts", "src/state.ts", "state/other.ts", "s/t/a/t/e")).toEqual([
    "src/state.ts",
    "src/understated.ts",
    "state/other.ts",
    "s/t/a/t/e",
  ]);
  expect(fit("abc", "ca")).toBe(Number.NEGATIVE_INFINITY);
});

test("200,000 files are searched in pieces that end when their time is over, and a new key ends the old search", async () => {
  const paths = Array.from({ length: 200_000 }, (_, n) => `packages/p${n % 97}/src/file-${n}.ts`);
  let clock = 0;
  const works: (() => void)[] = [];
  const index = createFileIndex({
    list: async (onPaths) => {
      for (let at = 0; at < paths.length; at += 2_000) onPaths(paths.slice(at, at + 2_000));
    },
    now: () => (clock += 1), // each read of the clock takes a millisecond: a piece takes four reads
    later: (work) => void works.push(work),
  });
  let found: FoundFiles | undefined;
  index.search("file", (each) => (found = each));
  await turns();
  let pieces = 0;
  while (works.length > 0) {
    works.shift()?.();
    pieces += 1;
  }
  expect(pieces).toBeGreaterThan(100);
  expect(found?.paths).toHaveLength(50);
  expect(found?.note).toBeUndefined();
  // A longer query is searched only among the paths that matched the shorter one.
  let told = 0;
  index.search("file-1999", () => (told += 1));
  works.shift()?.();
  index.search("file-19999", (each) => (found = each));
  while (works.length > 0) works.shift()?.();
  expect(told).toBe(0);
  expect(found?.paths[0]).toBe("packages/p17/src/file-19999.ts");
  index.close();
});

test("a list that is made anew waits for the search that is under way, and then serves", async () => {
  const first = Array.from({ length: 5_000 }, (_, n) => `a-${n}.ts`);
  const taken: number[] = [];
  /** A chunk of a listing that records when it is read. */
  const chunk = (n: number): readonly string[] =>
    Object.assign([`b-${n}.ts`], {
      *[Symbol.iterator]() {
        taken.push(n);
        yield `b-${n}.ts`;
      },
    });
  let lists = 0;
  let clock = 0;
  const works: (() => void)[] = [];
  const index = createFileIndex({
    list: async (onPaths) => {
      lists += 1;
      if (lists === 1) onPaths(first);
      else for (let n = 0; n < 3; n++) onPaths(chunk(n));
    },
    now: () => (clock += 1),
    later: (work) => void works.push(work),
  });
  const found: FoundFiles[] = [];
  const search = (typed: string): void => index.search(typed, (each) => found.push(each));
  search("a");
  await turns();
  while (works.length > 0) works.shift()?.();
  expect([lists, found.at(-1)?.paths.length]).toEqual([1, 50]);
  clock += 20_000;
  found.length = 0;
  search("b-1");
  await turns();
  expect(lists).toBe(2);
  for (; found.length === 0; works.shift()?.()) expect(taken).toEqual([]);
  const each: number[] = [];
  for (; works.length > 0; works.shift()?.()) each.push(taken.length);
  expect(each.slice(0, 4)).toEqual([0, 1, 2, 3]);
  expect(found.at(-1)?.paths).toEqual(["b-1.ts"]);
  index.close();
});

test("where files cannot be listed, the list says why", async () => {
  const index = createFileIndex({
    list: () => Promise.reject(new Error("no ripgrep")),
    now: () => 0,
    later: setImmediate,
  });
  let found: FoundFiles | undefined;
  index.search("a", (each) => (found = each));
  await turns();
  expect(found).toEqual({ paths: [], note: "files cannot be listed: no ripgrep" });
});

test("a list that cannot be made anew stays in use and says why, until one can be made", async () => {
  let clock = 0;
  let lists = 0;
  const index = createFileIndex({
    list: async (onPaths) => {
      lists += 1;
      if (lists === 2) {
        onPaths(["half.ts"]);
        throw new Error("no ripgrep");
      }
      onPaths(lists === 1 ? ["a.ts"] : ["a.ts", "a2.ts"]);
    },
    now: () => clock,
    later: setImmediate,
  });
  let found: FoundFiles | undefined;
  const search = async (): Promise<FoundFiles | undefined> => {
    index.search("a", (each) => (found = each));
    await turns();
    return found;
  };
  expect(await search()).toEqual({ paths: ["a.ts"] });
  clock += 20_000;
  expect(await search()).toEqual({
    paths: ["a.ts"],
    note: "as listed before; listing again failed: no ripgrep",
  });
  clock += 20_000;
  expect((await search())?.paths).toEqual(["a.ts", "a2.ts"]);
  expect(found?.note).toBeUndefined();
  index.close();
});

test("Enter on the name of a command that lets choose shows its values; Enter takes one, Esc and Enter send the bare name", async () => {
  const chosen = open();
  expect(await chosen.type("/theme\r")).toEqual([]);
  expect(chosen.rows().join("\n")).toMatch(/\/theme \n▸ dark\n {2}light/);
  expect(await chosen.type("\x1b[B\r")).toMatchObject([
    { kind: "submit", submission: { text: "/theme light" } },
  ]);
  const bare = open();
  expect(await bare.type("/the\r")).toEqual([]);
  bare.editor.press({ name: "escape", ctrl: false, alt: false, shift: false });
  expect(bare.rows().join("\n")).not.toContain("dark");
  expect(await bare.type("\r")).toMatchObject([{ kind: "submit", submission: { text: "/theme " } }]);
});

test("@ and a server's name completes its resources, which are listed once", async () => {
  const asked: string[] = [];
  const completer = createResourceCompleter(() => ({
    servers: () => ["tickets", "notes"],
    list: async (server) => {
      asked.push(server);
      return ["notes://1", "file:///a b"];
    },
  }));
  const puts = (text: string): readonly string[] | undefined =>
    completer.look(text, text.length)?.items.map(({ put }) => put);
  expect(puts("see @tick")).toEqual(["@tickets:"]);
  expect(puts("see @")).toBeUndefined(); // that is for files
  expect(puts("see @tickets:")).toEqual([]);
  await turns();
  expect(puts("see @tickets:")).toEqual(["@tickets:notes://1 ", '@"tickets:file:///a b" ']);
  expect(puts("see @tickets:NOTES")).toEqual(["@tickets:notes://1 "]);
  expect(puts("see @other:x")).toBeUndefined();
  expect(asked).toEqual(["tickets"]);
});
