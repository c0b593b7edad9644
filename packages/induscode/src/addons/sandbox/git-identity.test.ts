// The person's name for commits in the sandbox: read by the system's git, written once, and never through a link.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createGitIdentity } from "./git-identity.ts";

interface Place {
  readonly personHome: string;
  /** What commands see as their home. */
  readonly home: string;
  readonly at: (name: string) => string;
}

function place(settings: string): Place {
  const base = mkdtempSync(join(tmpdir(), "indus-identity-"));
  const at = (name: string): string => join(base, name);
  for (const folder of ["person", "home", "workspace"]) mkdirSync(at(folder));
  writeFileSync(at("person/.gitconfig"), settings);
  return { personHome: at("person"), home: at("home"), at };
}

const ADA = "[user]\n\tname = Ada\n\temail = ada@example.invalid\n";

it("name and address are handed in, and no program of the person's PATH is run for it (twin: by that PATH it is)", () => {
  const { personHome, home, at } = place(ADA);
  writeFileSync(at("workspace/git"), `#!/bin/sh\n: >${at("ran")}\n`, { mode: 0o755 });
  const env = { PATH: at("workspace") };
  createGitIdentity({ personHome, env }).handIn(home);
  expect(readFileSync(join(home, ".gitconfig"), "utf8")).toBe(
    '[user]\n\tname = "Ada"\n\temail = "ada@example.invalid"\n',
  );
  expect(existsSync(at("ran"))).toBe(false);
  execFileSync("git", [], { env });
  expect(existsSync(at("ran"))).toBe(true);
});

it("what a command puts in its place is not written through (twin: without the once and the flag, it is)", () => {
  const { personHome, home, at } = place(ADA);
  const { handIn } = createGitIdentity({ personHome, env: {} });
  handIn(home);
  rmSync(join(home, ".gitconfig"));
  symlinkSync(at("planted"), join(home, ".gitconfig"));
  handIn(home);
  expect(() => createGitIdentity({ personHome, env: {} }).handIn(home)).toThrow("EEXIST");
  expect(existsSync(at("planted"))).toBe(false);
  writeFileSync(join(home, ".gitconfig"), "");
  expect(existsSync(at("planted"))).toBe(true);
});

it("where the person's settings name nobody, nothing is written", () => {
  const { personHome, home } = place("[core]\n");
  createGitIdentity({ personHome, env: {} }).handIn(home);
  expect(existsSync(join(home, ".gitconfig"))).toBe(false);
});

it.each(["", "elsewhere"])(
  "settings below the folder of settings count, too (XDG_CONFIG_HOME=%j)",
  (folder) => {
    const { personHome, home, at } = place(ADA);
    rmSync(at("person/.gitconfig"));
    const config = join(folder === "" ? at("person/.config") : at(folder), "git");
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, "config"), ADA);
    createGitIdentity({ personHome, env: { XDG_CONFIG_HOME: folder && at(folder) } }).handIn(home);
    expect(readFileSync(join(home, ".gitconfig"), "utf8")).toContain("name = ");
  },
);

it("that commits are not signed is said of commands that make some, and only if the person signs theirs", () => {
  const made = (settings: string) => {
    const { personHome, home } = place(settings);
    const identity = createGitIdentity({ personHome, env: {} });
    identity.handIn(home);
    return ["git -C sub commit -m x", "git pull --rebase", "git log -1", "npm test", "echo commit"].map(
      (command) => identity.remarkOn(command) !== undefined,
    );
  };
  expect(made(`${ADA}[commit]\n\tgpgsign = true\n`)).toEqual([true, true, false, false, false]);
  expect(made(ADA)).not.toContain(true);
});
