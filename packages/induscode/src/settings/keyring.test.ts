// Keyring programs: a key is never an argument, and a program that hangs or is missing is given up on.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { clearFromKeyring, keepInKeyring, keyringCommand } from "./keyring.ts";

const KEY = "sk-kept-0123456789abcdef";

function scene(name: string, text: string) {
  const folder = mkdtempSync(join(tmpdir(), "indus-keyring-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), `#!/bin/sh\ncd ${folder}\n${text}`);
  chmodSync(join(folder, name), 0o755);
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}` };
  return { folder, facts: { home: "/a home", variable: "A_KEY", env } as const };
}

it("secret-tool is given the key over standard input, and asked what it holds", async () => {
  const { folder, facts } = scene(
    "secret-tool",
    'echo "$@" >> calls; case $1 in store) cat > kept;; lookup) cat kept;; clear) rm kept;; esac\n',
  );
  expect(await keepInKeyring({ ...facts, platform: "linux" }, KEY)).toBeUndefined();
  expect(readFileSync(join(folder, "kept"), "utf8")).toBe(KEY);
  expect(await clearFromKeyring({ ...facts, platform: "linux" })).toBeUndefined();
  expect(existsSync(join(folder, "kept"))).toBe(false);
  const place = "service indus home /a home variable A_KEY";
  expect(readFileSync(join(folder, "calls"), "utf8")).toBe(
    `store --label=indus: A_KEY ${place}\nlookup ${place}\nclear ${place}\n`,
  );
});

it("security is given the key in hexadecimal over standard input", async () => {
  const { folder, facts } = scene(
    "security",
    `echo "$@" >> calls; case $1 in -i) cat > said;; find-generic-password) echo ${KEY};; esac\n`,
  );
  const mac = { ...facts, platform: "darwin" } as const;
  expect([await keepInKeyring(mac, KEY), await clearFromKeyring(mac)]).toEqual([undefined, undefined]);
  const hex = Buffer.from(KEY).toString("hex");
  const said = `add-generic-password -U -s indus -a "A_KEY /a home" -X ${hex}\n`;
  expect(readFileSync(join(folder, "said"), "utf8")).toBe(said);
  const account = "-s indus -a A_KEY /a home";
  expect(readFileSync(join(folder, "calls"), "utf8")).toBe(
    `-i\nfind-generic-password ${account} -w\ndelete-generic-password ${account}\n`,
  );
});

it.each([
  ["hangs", "exec sleep 600", "took longer than 1 seconds"],
  ["reads nothing and fails", "exit 3", "exited with code 3"],
  [
    "has no bus",
    "echo 'Cannot autolaunch D-Bus without X11 $DISPLAY' >&2; exit 1",
    "Cannot autolaunch D-Bus",
  ],
  ["complains in colours", "printf '\\033[31mno\\n' >&2; exit 1", "exited with code 1: [31mno"],
  [
    "gives back something else",
    "cat > /dev/null; echo sk-of-another-0123",
    "returned a different key from the stored key",
  ],
  ["prints without end", "exec yes", "printed more than"],
])("one that %s is told", async (what, text, why) => {
  const { facts } = scene("secret-tool", text);
  const limit = what === "hangs" ? { maxMs: 1_000 } : {};
  expect(await keepInKeyring({ ...facts, platform: "linux", ...limit }, KEY)).toContain(why);
});

it("where there is none that is told", async () => {
  const facts = { home: "/h", variable: "A_KEY", env: { PATH: "/nowhere" } };
  expect(await keepInKeyring(facts, KEY)).toContain("was not found");
  expect(keyringCommand(facts).join(" ")).not.toContain(KEY);
});
