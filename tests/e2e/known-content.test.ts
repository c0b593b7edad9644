// A start does not read again what cannot have changed since the last one. Whoever changes a trusted addon and restores its size and
// every time that can be restored is noticed all the same, and nothing of it runs.

import { lstatSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashAddon } from "../../packages/induscode/src/addons/source/content-hash.ts";
import { isMarked } from "../../packages/induscode/src/addons/source/entry-marks.ts";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const FOLDER = ".indus/addons/tickets";
const PROGRAM = "node_modules/tickets-server/index.mjs";
const MANIFEST = `id = "tickets"\ndescription = "Ours"\n[run]\nmcp = ["node", ${JSON.stringify(PROGRAM)}]\n`;
const FLAGS = ["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass"];
const CALL = { calls: [{ name: "mcp__tickets__say", input: { words: "hello" } }] };
const MAX_STARTS = 20;
/** In whole seconds, which a test can restore exactly. */
const LONG_AGO = new Date("2026-01-01");

/** Trusted by its content, which a start has found old enough to remember. */
async function knownServer(): Promise<Workplace> {
  const place = await createServedShared((_, at) => (at % 2 === 0 ? CALL : { text: "Done." }));
  place.file(`${FOLDER}/manifest.toml`, MANIFEST);
  place.file(`${FOLDER}/${PROGRAM}`, MCP_SERVER);
  for (const name of ["manifest.toml", PROGRAM])
    utimesSync(join(place.cwd, FOLDER, name), LONG_AGO, LONG_AGO);
  place.settings({ localServers: [], addons: { grant: [hashAddon(join(place.cwd, FOLDER))] } });
  for (let start = 0; start < MAX_STARTS; start++) {
    expect((await place.run(FLAGS)).stderr).not.toContain("not trusted");
    if (records(place).length > 0) return place;
  }
  throw new Error(`no start of ${MAX_STARTS} remembered what the addon contains`);
}

function records({ home }: Workplace): readonly string[] {
  const folder = join(home, "cache/contents");
  return lstatSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : [];
}

/** Other bytes, of the same length, and every time as before that a program can set. */
function changeInPlace(path: string, from: string, to: string): void {
  const { size } = lstatSync(path);
  writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  utimesSync(path, LONG_AGO, LONG_AGO);
  expect(lstatSync(path)).toMatchObject({ size, mtime: LONG_AGO });
}

describe.skipIf(!isMarked(tmpdir()))("an addon whose content is known", () => {
  it("is not trusted once a file of its own has changed", async () => {
    const place = await knownServer();
    changeInPlace(join(place.cwd, FOLDER, "manifest.toml"), "Ours", "Hers");
    expect((await place.run(FLAGS)).stderr).toContain("is not trusted yet");
  });

  it(
    "does not run once a file of an installed package has changed, and is not trusted from then on",
    LONG_ONLY,
    async () => {
      const place = await knownServer();
      changeInPlace(join(place.cwd, FOLDER, PROGRAM), "it says", "it lies");
      await place.run(FLAGS);
      const outcomes = place.entries().filter((entry) => entry.type === "tool");
      expect(outcomes.map(({ text }) => text)).toEqual([
        expect.stringContaining("it has changed since it was trusted; start indus again"),
      ]);
      expect((await place.run(FLAGS)).stderr).toContain("is not trusted yet");
    },
  );
});
