// One suite for every file system: all back ends give the same results, error codes included.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Fs } from "../../packages/indusagi/src/capabilities/kernel/contract.ts";
import { errorCode } from "../../packages/indusagi/src/core/faults.ts";

export interface FsSubject {
  readonly fs: Fs;
  /** An empty folder, by its real path. Cases stay inside it. */
  readonly root: string;
  /** Makes a link, which the file system interface cannot. */
  readonly symlink: (target: string, path: string) => Promise<void>;
  /** Only if files have modes. */
  readonly modes?:
    | {
        readonly set: (path: string, mode: number) => void;
        readonly get: (path: string) => number;
      }
    | undefined;
}

export type MakeFsSubject = () => FsSubject | Promise<FsSubject>;

const IS_POSIX = process.platform !== "win32";
const LONGEST_NAME = "n".repeat(255);

/** Runs the suite; `make` is called once in each test. */
export function fsCases(name: string, make: MakeFsSubject): void {
  describe(name, () => {
    const each = (title: string, run: (subject: Case) => Promise<void>): void => {
      test(title, async () => run(new Case(await make())));
    };

    each("what is written is read back", async ({ fs, at }) => {
      await fs.writeFile(at("text"), "héllo\r\n\u{1f600}");
      await fs.writeFile(at("bytes"), Uint8Array.of(0, 255, 10));
      await fs.writeFile(at("empty"), "");
      expect(await fs.readText(at("text"))).toBe("héllo\r\n\u{1f600}");
      expect([...(await fs.readBytes(at("bytes")))]).toEqual([0, 255, 10]);
      expect(await fs.readText(at("empty"))).toBe("");
    });

    each("a later change of the caller's array changes no file", async ({ fs, at }) => {
      const bytes = Uint8Array.of(1, 2);
      await fs.writeFile(at("a"), bytes);
      bytes[0] = 9;
      const read = await fs.readBytes(at("a"));
      read[1] = 9;
      expect([...(await fs.readBytes(at("a")))]).toEqual([1, 2]);
    });

    each("a range reads no more than it names", async ({ fs, at }) => {
      await fs.writeFile(at("digits"), "0123456789");
      const range = async (start: number, maxBytes: number): Promise<string> =>
        Buffer.from(await fs.readBytes(at("digits"), { start, maxBytes })).toString();
      expect([
        await range(0, 3),
        await range(8, 5),
        await range(10, 1),
        await range(20, 5),
        await range(4, 0),
      ]).toEqual(["012", "89", "", "", ""]);
    });

    each("text is UTF-8 or refused, and a byte order mark is text", async ({ fs, at, codeOf }) => {
      await fs.writeFile(at("latin1"), Uint8Array.of(0x63, 0xe9));
      await fs.writeFile(at("bom"), Uint8Array.of(0xef, 0xbb, 0xbf, 0x61));
      expect(await codeOf(fs.readText(at("latin1")))).toBe("ERR_ENCODING_INVALID_ENCODED_DATA");
      expect(await fs.readText(at("bom"))).toBe("\ufeffa");
    });

    each("an entry is described, and a link by what it leads to", async ({ fs, at, symlink }) => {
      await fs.writeFile(at("a"), "12345");
      await fs.mkdir(at("d"));
      await symlink("a", at("to-a"));
      await symlink("d", at("to-d"));
      const shape = async (name: string): Promise<unknown> => {
        const { isFile, isDirectory, isSymlink, size } = await fs.stat(at(name));
        return [isFile, isDirectory, isSymlink, isFile ? size : undefined];
      };
      expect([await shape("a"), await shape("to-a")]).toEqual([
        [true, false, false, 5],
        [true, false, true, 5],
      ]);
      expect([await shape("d"), await shape("to-d")]).toEqual([
        [false, true, false, undefined],
        [false, true, true, undefined],
      ]);
      expect((await fs.stat(at("to-a"))).modifiedMs).toBe((await fs.stat(at("a"))).modifiedMs);
    });

    each("a file's time never steps back with a write", async ({ fs, at }) => {
      await fs.writeFile(at("a"), "1");
      const before = (await fs.stat(at("a"))).modifiedMs;
      await fs.writeFile(at("a"), "2");
      expect((await fs.stat(at("a"))).modifiedMs).toBeGreaterThanOrEqual(before);
      expect(before).toBeGreaterThan(1_500_000_000_000);
    });

    each("folders are made, listed and removed", async ({ fs, at, root, symlink, list }) => {
      await fs.mkdir(at("a/b/c"), { recursive: true });
      await fs.mkdir(at("a/b"), { recursive: true });
      await fs.writeFile(at("f"), "");
      await symlink("a", at("l"));
      expect(await list(root)).toEqual(["a/", "f", "l@"]);
      await fs.rm(at("l"), { recursive: true });
      expect(await list(at("a"))).toEqual(["b/"]); // the link was removed, not its target
      await fs.rm(at("a"), { recursive: true });
      await fs.rm(at("f"));
      await fs.rm(at("f"), { ignoreMissing: true });
      expect(await list(root)).toEqual([]);
    });

    each(
      "what is missing, of the wrong kind or in the way has its code",
      async ({ fs, at, symlink, codeOf }) => {
        await fs.writeFile(at("file"), "");
        await fs.mkdir(at("full/sub"), { recursive: true });
        await symlink("gone", at("dangling"));
        await symlink("round", at("round"));
        const all = async (path: string): Promise<readonly string[]> => [
          await codeOf(fs.readText(path)),
          await codeOf(fs.stat(path)),
          await codeOf(fs.readDir(path)),
          await codeOf(fs.mkdir(path)),
          await codeOf(fs.mkdir(path, { recursive: true })),
          await codeOf(fs.rm(path)),
        ];
        expect({
          none: await all(at("none/x")).then((codes) => codes.toSpliced(4, 1)), // a recursive mkdir creates it
          file: await all(at("file/x")),
          dangling: await all(at("dangling/x")),
          round: await all(at("round/x")),
        }).toEqual({
          none: ["ENOENT", "ENOENT", "ENOENT", "ENOENT", "ERR_FS_EISDIR"],
          file: ["ENOTDIR", "ENOTDIR", "ENOTDIR", "ENOTDIR", "ENOTDIR", "ENOTDIR"],
          dangling: ["ENOENT", "ENOENT", "ENOENT", "ENOENT", "ENOTDIR", "ENOENT"],
          round: ["ELOOP", "ELOOP", "ELOOP", "ELOOP", "ELOOP", "ELOOP"],
        });
        expect([
          await codeOf(fs.readText(at("full"))),
          await codeOf(fs.readBytes(at("full"))),
          await codeOf(fs.writeFile(at("full"), "")),
          await codeOf(fs.rm(at("full"))),
          await codeOf(fs.readDir(at("file"))),
          await codeOf(fs.mkdir(at("full"))),
          await codeOf(fs.mkdir(at("dangling"))),
          await codeOf(fs.mkdir(at("dangling"), { recursive: true })),
          await codeOf(fs.mkdir(at("file"), { recursive: true })),
          await codeOf(fs.writeFile(at("nowhere/x"), "")),
          await codeOf(fs.writeFile(at("file/x"), "")),
          await codeOf(fs.writeFile(at("round"), "")),
          await codeOf(fs.rm(at("file/x"), { ignoreMissing: true })),
        ]).toEqual([
          "EISDIR",
          "EISDIR",
          "EISDIR",
          "ERR_FS_EISDIR",
          "ENOTDIR",
          "EEXIST",
          "EEXIST",
          "ENOENT",
          "EEXIST",
          "ENOENT",
          "ENOTDIR",
          "ELOOP",
          "ENOTDIR",
        ]);
      },
    );

    each("only what can be reached exists", async ({ fs, at, root, symlink, codeOf }) => {
      await fs.writeFile(at("file"), "");
      await symlink("file", at("link"));
      await symlink("gone", at("dangling"));
      await symlink("round", at("round"));
      const exist = (names: readonly string[]) => Promise.all(names.map((name) => fs.exists(at(name))));
      expect(await fs.exists(root)).toBe(true);
      expect(await exist(["file", "link", "dangling", "none", "none/x", "file/x"])).toEqual([
        true,
        true,
        false,
        false,
        false,
        false,
      ]);
      expect(await codeOf(fs.exists(at("round")))).toBe("ELOOP");
    });

    each("the real path is where a write would really go", async ({ fs, at, symlink, codeOf }) => {
      await fs.mkdir(at("real/deep"), { recursive: true });
      await fs.writeFile(at("real/file"), "");
      await symlink("real/deep", at("dir"));
      await symlink(at("real"), at("absolute"));
      await symlink("absolute/file", at("chain"));
      await symlink("real/missing", at("dangling"));
      await symlink("dir/../up", at("through")); // `..` is resolved from the real location of `dir`
      const realPaths = (names: readonly string[]) => Promise.all(names.map((name) => fs.realPath(at(name))));
      expect(
        await realPaths(["none/x", "dir/new", "absolute/file", "chain", "dangling", "dangling/x", "through"]),
      ).toEqual(
        [
          "none/x",
          "real/deep/new",
          "real/file",
          "real/file",
          "real/missing",
          "real/missing/x",
          "real/up",
        ].map(at),
      );
      expect(await codeOf(fs.realPath(at("real/file/x")))).toBe("ENOTDIR");
    });

    each(
      "a write goes through links to the file they name, which need not exist yet",
      async ({ fs, at, symlink }) => {
        await fs.mkdir(at("real"));
        await fs.writeFile(at("real/a"), "old");
        await symlink("real/a", at("link"));
        await symlink("link", at("chain"));
        await symlink("real/b", at("dangling"));
        await fs.writeFile(at("chain"), "new");
        await fs.writeFile(at("dangling"), "made");
        expect([await fs.readText(at("real/a")), await fs.readText(at("real/b"))]).toEqual(["new", "made"]);
        expect([(await fs.stat(at("chain"))).isSymlink, (await fs.stat(at("dangling"))).isSymlink]).toEqual([
          true,
          true,
        ]);
      },
    );

    each("forty links are followed and no more", async ({ fs, at, symlink, codeOf }) => {
      await fs.writeFile(at("0"), "end");
      for (let n = 1; n <= 41; n++) await symlink(String(n - 1), at(String(n)));
      expect(await fs.readText(at("40"))).toBe("end");
      expect(await codeOf(fs.readText(at("41")))).toBe("ELOOP");
    });

    each("a reader sees the old content or the new, never a part", async ({ fs, at }) => {
      const [old, next] = ["o".repeat(300_000), "n".repeat(200_000)];
      await fs.writeFile(at("a"), old);
      const seen = new Set<string>();
      for (let round = 0; round < 10; round++) {
        const reads = Array.from({ length: 4 }, () => fs.readText(at("a")));
        await fs.writeFile(at("a"), round % 2 === 0 ? next : old);
        for (const text of await Promise.all(reads)) seen.add(text);
      }
      expect([...seen].filter((text) => text !== old && text !== next)).toEqual([]);
    });

    each("writers side by side leave one of their contents", async ({ fs, at, root, list }) => {
      const contents = Array.from({ length: 8 }, (_, index) => String(index).repeat(50_000 + index));
      await Promise.all(contents.map((content) => fs.writeFile(at("a"), content)));
      expect(contents).toContain(await fs.readText(at("a")));
      expect(await list(root)).toEqual(["a"]);
    });

    each("a write that fails changes nothing and leaves nothing", async ({ fs, at, root, list, codeOf }) => {
      await fs.mkdir(at("folder"));
      await fs.writeFile(at("file"), "kept");
      expect([
        await codeOf(fs.writeFile(at("folder"), "x")),
        await codeOf(fs.writeFile(at("file/x"), "x")),
        await codeOf(fs.writeFile(at("none/x"), "x")),
      ]).toEqual(["EISDIR", "ENOTDIR", "ENOENT"]);
      expect(await list(root)).toEqual(["file", "folder/"]);
      expect(await fs.readText(at("file"))).toBe("kept");
    });

    each("a file's mode survives a write, where files have modes", async ({ fs, at, modes }) => {
      if (!modes) return;
      for (const mode of [0o755, 0o600, 0o640]) {
        await fs.writeFile(at("a"), "old");
        modes.set(at("a"), mode);
        await fs.writeFile(at("a"), "new");
        expect(modes.get(at("a")).toString(8)).toBe(mode.toString(8));
      }
    });

    each("a NUL byte in a path is refused everywhere", async ({ fs, at, root, list, codeOf }) => {
      const path = at("a\0b");
      const codes = await Promise.all(
        [
          fs.readText(path),
          fs.readBytes(path),
          fs.writeFile(path, ""),
          fs.stat(path),
          fs.readDir(path),
          fs.mkdir(path),
          fs.mkdir(path, { recursive: true }),
          fs.rm(path, { recursive: true, ignoreMissing: true }),
          fs.exists(path),
          fs.realPath(path),
        ].map(codeOf),
      );
      expect(new Set(codes)).toEqual(new Set(["ERR_INVALID_ARG_VALUE"]));
      expect(await list(root)).toEqual([]);
    });

    describe.runIf(IS_POSIX)("names", () => {
      each("with odd characters are kept as they are", async ({ fs, at, root, list }) => {
        const names = [
          " ",
          "...",
          "-rf",
          "a\nb",
          "a\u202fb",
          "dots..",
          "back\\slash",
          "\u202e",
          "\u{e0041}",
          "$(id)",
          "~",
          "*?[]",
          "__proto__",
          "constructor",
          LONGEST_NAME,
        ];
        for (const name of names) await fs.writeFile(join(root, name), name);
        expect(await list(root)).toEqual([...names].sort());
        for (const name of names) expect(await fs.readText(at(name))).toBe(name);
        for (const name of names) await fs.rm(at(name));
        expect(await list(root)).toEqual([]);
      });

      each("over 255 bytes are too long, and so is a path of 4 KiB", async ({ fs, at, codeOf }) => {
        for (const name of [`${LONGEST_NAME}n`, "é".repeat(128), `${LONGEST_NAME}/`.repeat(16)]) {
          expect([
            await codeOf(fs.stat(at(name))),
            await codeOf(fs.readText(at(name))),
            await codeOf(fs.writeFile(at(name), "")),
            await codeOf(fs.mkdir(at(name))),
            await codeOf(fs.rm(at(name), { ignoreMissing: true })),
          ]).toEqual(Array(5).fill("ENAMETOOLONG"));
        }
      });

      test.runIf(process.platform === "linux")(
        "in two Unicode forms or two cases are two names",
        async () => {
          const { fs, at, root, list } = new Case(await make());
          const names = ["é", "e\u0301", "E", "e"];
          for (const name of names) await fs.writeFile(at(name), name);
          expect(await list(root)).toEqual([...names].sort());
          for (const name of names) expect(await fs.readText(at(name))).toBe(name);
        },
      );
    });
  });
}

/** A subject with short forms for the cases. */
class Case implements FsSubject {
  readonly fs: Fs;
  readonly root: string;
  readonly symlink: FsSubject["symlink"];
  readonly modes?: NonNullable<FsSubject["modes"]>;

  constructor({ fs, root, symlink, modes }: FsSubject) {
    this.fs = fs;
    this.root = root;
    this.symlink = symlink;
    if (modes) this.modes = modes;
  }

  readonly at = (name: string): string => join(this.root, name);
  readonly codeOf = codeOf;
  /** Names in order; `/` marks a folder, `@` a link. */
  readonly list = async (path: string): Promise<readonly string[]> =>
    (await this.fs.readDir(path))
      .map(({ name, isDirectory, isSymlink }) => name + (isDirectory ? "/" : isSymlink ? "@" : ""))
      .sort();
}

/** The error code with which `work` rejects. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (error) => errorCode(error) ?? String(error),
  );
}
