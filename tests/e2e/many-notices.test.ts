// However much is wrong in files that somebody wrote, a start says a few lines of each kind and where the rest is, in every
// mode; without the bound the first of these wrote 4,001 lines.

import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const many = (count: number, make: (at: number) => void): void => {
  for (let at = 0; at < count; at++) make(at);
};
const keys = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown-key-${at}`, at]));

/** Unknown settings are looked at one by one up to here: whether each was meant to be one that narrows. */
const MOST_LOOKED_AT = 20;

const SOURCES: readonly (readonly [string, (place: Workplace) => void, string])[] = [
  [
    "unknown keys of the settings",
    (place) => place.settings({ localServers: [], ...keys(MOST_LOOKED_AT) }),
    "and 10 more of the same kind: indus doctor",
  ],
  [
    "unknown keys of a manifest",
    (place) => {
      const lines = Object.keys(keys(2_000)).map((key) => `${key} = 1`);
      place.file(".indus/addons/big/manifest.toml", ['id = "big"', ...lines].join("\n"));
    },
    "and 1,990 more of the same kind: indus addons",
  ],
  [
    "addons that do not load",
    (place) => many(40, (at) => place.file(`.indus/addons/a${at}/manifest.toml`, "id = 5")),
    "and 30 more of the same kind: indus addons",
  ],
  [
    "addons that nobody trusts",
    (place) => many(40, (at) => place.file(`.indus/addons/b${at}/manifest.toml`, `id = "b${at}"`)),
    "and 30 more of the same kind: indus addons",
  ],
  [
    "agents that are no profiles",
    (place) => many(60, (at) => place.file(`.indus/agents/a${at}.toml`, "=")),
    "and 55 more of the same kind: indus doctor",
  ],
  [
    "skills that are none",
    (place) => many(60, (at) => place.file(`.indus/skills/s${at}/SKILL.md`, "---\nname: [\n---\n")),
    "more of the same kind: indus doctor",
  ],
  [
    "documents with imports that lead out",
    (place) =>
      place.file("AGENTS.md", Array.from({ length: 60 }, (_, at) => `@/etc/nowhere-${at}.md`).join("\n\n")),
    "",
  ],
];

/** Far above what the first lines of each kind come to. */
const MOST_LINES = 40;

describe.each(rows(SOURCES, theFirst))("%s", (what, write, told) => {
  it("take a few lines in -p, --json and a conversation", async () => {
    const place = await createServedShared([{ text: "ok" }, { text: "ok" }, { text: "ok" }]);
    write(place);
    const grant = what.includes("manifest") ? ["--grant", "big"] : [];
    const model = ["--model", "anthropic/scripted", ...grant];
    const print = await place.run(["-p", "go", ...model]);
    const json = await place.run(["--json", "go", ...model]);
    const talk = await place.run(model, { stdin: "go\n" });
    expect([print.code, json.code, talk.code]).toEqual([0, 0, 0]);
    for (const text of [print.stderr, json.stderr, talk.stdout + talk.stderr]) {
      expect(text.split("\n").length).toBeLessThan(MOST_LINES);
      expect(text).toContain(told);
    }
    const faults = json.stdout.split("\n").filter((line) => line.includes('"type":"fault"'));
    expect(faults.length).toBeLessThan(MOST_LINES);
  });
});

it("settings with more unknown keys than are looked at end the start, in a few lines", async () => {
  const place = await createServedShared([{ text: "ok" }]);
  place.settings({ localServers: [], ...keys(4_000) });
  const { code, stderr } = await place.run(["-p", "go", "--model", "anthropic/scripted"]);
  expect(code).toBe(2);
  expect(stderr).toContain("3980 more names are not settings");
  expect(stderr.split("\n").length).toBeLessThan(MOST_LINES);
  expect(place.server.requests).toHaveLength(0);
});

it("what a line points to shows all of them (twin: few are told one by one at the start)", async () => {
  const place = await createServedShared([{ text: "ok" }]);
  const shown = (text: string): number =>
    text.split("\n").filter((line) => line.includes("unknown-key-")).length;
  place.settings({ localServers: [], ...keys(MOST_LOOKED_AT) });
  expect(shown((await place.run(["doctor"])).stdout)).toBe(MOST_LOOKED_AT);
  place.settings({ localServers: [], ...keys(3) });
  const { stderr } = await place.run(["-p", "go", "--model", "anthropic/scripted"]);
  expect(shown(stderr)).toBe(3);
  expect(stderr).not.toContain("more of the same kind");
});
