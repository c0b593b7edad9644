import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFolder, sourceAt, writeFiles } from "../../../../../tests/support/test-folder.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import { addonId } from "../contract.ts";
import { createDeclarativeLoader } from "../kinds/declarative-loader.ts";
import { hashAddon } from "./content-hash.ts";
import { decideTrust, type TrustAsker, type TrustQuestion } from "./decide-trust.ts";
import { createTrust } from "./trust.ts";

const MANIFEST = `
id = "safety"
version = "1.0.0"
description = "Keeps things safe."
[[gate]]
event = "tool:before"
match-tool = "bash"
match-arg = "command"
contains = ["rm -rf"]
reason = "too dangerous"
[[command]]
name = "deploy"
summary = "deploy it"
exec = "./scripts/deploy.sh --now"
`;
const GRANTS: readonly HostCapability[] = [
  { kind: "contribute_hook", point: "tool:before" },
  { kind: "files", read: false, write: false, execute: true },
];

function createCase(manifest = MANIFEST) {
  const home = createFolder();
  const folder = createFolder({ "manifest.toml": manifest });
  const source = sourceAt(folder);
  const asked: TrustQuestion[] = [];
  const answer =
    (given: "yes" | "no"): TrustAsker =>
    async (question) => {
      asked.push(question);
      return given;
    };
  const { describe: describeSource } = createDeclarativeLoader();
  const decide = async (
    options: { ask?: TrustAsker; isNamed?: boolean; granted?: readonly string[] } = {},
  ) => {
    const { granted = [], ...asked } = options;
    const trust = createTrust({ home });
    const [decision] = await decideTrust([source], {
      trust,
      describe: describeSource,
      granted: { forRun: granted },
      ...asked,
    });
    return decision;
  };
  return { home, folder, source, asked, answer, decide };
}

describe("decideTrust", () => {
  it("asks once, in words, and remembers a yes", async () => {
    const { folder, source, asked, answer, decide } = createCase();
    const trusted = { kind: "trusted", source, hash: hashAddon(folder), grants: GRANTS };
    expect(await decide({ ask: answer("yes") })).toEqual(trusted);
    expect(asked).toEqual([
      {
        source,
        hash: hashAddon(folder),
        id: "safety",
        version: "1.0.0",
        description: "Keeps things safe.",
        contributes: [
          'stops tool:before of bash when its command contains "rm -rf": too dangerous',
          "/deploy runs: ./scripts/deploy.sh --now  (deploy it)",
        ],
        capabilities: [
          { capability: GRANTS[0], required: true, reason: "it stops tool:before: too dangerous" },
          { capability: GRANTS[1], required: true, neededBy: ["/deploy"], reason: "/deploy runs a command" },
        ],
      },
    ]);
    expect(await decide()).toEqual(trusted);
    expect(asked.length).toBe(1);
  });

  it("asks again when what runs was edited after it was approved", async () => {
    const { folder, asked, answer, decide } = createCase();
    await decide({ ask: answer("yes") });
    writeFiles(folder, { "manifest.toml": MANIFEST.replace("deploy.sh --now", "evil.sh") });
    expect((await decide())?.kind).toBe("skipped");
    await decide({ ask: answer("no") });
    expect(asked.at(-1)?.contributes.at(-1)).toBe("/deploy runs: ./scripts/evil.sh  (deploy it)");
    // Trust by path or by id, as peers had, would not have asked.
    expect([asked[0]?.source.path, asked[0]?.id]).toEqual([asked[1]?.source.path, asked[1]?.id]);
  });

  it("skips and says so where nobody can be asked, and where the answer is no", async () => {
    const { home, folder, source, answer, decide } = createCase();
    expect(await decide()).toEqual({
      kind: "skipped",
      id: "safety",
      source,
      reason: `project:safety at ${folder} is not trusted yet: start indus in a terminal to be asked, or pass --grant safety`,
    });
    const fails: TrustAsker = () => Promise.reject(new Error("the terminal is gone"));
    expect(await decide({ ask: fails })).toEqual({
      kind: "skipped",
      id: "safety",
      source,
      reason: "project:safety was not trusted: no answer (the terminal is gone)",
    });
    expect(readdirSync(home)).toEqual([]);
    expect(await decide({ ask: answer("no") })).toEqual({
      kind: "skipped",
      id: "safety",
      source,
      reason: "project:safety was not trusted: the answer was no",
    });
  });

  it("asks once: a no is kept like a yes, for this content, until it is taken back", async () => {
    const { home, folder, source, asked, answer, decide } = createCase();
    await decide({ ask: answer("no") });
    const refused = {
      kind: "skipped",
      id: "safety",
      source,
      reason: expect.stringMatching(/^project:safety was refused on \d{4}-/),
    };
    expect(await decide({ ask: answer("yes") })).toEqual(refused);
    expect(await decide()).toEqual(refused);
    expect(asked.length).toBe(1);
    expect(await decide({ granted: ["safety"] })).toMatchObject({ kind: "trusted" });
    expect((await createTrust({ home }).revoke("safety")).map(({ id }) => id)).toEqual(["project:safety"]);
    expect(await decide({ ask: answer("no") })).toMatchObject({
      reason: expect.stringContaining("the answer was no"),
    });
    writeFiles(folder, { "manifest.toml": `${MANIFEST}\n# changed` });
    expect(await decide({ ask: answer("yes") })).toMatchObject({ kind: "trusted", grants: GRANTS });
  });

  it("asks in spite of a no where the person named it, if somebody can answer", async () => {
    const { asked, answer, decide } = createCase();
    await decide({ ask: answer("no") });
    expect(await decide({ isNamed: true })).toMatchObject({
      reason: expect.stringContaining("was refused on"),
    });
    expect(await decide({ isNamed: true, ask: answer("yes") })).toMatchObject({ kind: "trusted" });
    expect(asked).toHaveLength(2);
    expect(await decide()).toMatchObject({ kind: "trusted" });
  });

  it("trusts for this run what was granted by id or by content, and stores nothing", async () => {
    const { home, folder, decide } = createCase();
    const hash = hashAddon(folder);
    for (const name of ["safety", "project:safety", hash, hash.slice(0, 12)])
      expect(await decide({ granted: [name] })).toMatchObject({ kind: "trusted", grants: GRANTS });
    for (const name of ["safe", "user:safety", hash.slice(0, 11), "", "*"])
      expect(await decide({ granted: [name] })).toMatchObject({ kind: "skipped" });
    expect(readdirSync(home)).toEqual([]);
  });

  it("pinned content is compared with content alone: an addon that calls itself like the pin is not trusted", async () => {
    const { source } = createCase();
    const pin = hashAddon(source.path).slice(0, 16);
    const other = createFolder({ "manifest.toml": MANIFEST.replace("deploy.sh --now", "evil.sh") });
    // Manifests cannot have such an id; a loader of a later kind might read ids less strictly.
    const description = { id: addonId(pin), contributes: [], capabilities: [] };
    for (const granted of [[pin], [pin.toUpperCase()]]) {
      const decisions = await decideTrust([source, sourceAt(other)], {
        trust: createTrust({ home: createFolder() }),
        describe: async () => description,
        granted: { forRun: granted },
      });
      expect(decisions.map(({ kind }) => kind)).toEqual(["trusted", "skipped"]);
    }
    const naive = new Set([pin]);
    expect(naive.has(description.id)).toBe(true); // the twin: one list for names and pins trusts both
  });

  it.each(["user:safety", "3f2a9c1b77de0011"])("an addon called %s cannot be read", async (id) => {
    const { decide } = createCase(`id = "${id}"`);
    expect((await decide({ granted: [id] }))?.kind).toBe("unreadable");
  });

  it("asks again after it was revoked", async () => {
    const { home, answer, decide } = createCase();
    await decide({ ask: answer("yes") });
    expect((await decide())?.kind).toBe("trusted");
    await createTrust({ home }).revoke("safety");
    expect((await decide())?.kind).toBe("skipped");
  });

  it("trusts for this run when the answer cannot be stored", async () => {
    const { home, folder, source, answer, decide } = createCase();
    writeFiles(home, { "trust.json/in-the-way": "" });
    expect(await decide({ ask: answer("yes") })).toEqual({
      kind: "trusted",
      source,
      hash: hashAddon(folder),
      grants: GRANTS,
      notStored: expect.stringContaining("the trust in project:safety lasts for this run only: "),
    });
  });

  it("never asks about an addon that cannot be read, and trusts nothing of it", async () => {
    const { folder, source, asked, answer, decide } = createCase("id = ");
    expect(await decide({ ask: answer("yes") })).toEqual({
      kind: "unreadable",
      source,
      error: expect.objectContaining({ kind: "toml", path: join(folder, "manifest.toml") }),
    });
    expect(asked).toEqual([]);
  });
});
