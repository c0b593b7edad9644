// Which folders an answer can let commands read, and what is mounted if another one takes the place of the one that was judged.

import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lacksLevel } from "../../../../../tests/support/needs.ts";
import { sandboxAt } from "../../../../../tests/support/test-levels.ts";
import type { OutsideFolder } from "../../feature/permission.ts";
import { confineCommands } from "./command-sandbox.ts";
import { judgedFolder, whyNotGranted } from "./granted-folders.ts";
import { identityOf, openPlace } from "./handed-places.ts";

const STRONG = sandboxAt("bubblewrap").strong();
const THERE = STRONG?.level === "bubblewrap";
let base: string;
let root: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "indus-folders-")));
  root = join(base, "work");
  for (const each of ["work", "person/notes", "person/.hidden/x", "shared/inner", "keys", "store/sub"])
    mkdirSync(join(base, each), { recursive: true });
  writeFileSync(join(base, "shared/a.txt"), "the shared text");
  writeFileSync(join(base, "keys/id_ed25519"), "a key");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const bounds = () => ({ root, personHome: join(base, "person"), store: join(base, "store") });

describe("a folder that an answer can let commands read", () => {
  it.each([
    ["shared", undefined],
    ["person/notes", undefined],
    ["", "it is a home, or contains one"],
    ["person", "it is a home"],
    ["person/.hidden/x", "hidden"],
    ["store", "stores its own"],
    ["store/sub", "stores its own"],
    ["keys", "id_ed25519"],
    ["nowhere", "not a folder"],
  ])("is none with the person's or the system's secrets: %s: %s", (name, why) => {
    const found = whyNotGranted(join(base, name), bounds());
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(why);
  });

  it.each(["/", "/tmp", "/home", "/home/someone", "/root/x", "/run/user", "/var/run/x", "/dev/shm"])(
    "is not %s",
    (path) => expect(whyNotGranted(path, bounds())).toBeDefined(),
  );

  it("is none that a rule is about, none that contains the workspace, none with a socket, and no link", async () => {
    const shared = join(base, "shared");
    expect(judgedFolder(shared, { ...bounds(), isRefused: (path) => path === shared })).toBeUndefined();
    expect(judgedFolder(shared, { ...bounds(), root: join(shared, "inner") })).toBeUndefined();
    symlinkSync(shared, join(base, "link"));
    expect(judgedFolder(join(base, "link"), bounds())).toBeUndefined();
    expect(judgedFolder(shared, bounds())?.path).toBe(shared);
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(shared, "s"), done));
    expect(judgedFolder(shared, bounds())).toBeUndefined();
    await new Promise((done) => server.close(done));
  });
});

describe.skipIf(lacksLevel("bubblewrap", THERE))("a command in the sandbox that may read a folder", () => {
  const run = async (
    command: string,
    given: { once?: OutsideFolder; always?: readonly string[]; before?: () => void; looking?: () => void },
  ) => {
    if (STRONG === undefined) throw new Error("no bubblewrap");
    const confined = confineCommands(STRONG, {
      ...{ ...bounds(), env: { PATH: process.env.PATH }, withhold: [], isWritable: true, network: "off" },
      folders: () => (given.always ?? []).map((path) => ({ path })),
      refuses: {
        read(path) {
          if (path === join(base, "shared/inner")) given.looking?.();
          return path.endsWith("/secret.txt");
        },
      },
    });
    try {
      const shell = given.once === undefined ? confined.shell : confined.shellAt(given.once);
      given.before?.();
      return await shell.exec(command, {
        ...{ cwd: root, signal: new AbortController().signal, timeoutMs: 60_000 },
      });
    } finally {
      await confined.close();
    }
  };
  const judged = (): OutsideFolder => {
    const found = judgedFolder(join(base, "shared"), bounds());
    if (found === undefined) throw new Error("it is not granted");
    return found;
  };

  it("reads it and changes nothing there; another one does not see it, and is told what to do", async () => {
    const command = "cat ../shared/a.txt && ! touch ../shared/new 2>/dev/null";
    const once = await run(command, { once: judged() });
    expect([once.stdout, once.code]).toEqual(["the shared text", 0]);
    expect((await run(command, { always: [join(base, "shared")] })).stdout).toBe("the shared text");
    const without = await run(command, {});
    expect(without.code).not.toBe(0);
    expect(without.note).toContain(`commands do not see ${join(base, "shared")}`);
    expect(without.note).toContain('call again with "outside"');
    const key = await run("cat ../keys/id_ed25519", {});
    expect(key.note ?? "").not.toContain("do not see");
  });

  it("is told what to do where it must not change, or not read, a place outside that it names, and of no other place", async () => {
    writeFileSync(join(base, "shared/secret.txt"), "the secret");
    writeFileSync(join(root, "tells.sh"), "echo /usr/share/x: Permission denied; exit 1");
    for (const [command, place] of [
      ["touch ../shared/new", "../shared/new"],
      ["sh tells.sh", undefined],
      ["echo x > ../shared/a.txt", "../shared/a.txt"],
      ["cat ../shared/secret.txt", "../shared/secret.txt"],
      ["touch /usr/made", "/usr/made"],
    ] as const) {
      const { note = "" } = await run(command, { always: [join(base, "shared")] });
      if (place === undefined)
        expect([command, note]).toEqual([command, expect.stringContaining("can write only in")]);
      else
        expect([command, note]).toEqual([
          command,
          expect.stringMatching(
            new RegExp(
              `^sandbox: ${place}.* is outside of the working directory, .*"outside" and say why.*$`,
            ),
          ),
        ]);
    }
  });

  it("does not see in it what rules are about reading", async () => {
    writeFileSync(join(base, "shared/inner/secret.txt"), "the secret");
    const { stdout } = await run("cat ../shared/a.txt ../shared/inner/secret.txt", { once: judged() });
    expect(stdout).toBe("the shared text");
  });

  it("reaches no program of the machine by a socket below it (twin: by the same socket in a folder of its own)", async () => {
    const CONNECT = `require("node:net").connect(process.argv[2]).on("data", (data) => console.log(String(data)))
      .on("error", (error) => console.log(error.code))`;
    writeFileSync(join(root, "connect.cjs"), CONNECT);
    const answers = async (socket: string): Promise<string> => {
      const server = createServer((near) => near.end("an answer"));
      await new Promise<void>((done) => server.listen(join(base, socket), done));
      try {
        const command = `node connect.cjs ../${socket}`;
        return (await run(command, { always: [join(base, "shared")] })).stdout.trim();
      } finally {
        await new Promise((done) => server.close(done));
      }
    };
    expect(await answers("shared/inner/s")).toBe("ECONNREFUSED");
    expect(await answers("work/s")).toBe("an answer");
  });

  const exchange = (): void => {
    renameSync(join(base, "shared"), join(base, "before"));
    mkdirSync(join(base, "shared"));
    writeFileSync(join(base, "shared/a.txt"), "another text");
  };

  it("does not start if another folder, or a link, took its place since (twin: nobody knows which it was)", async () => {
    const was = judged();
    await expect(run("cat ../shared/a.txt", { once: was, before: exchange })).rejects.toThrow("was replaced");
    const twin = await run("cat ../shared/a.txt", { once: { path: was.path } });
    expect(twin.stdout).toBe("another text");
    rmSync(was.path, { recursive: true });
    symlinkSync(join(base, "keys"), was.path);
    await expect(run("cat ../shared/id_ed25519", { once: was })).rejects.toThrow("replaced");
  });

  it("does not start if that happens between the comparison and the mount (twin: without an identity it is mounted)", async () => {
    const was = judged();
    const again = (): void => {
      rmSync(join(base, "before"), { recursive: true, force: true });
      exchange();
    };
    for (const isKept of [false, true]) {
      mkdirSync(join(base, "shared/inner"), { recursive: true });
      const given = isKept ? { always: [was.path] } : { once: judged() };
      const { stdout, said } = await run("cat ../shared/a.txt", { ...given, looking: again }).then(
        (result) => ({ stdout: result.stdout, said: result.stderr }),
        (error: unknown) => ({ stdout: "", said: String(error) }),
      );
      expect(stdout).toBe("");
      expect(said).toContain(`${was.path} was replaced while a program was being started`);
    }
    const now = judged();
    expect(() => openPlace(now.path, identityOf(root))).toThrow("was replaced");
    const handle = openPlace(now.path, now.identity);
    expect(handle).toBeDefined();
    closeSync(handle as number);
    mkdirSync(join(base, "shared/inner"));
    writeFileSync(join(base, "shared/a.txt"), "the first text");
    const twin = await run("cat ../shared/a.txt", {
      once: { path: was.path, identity: undefined },
      looking: again,
    });
    expect(twin.stdout).toBe("another text");
  });

  it("is told once of a granted folder that is none any more", async () => {
    rmSync(join(base, "shared"), { recursive: true });
    symlinkSync(join(base, "keys"), join(base, "shared"));
    const { stdout, note } = await run("cat ../shared/id_ed25519; true", { always: [join(base, "shared")] });
    expect(stdout).toBe("");
    expect(note).toContain("although an answer allows it");
  });
});
