import { chownSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import { isRoot, lacks } from "../../../../tests/support/needs.ts";
import { createTree, type Tree, writeTree } from "../../../../tests/support/test-tree.ts";
import { type ContextDocsLoad, createContextDocs, gatherContextDocs } from "./context-docs.ts";

/** Documents as `label: body`. */
const told = ({ docs }: ContextDocsLoad): readonly string[] =>
  docs.map(({ path, body }) => `${path}: ${body}`);
const messages = ({ diagnostics }: ContextDocsLoad): readonly string[] =>
  diagnostics.map(({ kind, message }) => `${kind}: ${message}`);

describe("gatherContextDocs", () => {
  it("goes from the root down to the working directory, in the documented order within a folder", () => {
    const names = [
      "AGENTS.md",
      "CLAUDE.md",
      "INDUSAGI.md",
      "CLAUDE.local.md",
      "AGENTS.local.md",
      ".indusagi/CLAUDE.md",
      ".claude/CLAUDE.md",
    ];
    const tree = createTree({
      ...Object.fromEntries(names.map((name, n) => [`home/repo/a/${name}`, `in a ${n}`])),
      "home/repo/CLAUDE.md": "in repo",
      "home/AGENTS.md": "in home",
      "AGENTS.md": "above home",
    });
    const load = gatherContextDocs({ ...tree, cwd: join(tree.cwd, "a") });
    expect(told(load)).toEqual([
      "~/AGENTS.md: in home",
      `${tree.base}/AGENTS.md: above home`,
      "~/repo/CLAUDE.md: in repo",
      ...names.map((name, n) => `./${name}: in a ${n}`),
    ]);
    expect(load.diagnostics).toEqual([]);
  });

  it("takes the product's own home folder and the home folder first where they are not above", () => {
    const tree = createTree({
      "away/AGENTS.md": "away",
      "home/CLAUDE.md": "home",
      "home/.claude/CLAUDE.md": "home claude",
      "moved/AGENTS.md": "product",
    });
    const load = gatherContextDocs({
      home: tree.home,
      cwd: join(tree.base, "away"),
      indusHome: join(tree.base, "moved"),
    });
    expect(told(load)).toEqual([
      `${tree.base}/moved/AGENTS.md: product`,
      "~/CLAUDE.md: home",
      "~/.claude/CLAUDE.md: home claude",
      "./AGENTS.md: away",
    ]);
  });

  it("has one order, wherever the repository lies: the product's own, home, outer folders, inner folders", () => {
    const order = (repository: string): readonly string[] => {
      const tree = createTree({
        "AGENTS.md": "outer",
        "home/AGENTS.md": "home",
        "home/.indus/AGENTS.md": "own",
        [`${repository}/AGENTS.md`]: "repository",
        [`${repository}/inner/AGENTS.md`]: "inner",
      });
      const { docs } = gatherContextDocs({ home: tree.home, cwd: join(tree.base, repository, "inner") });
      return docs.map(({ body }) => body);
    };
    const everywhere = ["own", "home", "outer", "repository", "inner"];
    for (const place of ["home/repo", "home/deep/er/repo", "srv/repo", "repo"])
      expect(order(place)).toEqual(everywhere);
  });

  it("reads AGENTS.override.md instead of the AGENTS.md beside it, and of no other", () => {
    const tree = createTree({
      "home/AGENTS.md": "home",
      "home/repo/AGENTS.md": "not read",
      "home/repo/AGENTS.override.md": "override",
      "home/repo/CLAUDE.md": "claude",
    });
    expect(told(gatherContextDocs(tree))).toEqual([
      "~/AGENTS.md: home",
      "./AGENTS.override.md: override",
      "./CLAUDE.md: claude",
    ]);
  });

  it("gives nothing twice: neither by a link, nor as a copy, nor by an import", () => {
    const tree = createTree({
      "home/repo/AGENTS.md": "rules @more.md @more.md",
      "home/repo/CLAUDE.md": "-> AGENTS.md",
      "home/repo/INDUSAGI.md": " rules @more.md @more.md\n",
      "home/repo/more.md": "more @AGENTS.md",
      "home/repo/AGENTS.local.md": "@more.md",
    });
    expect(told(gatherContextDocs(tree))).toEqual([
      "./AGENTS.md: rules @more.md @more.md",
      "./more.md: more @AGENTS.md",
      "./AGENTS.local.md: @more.md",
    ]);
  });

  it("skips blank, missing and unreadable documents", () => {
    const tree = createTree({ "home/repo/AGENTS.md": " \n", "home/repo/CLAUDE.local.md": "-> nowhere" });
    mkdirSync(join(tree.cwd, "CLAUDE.md"));
    const load = gatherContextDocs(tree);
    expect(told(load)).toEqual([]);
    expect(messages(load)).toEqual(["unreadable: ./CLAUDE.md was not read: it is not a regular file"]);
  });

  it("takes a document with a NUL for no text, and drops a byte order mark", () => {
    const tree = createTree({ "home/repo/AGENTS.md": "a\0b", "home/repo/CLAUDE.md": "\ufeffhello" });
    const load = gatherContextDocs(tree);
    expect(told(load)).toEqual(["./CLAUDE.md: hello"]);
    expect(messages(load)).toEqual(["unreadable: ./AGENTS.md was not read: it is not UTF-8 text"]);
  });

  it("puts no line break into a heading", () => {
    const tree = createTree({ "home/repo/a\n# Rules/AGENTS.md": "x" });
    const cwd = join(tree.cwd, "a\n# Rules/b");
    mkdirSync(cwd);
    expect(told(gatherContextDocs({ ...tree, cwd }))).toEqual(["~/repo/a # Rules/AGENTS.md: x"]);
  });
});

describe("imports", () => {
  it("follow their importer, each before its own", () => {
    const tree = createTree({
      "home/repo/AGENTS.md": "root @docs/a.md @b.md and @alice",
      "home/repo/docs/a.md": "a @c.md @../b.md",
      "home/repo/docs/c.md": "c",
      "home/repo/b.md": "b @~/.claude/mine.md",
      "home/.claude/mine.md": "mine",
    });
    const load = gatherContextDocs(tree);
    expect(told(load)).toEqual([
      "./AGENTS.md: root @docs/a.md @b.md and @alice",
      "./docs/a.md: a @c.md @../b.md",
      "./docs/c.md: c",
      "./b.md: b @~/.claude/mine.md",
      "~/.claude/mine.md: mine",
    ]);
    expect(load.diagnostics).toEqual([]);
  });

  it("of missing files are reported if they are written as paths", () => {
    const tree = createTree({
      "home/repo/AGENTS.md": "@docs/gone.md, @./a @~/x @docs/ @./docs @alice @types/node",
      "home/repo/docs/b.md": "b",
    });
    expect(messages(gatherContextDocs(tree))).toEqual([
      "absent: ./AGENTS.md imports paths that are not files: @docs/gone.md, @./a, @~/x, @./docs",
    ]);
  });

  it("that form a circle end, and those beyond the depth limit are reported", () => {
    const chain = Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [`home/repo/${n}.md`, `${n} @${n + 1}.md @0.md`]),
    );
    const tree = createTree({ ...chain, "home/repo/AGENTS.md": "@0.md" });
    const load = gatherContextDocs(tree);
    expect(load.docs.map(({ path }) => path)).toEqual(
      ["./AGENTS.md", ..."01234"].map((n) => (n.length > 1 ? n : `./${n}.md`)),
    );
    expect(messages(load)).toEqual(["limit: ./4.md imports @5.md, which was not read: it is 6 imports deep"]);
    expect(gatherContextDocs({ ...tree, maxImportDepth: 0 }).docs).toHaveLength(1);
  });

  it("count as documents before their file exists: whoever writes it writes instructions", () => {
    const tree = createTree({
      "home/repo/AGENTS.md": "@docs/later.md and @here.md",
      "home/repo/here.md": "x",
    });
    const documents = createContextDocs(tree);
    expect(documents.isDocument(join(tree.cwd, "docs/later.md"))).toBe(false);
    documents.atStart();
    const isDocument = ["docs/later.md", "here.md", "AGENTS.md", "docs/other.md"].map((path) =>
      documents.isDocument(join(tree.cwd, path)),
    );
    expect(isDocument).toEqual([true, true, true, false]);
    expect(documents.files()).toContain(join(tree.cwd, "docs/later.md"));
  });

  describe("that lead out of the workspace", () => {
    const secret = "-----BEGIN KEY-----";
    const files = { "home/.ssh/id_rsa": secret, "home/notes.md": "notes", "elsewhere/x.md": "x" };
    const hostile = (tree: Tree): readonly string[] => [
      "@~/.ssh/id_rsa",
      "@~/notes.md",
      "@../notes.md",
      `@${tree.base}/elsewhere/x.md`,
      "@link.md",
      "@folder/notes.md",
    ];

    it("are refused and told, links included", () => {
      const tree = createTree({
        ...files,
        "home/repo/link.md": "-> ../notes.md",
        "home/repo/folder": "-> ..",
      });
      for (const line of hostile(tree)) {
        writeTree(tree, { "home/repo/AGENTS.md": line });
        const load = gatherContextDocs(tree);
        expect(told(load)).toEqual([`./AGENTS.md: ${line}`]);
        const why = line.includes(".ssh")
          ? "files of this kind contain secrets"
          : `it is outside the workspace ${tree.cwd} and the home folders for instructions`;
        expect(messages(load)).toEqual([`refused: ./AGENTS.md imports ${line}, which was not read: ${why}`]);
      }
    });

    it("would be read by an importer that only resolves paths (the twin)", () => {
      const tree = createTree(files);
      const naive = (line: string): string => readFileSync(line.replace("@~", tree.home), "utf8");
      expect(naive("@~/.ssh/id_rsa")).toBe(secret);
    });

    it("are read where the person trusts the folder, but never a secret", () => {
      const tree = createTree({ ...files, "home/repo/AGENTS.md": "@~/notes.md @~/.ssh/id_rsa" });
      const load = gatherContextDocs({ ...tree, trustedRoots: [tree.home] });
      expect(told(load)).toEqual(["./AGENTS.md: @~/notes.md @~/.ssh/id_rsa", "~/notes.md: notes"]);
      expect(messages(load)).toHaveLength(1);
    });

    it("may reach the whole workspace from one of its folders", () => {
      const tree = createTree({ "home/repo/a/AGENTS.md": "@../b.md", "home/repo/b.md": "b" });
      expect(told(gatherContextDocs({ ...tree, cwd: join(tree.cwd, "a") }))).toEqual([
        "./AGENTS.md: @../b.md",
        "~/repo/b.md: b",
      ]);
    });

    it("do not reach further because the home folder is a repository", () => {
      const tree = createTree({ ...files, "home/.git/HEAD": "", "home/plain/AGENTS.md": "@~/notes.md" });
      const load = gatherContextDocs({ ...tree, cwd: join(tree.home, "plain") });
      expect(told(load)).toEqual(["./AGENTS.md: @~/notes.md"]);
    });
  });

  it.each([".env", ".npmrc", ".git/config", "keys/id_ed25519", ".aws/config"])(
    "of the workspace's own %s are refused: they hold secrets",
    (name) => {
      const tree = createTree({ "home/repo/AGENTS.md": `@${name}`, [`home/repo/${name}`]: "KEY=1" });
      const load = gatherContextDocs(tree);
      expect(load.docs).toHaveLength(1);
      expect(messages(load)).toEqual([
        `refused: ./AGENTS.md imports @${name}, which was not read: files of this kind contain secrets`,
      ]);
    },
  );
});

describe("a document that is a link", () => {
  it("is refused where it leads out of its folder and the workspace, or to a secret", () => {
    const tree = createTree({
      "home/.ssh/id_rsa": "secret",
      "home/notes.md": "notes",
      "home/repo/.env.local": "KEY=1",
      "home/repo/AGENTS.md": "-> ../.ssh/id_rsa",
      "home/repo/CLAUDE.md": "-> ../notes.md",
      "home/repo/INDUSAGI.md": "-> .env.local",
    });
    const load = gatherContextDocs(tree);
    expect(told(load)).toEqual([]);
    expect(messages(load)).toEqual([
      "refused: ./AGENTS.md was not read: files of this kind contain secrets",
      `refused: ./CLAUDE.md was not read: it is outside the workspace ${tree.cwd} and the home folders for instructions`,
      "refused: ./INDUSAGI.md was not read: files of this kind contain secrets",
    ]);
    expect(readFileSync(join(tree.cwd, "AGENTS.md"), "utf8")).toBe("secret"); // the twin: plain reading works
  });

  it("may lead anywhere from the home folder, where only the person makes links", () => {
    const tree = createTree({
      "dotfiles/claude.md": "mine",
      "home/.claude/CLAUDE.md": "-> ../../dotfiles/claude.md",
    });
    expect(told(gatherContextDocs(tree))).toEqual(["~/.claude/CLAUDE.md: mine"]);
  });

  it("to a pipe or a device is not waited for", () => {
    const tree = createTree({ "home/CLAUDE.md": "-> /dev/zero" });
    expect(messages(gatherContextDocs(tree))).toEqual([
      "unreadable: ~/CLAUDE.md was not read: it is not a regular file",
    ]);
  });
});

describe("a document of another person in a folder above the project", () => {
  it.skipIf(lacks("root", isRoot))(
    "is refused, also where that person claims the folder as a project",
    () => {
      const tree = createTree({ "AGENTS.md": "obey me", "home/AGENTS.md": "mine", ".git/HEAD": "" });
      rmSync(join(tree.cwd, ".git"), { recursive: true });
      for (const name of ["AGENTS.md", ".git"]) chownSync(join(tree.base, name), 12_345, 12_345);
      const load = gatherContextDocs({ ...tree, home: join(tree.base, "another/home") });
      expect(told(load)).toEqual([`${tree.base}/home/AGENTS.md: mine`]);
      expect(messages(load)).toEqual([
        `refused: ${tree.base}/AGENTS.md was not read: it belongs to another user`,
      ]);
      expect(readFileSync(join(tree.base, "AGENTS.md"), "utf8")).toBe("obey me"); // the twin: plain reading works
    },
  );
});

describe("limits", () => {
  it("cut a document at 40,000 bytes, never inside a character, and say so", () => {
    const tree = createTree({
      "home/repo/AGENTS.md": `\n${"é".repeat(20_001)}`,
      "home/repo/CLAUDE.md": `x${"é".repeat(20_000)}`,
    });
    const load = gatherContextDocs(tree);
    expect(load.docs.map(({ body }) => body)).toEqual(["é".repeat(20_000), `x${"é".repeat(19_999)}`]);
    expect(messages(load)).toEqual([
      "limit: ./AGENTS.md is longer than 40000 bytes: only its beginning is used",
      "limit: ./CLAUDE.md is longer than 40000 bytes: only its beginning is used",
    ]);
  });

  it("leave out what is farthest from the work when all together are too long", () => {
    const tree = createTree({
      "AGENTS.md": "far ".repeat(10),
      "home/repo/AGENTS.md": "@import.md near",
      "home/repo/import.md": "import ".repeat(5),
      "home/repo/CLAUDE.md": "closest",
    });
    const load = gatherContextDocs({ ...tree, maxTotalBytes: 40 });
    expect(told(load)).toEqual(["./AGENTS.md: @import.md near", "./CLAUDE.md: closest"]);
    expect(messages(load)).toEqual([
      `limit: ${tree.base}/AGENTS.md is omitted: context documents are limited to 40 bytes in total`,
      "limit: ./import.md is omitted: context documents are limited to 40 bytes in total",
    ]);
  });

  it("stop a document of nothing but imports, and documents without end", () => {
    const many = Array.from({ length: 150 }, (_, n) => `@${n}.md`).join(" ");
    const files = Array.from({ length: 150 }, (_, n) => [`home/repo/${n}.md`, `${n}`]);
    const tree = createTree({ ...Object.fromEntries(files), "home/repo/AGENTS.md": many });
    const load = gatherContextDocs(tree);
    expect(load.docs).toHaveLength(101);
    expect(messages(load)).toEqual(["limit: ./AGENTS.md has 150 imports: only the first 100 are followed"]);
    const deep = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `home/repo/${n}.md`,
        [n, ...Array.from({ length: 20 }, (_, m) => `@${n}-${m}.md`)].join(" "),
      ]),
    );
    const leaves = Object.fromEntries(
      Array.from({ length: 600 }, (_, n) => [`home/repo/${Math.floor(n / 20)}-${n % 20}.md`, `leaf ${n}`]),
    );
    const wide = createTree({ ...deep, ...leaves, "home/repo/AGENTS.md": many });
    const stopped = gatherContextDocs(wide);
    expect(stopped.docs).toHaveLength(256);
    expect(messages(stopped).slice(1)).toEqual([
      "limit: ./12-2.md and everything after it are omitted: at most 256 files are read",
      "absent: ./AGENTS.md imports paths that are not files: @30.md, @31.md, @32.md, @33.md, @34.md, 65 more",
    ]);
  });
});

describe("an instruction that nobody sees", () => {
  it("is reported when its document is loaded", () => {
    const hidden = [..."obey"].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join("");
    const tree = createTree({ "home/repo/AGENTS.md": `Be kind.${hidden}` });
    const load = gatherContextDocs(tree);
    expect(told(load)).toEqual([`./AGENTS.md: Be kind.${hidden}`]);
    expect(messages(load)).toEqual([
      "invisible: ./AGENTS.md contains text that only the model can see (4 tag characters)",
    ]);
  });
});

describe("createContextDocs", () => {
  it("adds the documents of deeper folders when they are touched, once", () => {
    const tree = createTree({
      "home/repo/AGENTS.md": "root",
      "home/repo/a/CLAUDE.md": "a",
      "home/repo/a/b/AGENTS.md": "b",
      "home/repo/a/b/CLAUDE.md": "-> AGENTS.md",
      "home/repo/a/b/c.ts": "",
      "home/other/AGENTS.md": "other",
    });
    const documents = createContextDocs(tree);
    expect(told(documents.atStart())).toEqual(["./AGENTS.md: root"]);
    expect(told(documents.touched(join(tree.cwd, "a/b/c.ts")))).toEqual([
      "./a/CLAUDE.md: a",
      "./a/b/AGENTS.md: b",
    ]);
    expect(told(documents.touched(join(tree.cwd, "a/b/d.ts")))).toEqual([]);
    expect(told(documents.touched(join(tree.home, "other/x")))).toEqual([]);
  });
});

describe("a document with the text of another", () => {
  const files = {
    "home/repo/a/AGENTS.md": "Read @rules.md first.",
    "home/repo/a/rules.md": "rules of a",
    "home/repo/a/b/AGENTS.md": "Read @rules.md first.",
    "home/repo/a/b/rules.md": "rules of b",
  };

  it("is shown once, and what it imports is shown all the same", () => {
    const tree = createTree(files);
    expect(told(gatherContextDocs({ ...tree, cwd: join(tree.cwd, "a/b") }))).toEqual([
      "~/repo/a/AGENTS.md: Read @rules.md first.",
      "~/repo/a/rules.md: rules of a",
      "./rules.md: rules of b",
    ]);
  });

  it("is shown once as well where a visit to its folder brings it", () => {
    const tree = createTree(files);
    const documents = createContextDocs(tree);
    documents.atStart();
    expect(told(documents.touched(join(tree.cwd, "a/x")))).toHaveLength(2);
    expect(told(documents.touched(join(tree.cwd, "a/b/x")))).toEqual(["./a/b/rules.md: rules of b"]);
  });
});

describe("documents of folders", () => {
  const visit = (tree: Tree): ReturnType<typeof createContextDocs> => {
    const documents = createContextDocs(tree);
    documents.atStart();
    return documents;
  };
  const files = {
    "home/repo/AGENTS.md": "root",
    "home/repo/a/AGENTS.md": "a",
    "home/repo/b/AGENTS.md": "b",
    "home/repo/c/x": "",
  };

  it("are there again when they are out of view: those of the folders in use, the last visited last, as they are now", () => {
    const tree = createTree(files);
    const documents = visit(tree);
    for (const path of ["a/x", "b/x", "c/x", "a/y"]) documents.touched(join(tree.cwd, path));
    writeTree(tree, { "home/repo/b/AGENTS.md": "b, changed" });
    expect(told(documents.again())).toEqual(["./b/AGENTS.md: b, changed", "./a/AGENTS.md: a"]);
    expect(told(documents.touched(join(tree.cwd, "b/x")))).toEqual([]);
    expect(told(documents.again())).toEqual(["./a/AGENTS.md: a", "./b/AGENTS.md: b, changed"]);
  });

  it("are not given again where an earlier process gave them, unless they changed since", () => {
    const tree = createTree(files);
    const before = visit(tree);
    const shown = [
      ...before.touched(join(tree.cwd, "a/x")).docs,
      ...before.touched(join(tree.cwd, "b/x")).docs,
    ];
    writeTree(tree, { "home/repo/b/AGENTS.md": "b, changed" });
    const after = visit(tree);
    after.recall(shown);
    expect(after.files()).toContain(shown[0]?.source); // it still counts as an instruction
    expect(told(after.touched(join(tree.cwd, "a/x")))).toEqual([]);
    expect(told(after.touched(join(tree.cwd, "b/x")))).toEqual(["./b/AGENTS.md: b, changed"]);
    expect(told(visit(tree).touched(join(tree.cwd, "a/x")))).toEqual(["./a/AGENTS.md: a"]); // the twin: without recall
    after.recall([]);
    expect(told(after.touched(join(tree.cwd, "a/x")))).toEqual(["./a/AGENTS.md: a"]);
  });

  it("count against the limit as long as they are in view", () => {
    const tree = createTree({
      ...files,
      "home/repo/a/AGENTS.md": "a".repeat(60),
      "home/repo/b/AGENTS.md": "b".repeat(60),
    });
    const documents = createContextDocs({ ...tree, maxTotalBytes: 100 });
    documents.atStart();
    expect(documents.touched(join(tree.cwd, "a/x")).docs).toHaveLength(1);
    expect(messages(documents.touched(join(tree.cwd, "b/x")))).toEqual([
      "limit: ./b/AGENTS.md is omitted: context documents are limited to 100 bytes in total",
    ]);
    documents.recall([]);
    expect(documents.touched(join(tree.cwd, "b/x")).docs).toHaveLength(1);
  });
});

describe("the effort to gather", () => {
  it("grows with the levels", () => {
    const levels = Array.from({ length: 32 }, (_, n) => Array.from({ length: n + 1 }, () => "d").join("/"));
    const files = levels.flatMap((level, n) => [
      [`home/repo/${level}/AGENTS.md`, `${n} `.repeat(500)],
      [`home/repo/${level}/.claude/CLAUDE.md`, `claude ${n}`],
    ]);
    const tree = createTree(Object.fromEntries(files));
    const gather = (depth: number) =>
      gatherContextDocs({ ...tree, cwd: join(tree.cwd, levels[depth - 1] ?? "") });
    expect(gather(20).docs).toHaveLength(40);
    expect(growthOf([1, 8, 32], gather)).toBe("even");
  });
});
