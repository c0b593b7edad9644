// A folder of the workspace is exchanged with a link to the outside, without a pause and by another process, while the real
// command runs: an addon that may read and write files asks the host, and the model calls the tools. Nothing outside is
// reached, at either level of the sandbox.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { probeLandlock } from "../../packages/induscode/src/addons/sandbox/probe-level.ts";
import { exchangeProblem, startExchanging } from "../support/exchanger.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { isLong, LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { type Script, startModelServer } from "../support/model-server.ts";
import { lacks } from "../support/needs.ts";
import { PATIENCE_MS } from "../support/until.ts";

const TRIES = isLong ? 3_000 : 60;
const FLAGS = ["--model", "anthropic/scripted", "--grant", "racer"];

const RACER = `// /// indus-addon
// [[capability]]
// kind = "files"
// read = true
// write = true
// reason = "looks and writes"
// ///
import type { AddonSurface } from "induscode/addons";

export function register(surface: AddonSurface): void {
  const { host } = surface;
  surface.addCommand("race", {
    summary: "reads and writes again and again",
    run: async ({ say, args }) => {
      const seen = new Map<string, number>();
      const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
      for (let n = 0; n < Number(args); n++) {
        await host.readFile("src/d/key").then((text) => note("read " + text), () => note("refused"));
        await host.writeFile("src/d/key", "mine").then(() => note("written"), () => note("refused"));
        await host.writeFile("src/d/new", "mine").then(() => note("written"), () => note("refused"));
      }
      say(JSON.stringify([...seen.keys()].sort()));
    },
  });
}
`;

const LANDLOCK = probeLandlock();

/** From now on the command uses Landlock there, as where no bubblewrap is installed. */
async function useLandlock({ home, run }: Workplace): Promise<void> {
  const record = join(home, "cache/sandbox.json");
  await run(["-p", "/race 1", ...FLAGS]);
  const { system } = JSON.parse(readFileSync(record, "utf8")) as { readonly system: string };
  if ("reason" in LANDLOCK || LANDLOCK.level !== "landlock") throw new Error("there is no Landlock");
  writeFileSync(record, JSON.stringify({ system, level: "landlock", abi: LANDLOCK.abi }));
  expect((await run(["doctor"])).stdout).toContain("addon sandbox: landlock");
}

interface Scene extends Workplace {
  readonly outside: string;
}

async function createScene(script: Script): Promise<Scene> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const place = createWorkplace(server.url, { mode: "default" });
  const outside = join(dirname(place.cwd), "outside");
  const folder = join(place.cwd, "src/d");
  for (const [at, word] of [
    [folder, "mine"],
    [outside, "SECRET"],
  ] as const) {
    mkdirSync(at, { recursive: true });
    for (const name of ["key", `only-${word}`]) writeFileSync(join(at, name), `${word}`);
  }
  symlinkSync(outside, join(place.cwd, "src/link"));
  place.file(".indus/addons/racer.ts", RACER);
  return { ...place, outside };
}

/** From now on until the test's end. */
async function exchange({ cwd }: Scene): Promise<void> {
  const exchanger = await startExchanging(join(cwd, "src/d"), join(cwd, "src/link"));
  onTestFinished(() => exchanger.stop());
}

function expectUntouched({ outside }: Scene): void {
  expect(readdirSync(outside).sort()).toEqual(["key", "only-SECRET"]);
  expect(readFileSync(join(outside, "key"), "utf8")).toBe("SECRET");
}

describe.skipIf(exchangeProblem() !== undefined)(
  "a folder exchanged with a link while the command runs",
  { timeout: isLong ? 40 * PATIENCE_MS : 4 * PATIENCE_MS },
  () => {
    const isMissing = lacks("Landlock", !("reason" in LANDLOCK));
    const levels = ["the strongest level", ...(isMissing ? [] : ["Landlock"])];
    it.each(rows(levels, theFirst))("gives nothing outside to an addon under %s", async (level) => {
      const place = await createScene([{ text: "Done." }]);
      if (level === "Landlock") await useLandlock(place);
      await exchange(place);
      let said: readonly string[] = [];
      for (let tries = 0; tries < TRIES; tries += 150) {
        const { code, stdout, stderr } = await place.run(["-p", "/race 150", ...FLAGS]);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        said = [...said, ...(JSON.parse(stdout) as string[])];
      }
      expect(said.filter((what) => !["read mine", "written", "refused"].includes(what))).toEqual([]);
      expect(said).toContain("read mine");
      expectUntouched(place);
    });

    it("gives nothing outside to the model's tools in the default mode", LONG_ONLY, async () => {
      const runs = Math.ceil(TRIES / 700);
      // No two calls are the same: one that is refused in the same way again and again would end the task.
      const calls = Array.from({ length: 30 }, (_, at) => `${"./".repeat(at)}src`).flatMap((src) => [
        { name: "read", input: { path: `${src}/d/key` } },
        { name: "write", input: { path: `${src}/d/new`, content: "mine" } },
        { name: "ls", input: { path: `${src}/d` } },
        { name: "find", input: { path: `${src}/d`, query: "only-*" } },
        { name: "grep", input: { path: src, pattern: "(SECRET|mine)$" } },
        { name: "edit", input: { path: `${src}/d/key`, oldText: "mine", newText: "mine " } },
      ]);
      const turns = Array.from({ length: runs }, () => [{ calls }, { text: "Done." }]).flat();
      const place = await createScene(turns);
      await exchange(place);
      for (let run = 0; run < runs; run++) {
        const { code, stderr } = await place.run(["-p", "go", "--permission-prompt", "none", ...FLAGS]);
        expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
        const tools = place.entries().filter((entry) => entry.type === "tool");
        expect(tools).toHaveLength(calls.length);
        const shown = tools.map((entry) => String("text" in entry ? entry.text : ""));
        expect(shown.filter((text) => /\bSECRET$|:\d+: SECRET|only-SECRET/m.test(text))).toEqual([]);
        expect(shown.some((text) => text.includes("mine"))).toBe(true);
      }
      expectUntouched(place);
    });
  },
);
