// What an addon says of its own work, through the real command: a record with a severity in `--json`, a line on the screen, in the
// addon's log, in `/addons` and in `indus addons`; bounded, and without secrets.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const FLAGS = ["--model", "anthropic/scripted", "--permission-mode", "bypass", "--grant", "talker"];
const TALKER = (says: string): string => `import type { AddonSurface } from "induscode/addons";
export function register(surface: AddonSurface): void {
  surface.on("input:submit", { kind: "transform", run: (line) => { ${says} return line; } });
  surface.addCommand("talk", { summary: "talks", run: () => { ${says} } });
}
`;
const EACH =
  '"info warning error".split(" ").forEach((severity) => surface.host.diagnostic(severity as never, severity + " of it"));';

async function placeWith(says: string): Promise<Workplace> {
  const place = await createServedShared([{ text: "Done." }, { text: "Done." }]);
  place.file(".indus/addons/talker.ts", TALKER(says));
  return place;
}

type Loose = Readonly<Record<string, unknown>>;
const objectsOf = (stdout: string): readonly Loose[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Loose);

const RECORDS = ["info", "warning", "error"].map((severity) => ({
  type: "diagnostic",
  owner: "project:talker",
  severity,
  text: `${severity} of it`,
}));

describe("what an addon says of its own work", () => {
  it.each([["go"], ["/talk"]])("is a record with a severity in --json, and no fault: %s", async (task) => {
    const place = await placeWith(EACH);
    const { code, stdout, stderr } = await place.run(["--json", task, ...FLAGS]);
    expect(code, stderr).toBe(0);
    const objects = objectsOf(stdout);
    expect(objects.filter(({ type }) => type === "diagnostic")).toEqual(RECORDS);
    expect(objects.filter(({ type }) => type === "fault")).toEqual([]);
  });

  it(
    "is one line on the screen, and kept: in the addon's log, and in what `indus addons` shows",
    LONG_ONLY,
    async () => {
      const place = await placeWith(EACH);
      const { stderr } = await place.run(["-p", "go", ...FLAGS]);
      for (const severity of ["info", "warning", "error"])
        expect(stderr).toContain(`indus: project:talker: ${severity}: ${severity} of it\n`);
      const log = join(place.home, "logs/addons/talker.log");
      expect(readFileSync(log, "utf8")).toContain(
        "diagnostic info: info of it\ndiagnostic warning: warning of it\ndiagnostic error: error of it\n",
      );
      const shown = await place.run(["addons", "--grant", "talker"]);
      expect(shown.stdout).toMatch(
        /said +info: info of it\n +said +warning: warning of it\n +said +error: error of it\n/,
      );
      const { features } = JSON.parse(
        (await place.run(["addons", "--json", "--grant", "talker"])).stdout,
      ) as {
        readonly features: readonly (Loose & { readonly feature: string })[];
      };
      expect(features.find(({ feature }) => feature === "project:talker")?.recent).toEqual(
        RECORDS.map(({ severity, text }) => ({ severity, text })),
      );
    },
  );

  it(
    "is bounded: of very many lines the last are shown, and /addons shows no more than it keeps",
    LONG_ONLY,
    async () => {
      const place = await placeWith(
        'for (let n = 0; n < 200; n++) surface.host.diagnostic("info", "line " + n + "x".repeat(2_000));',
      );
      const { stderr } = await place.run(["-p", "go", ...FLAGS]);
      const lines = stderr.split("\n").filter((line) => line.includes("project:talker: info: line "));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.length).toBeLessThanOrEqual(60);
      for (const line of lines) expect(line.length).toBeLessThan(700);
      const { stdout } = await place.run(["addons", "--grant", "talker"]);
      expect(stdout.match(/(info|warning): (line|it sent) /g)).toHaveLength(5);
    },
  );

  it("is in the live report, /addons: the last twenty", LONG_ONLY, async () => {
    const place = await placeWith(
      'for (let n = 1; n <= 30; n++) surface.host.diagnostic("info", "line " + n);',
    );
    const { stdout } = await place.run(["--plain", ...FLAGS], { stdin: "/talk\n/addons\n" });
    const [, report = ""] = stdout.split("  project:talker  running\n");
    expect(report.match(/^ {4}info: line \d+$/gm)).toEqual(
      Array.from({ length: 20 }, (_, at) => `    info: line ${at + 11}`),
    );
  });

  it("contains no secret that the addon holds", async () => {
    const place = await createServedShared([{ text: "Done." }]);
    place.file(
      ".indus/addons/talker.ts",
      `// /// indus-addon
// [[capability]]
// kind = "secret"
// id = "DB_PASSWORD"
// reason = "to connect"
// ///
import type { AddonSurface } from "induscode/addons";
export function register(surface: AddonSurface): void {
  surface.on("input:submit", { kind: "transform", run: async (line) => {
    surface.host.diagnostic("warning", "with " + (await surface.host.secret("DB_PASSWORD")));
    return line;
  } });
}
`,
    );
    const secret = "correct-horse-battery";
    const { stdout } = await place.run(["--json", "go", ...FLAGS], { env: { DB_PASSWORD: secret } });
    expect(objectsOf(stdout).filter(({ type }) => type === "diagnostic")).toMatchObject([
      { text: "with [secret DB_PASSWORD]" },
    ]);
    const log = join(place.home, "logs/addons/talker.log");
    expect(existsSync(log)).toBe(true);
    expect(stdout + readFileSync(log, "utf8")).not.toContain(secret);
  });
});
