// A key in the keyring of the person's desktop, through the real command: who gets it, what each command says of it, and what
// happens where the keyring fails. The keyring is a script of the name of libsecret's program.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const KEY = "sk-keyring-0123456789abcdef";
const KEEPS = "case $1 in store) cat > kept;; lookup) echo x >> looked; cat kept;; clear) rm kept;; esac";
const NO_BUS = "echo 'Cannot autolaunch D-Bus without X11' >&2; exit 1";

async function placeWithKeyring(text: string) {
  const place = await createServedShared([{ text: "one" }, { text: "two" }]);
  const folder = join(place.home, "..", "bin");
  mkdirSync(folder);
  const become = (script: string): void => {
    for (const name of ["secret-tool", "security"]) {
      writeFileSync(join(folder, name), `#!/bin/sh\ncd '${folder}'\n${script}\n`);
      chmodSync(join(folder, name), 0o755);
    }
  };
  become(text);
  const env = { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "", PATH: `${folder}${delimiter}${process.env.PATH}` };
  const indus = (args: readonly string[], stdin?: string) =>
    place.run(args, { env, ...(stdin === undefined ? {} : { stdin }) });
  const credentials = (): string => readFileSync(join(place.home, "credentials.json"), "utf8");
  return { ...place, indus, become, credentials, kept: join(folder, "kept"), looked: join(folder, "looked") };
}

it.runIf(process.platform === "linux")(
  "a key is kept there, given to models alone, and removed",
  async () => {
    const place = await placeWithKeyring(KEEPS);
    const { indus, server, credentials, become, kept, looked } = place;
    const login = await indus(["auth", "login", "openai"], `${KEY}\n`);
    expect(login).toMatchObject({ code: 0, stdout: "Stored …cdef for openai in the keyring.\n" });
    expect([credentials().includes(KEY), readFileSync(kept, "utf8")]).toEqual([false, KEY]);

    expect((await indus(["auth", "list"])).stdout).toMatch(
      /\nopenai +OPENAI_API_KEY +in the keyring, stored \d/,
    );
    expect((await indus(["doctor"])).stdout).toMatch(/key +OPENAI_API_KEY {2}in the keyring/);
    expect(readFileSync(looked, "utf8")).toBe("x\n"); // by the login alone: nobody else needed it

    const run = await indus(["-p", "--model", "openai/x", "go"]);
    expect(run).toMatchObject({ code: 0, stdout: "one\n" });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);

    become(`printf 'two words\\n\\033[2J${KEY}\\n'`);
    const hostile = await indus(["-p", "--model", "openai/x", "go"]);
    expect([hostile.code, hostile.stderr.includes(KEY), hostile.stderr.includes("\u001b[2J")]).toEqual([
      1,
      false,
      false,
    ]);
    expect(hostile.stderr).toContain("printed no key: expected one line without spaces");

    become("exit 1");
    const gone = await indus(["-p", "--model", "openai/x", "go"]);
    expect(gone.stderr).toContain(
      "exited with code 1. Check the stored key: indus auth login openai replaces it.\n",
    );

    become(NO_BUS);
    const out = await indus(["auth", "logout", "openai"]);
    expect([out.code, existsSync(kept)]).toEqual([1, true]);
    expect(out.stderr).toContain("the key for openai could not be removed from the keyring");
    become(KEEPS);
    expect((await indus(["auth", "logout", "openai"])).code).toBe(0);
    expect([existsSync(kept), credentials().includes("OPENAI")]).toEqual([false, false]);
  },
);

it("where the keyring fails, and with --file, a file keeps it, and that is said", LONG_ONLY, async () => {
  const { indus, credentials, become, kept } = await placeWithKeyring(NO_BUS);
  const fallen = await indus(["auth", "login", "openai"], `${KEY}\n`);
  expect(fallen.code).toBe(0);
  expect(fallen.stdout).toContain(
    "in a file: the keyring (secret-tool) exited with code 1: Cannot autolaunch D-Bus",
  );
  expect(JSON.parse(credentials()).keys.OPENAI_API_KEY.key).toBe(KEY);
  become(KEEPS);
  expect((await indus(["auth", "login", "openai"], `${KEY}\n`)).stdout).toContain("in the keyring");
  expect(credentials()).not.toContain(KEY);
  const told = await indus(["auth", "login", "openai", "--file"], `${KEY}\n`);
  expect([told.stdout, existsSync(kept)]).toEqual(["Stored …cdef for openai.\n", false]);
  expect(credentials()).toContain(KEY);
});
