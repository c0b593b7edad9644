import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { createTrust, type TrustGrant } from "./trust.ts";

const hashOf = (digit: string): string => digit.repeat(64);
const GRANT: Omit<TrustGrant, "at"> = {
  hash: hashOf("a"),
  id: "project:safety",
  path: "/ws/.indus/addons/safety",
  granted: [{ kind: "contribute_hook", point: "tool:before" }],
};
const TIME: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe("createTrust", () => {
  it("knows nothing before anything was granted, and writes nothing to find that out", async () => {
    const home = join(createFolder(), "home");
    const trust = createTrust({ home });
    expect([await trust.lookup(hashOf("a")), await trust.list(), trust.problems()]).toEqual([
      undefined,
      [],
      [],
    ]);
    expect(existsSync(home)).toBe(false);
  });

  it("keeps a grant for the next start, in a file for the person alone", async () => {
    const home = join(createFolder(), "home");
    await createTrust({ home }).grant(GRANT);
    expect(await createTrust({ home }).lookup(GRANT.hash)).toEqual({ ...GRANT, at: TIME });
    expect(await createTrust({ home }).lookup(hashOf("b"))).toBeUndefined();
    expect(statSync(join(home, "trust.json")).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(readdirSync(home)).toEqual(["trust.json"]);
  });

  it("leaves a symlink in its place, and writes what that leads to", async () => {
    const [home, dotfiles] = [createFolder(), createFolder()];
    await createTrust({ home: dotfiles }).grant(GRANT);
    symlinkSync(join(dotfiles, "trust.json"), join(home, "trust.json"));
    await createTrust({ home }).grant({ ...GRANT, hash: hashOf("b") });
    expect(lstatSync(join(home, "trust.json")).isSymbolicLink()).toBe(true);
    expect(await createTrust({ home: dotfiles }).list()).toHaveLength(2);
  });

  it.each(["safety", "project:safety", hashOf("a"), "aaaaaaaa"])("revokes by %s", async (name) => {
    const home = createFolder();
    const trust = createTrust({ home });
    await trust.grant(GRANT);
    await trust.grant({ ...GRANT, hash: hashOf("b"), id: "user:other" });
    expect(await trust.revoke(name)).toEqual([{ ...GRANT, at: TIME }]);
    expect((await trust.list()).map(({ id }) => id)).toEqual(["user:other"]);
    expect((await createTrust({ home }).list()).map(({ id }) => id)).toEqual(["user:other"]);
  });

  it.each(["aaaaaaa", "safe", "project", ""])(
    "revokes nothing for %j, which is no id and too short",
    async (name) => {
      const trust = createTrust({ home: createFolder() });
      await trust.grant(GRANT);
      expect(await trust.revoke(name)).toEqual([]);
      expect(await trust.lookup(GRANT.hash)).toBeDefined();
    },
  );

  it("keeps one answer for each content, the newest", async () => {
    const home = createFolder();
    const trust = createTrust({ home });
    const { granted: _, ...refusal } = GRANT;
    await trust.refuse(refusal);
    expect(await createTrust({ home }).refusal(GRANT.hash)).toEqual({ ...refusal, at: TIME });
    await trust.grant(GRANT);
    expect([await trust.refusal(GRANT.hash), (await trust.lookup(GRANT.hash))?.id]).toEqual([
      undefined,
      GRANT.id,
    ]);
    await trust.refuse(refusal);
    const again = createTrust({ home });
    expect([await again.lookup(GRANT.hash), (await again.refusal(GRANT.hash))?.id]).toEqual([
      undefined,
      GRANT.id,
    ]);
  });

  it.each([
    ["", "line 1, column 1: expected a value"],
    ["[]", 'expected "version": 1 and a table "trusted"'],
    ['{ "version": 2, "trusted": {} }', 'expected "version": 1 and a table "trusted"'],
    ['{ "version": 1, "trusted": { "short": {} } }', "a key is not a content hash"],
    [`{ "version": 1, "trusted": { "${hashOf("a")}": 1 } }`, `the entry of ${hashOf("a")} is not a table`],
    [
      JSON.stringify({
        version: 1,
        trusted: { [hashOf("a")]: { id: "user:x", path: "/x", granted: [{ kind: "root" }], at: "" } },
      }),
      `the entry of ${hashOf("a")} is incomplete`,
    ],
  ])("counts a damaged file %.30j as empty, moves it aside and says so", async (text, problem) => {
    const home = createFolder({ "trust.json": text });
    const trust = createTrust({ home });
    expect(await trust.lookup(hashOf("a"))).toBeUndefined();
    const [aside = ""] = readdirSync(home);
    expect(aside).toMatch(/^trust\.json\.damaged-\d+$/);
    expect(readFileSync(join(home, aside), "utf8")).toBe(text);
    expect(trust.problems()).toEqual([
      `${join(home, "trust.json")} was damaged (${problem}): no addon is trusted; it was moved to ${join(home, aside)}`,
    ]);
    await trust.grant(GRANT);
    expect(await createTrust({ home }).lookup(GRANT.hash)).toBeDefined();
  });

  it("counts a file that cannot be read as empty, and leaves it where it is", async () => {
    const home = createFolder({ "trust.json/in-the-way": "" });
    const trust = createTrust({ home });
    expect(await trust.list()).toEqual([]);
    expect(trust.problems()).toEqual([expect.stringContaining("cannot be read (it is not a regular file")]);
    await expect(trust.grant(GRANT)).rejects.toThrow("cannot be read");
  });

  it("loses no grant when two processes write at once", async () => {
    const home = createFolder();
    const script = `
      import { createTrust } from ${JSON.stringify(import.meta.resolve("./trust.ts"))};
      const trust = createTrust({ home: process.argv[1] });
      for (let i = 0; i < 40; i++) {
        const hash = (process.argv[2] + i.toString(16).padStart(3, "0")).padEnd(64, "0");
        await trust.grant({ hash, id: "user:x", path: "/x", granted: [] });
      }`;
    const args = ["--conditions=indus-source", "--input-type=module", "--eval", script, home];
    const writers = ["a", "b"].map((name) => spawn(process.execPath, [...args, name], { stdio: "inherit" }));
    const codes = await Promise.all(writers.map((writer) => once(writer, "exit")));
    expect(codes.map(([code]) => code)).toEqual([0, 0]);
    expect((await createTrust({ home }).list()).length).toBe(80);
    expect(readdirSync(home)).toEqual(["trust.json"]);
  });

  it("would lose grants without the lock, as two that read before either writes do", async () => {
    const home = createFolder();
    const path = join(home, "list.json");
    writeFileSync(path, "[]");
    const read = (): string[] => JSON.parse(readFileSync(path, "utf8"));
    const [one, other] = [read(), read()];
    writeFileSync(path, JSON.stringify([...one, "one"]));
    writeFileSync(path, JSON.stringify([...other, "other"]));
    expect(read()).toEqual(["other"]);
  });
});
