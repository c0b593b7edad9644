// `indus addon pack`, through the real command: what passes the check becomes an archive that can be added, the same bytes each time.

import { existsSync, readFileSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createWorkplace, type Workplace } from "../support/indus.ts";

const MANIFEST =
  'id = "greeter"\nversion = "1.2.0"\n\n[[command]]\nname = "greet"\nsummary = "Greets"\nprompt = "Hello"\n';

function greeter(place: Workplace, manifest: string = MANIFEST): void {
  place.file("greeter/manifest.toml", manifest);
  place.file("greeter/docs/about.md", "About.\n");
}

it("writes what can be added, without what is nobody's business, the same bytes each time", async () => {
  const place = createWorkplace();
  greeter(place);
  place.file("greeter/.env", "TOKEN=1\n");
  place.file("greeter/node_modules/x/index.js", "1");
  symlinkSync("/etc/hostname", join(place.cwd, "greeter/link"));
  const packed = await place.run(["addon", "pack", "greeter"]);
  expect(packed).toMatchObject({ code: 0, stderr: "" });
  const archive = join(place.cwd, "greeter-1.2.0.tgz");
  expect(packed.stdout).toContain(`wrote ${archive}: 3 files`);
  expect(packed.stdout).toContain("not in it: .env, link (no plain file), node_modules");
  const bytes = readFileSync(archive);
  utimesSync(join(place.cwd, "greeter/manifest.toml"), 1, 1);
  await place.run(["addon", "pack", "greeter"]);
  expect(readFileSync(archive).equals(bytes)).toBe(true);

  expect(await place.run(["add", "./greeter-1.2.0.tgz", "--yes"])).toMatchObject({ code: 0, stderr: "" });
  expect((await place.run(["list"])).stdout).toContain("greeter");
  expect(existsSync(join(place.home, "packages/greeter/docs/about.md"))).toBe(true);
});

it.each([
  ["has no version", MANIFEST.replace(/version.*\n/, ""), "has no version: write one such as"],
  [
    "does not pass the check",
    `${MANIFEST}[[command]]\nname = "help"\nsummary = "x"\nprompt = "x"\n`,
    "/help",
  ],
])("writes nothing for one that %s", async (_, manifest, why) => {
  const place = createWorkplace();
  greeter(place, manifest);
  const { code, stdout, stderr } = await place.run(["addon", "pack", "greeter"]);
  expect(code).toBe(1);
  expect(stdout + stderr).toContain(why);
  expect(existsSync(join(place.cwd, "greeter-1.2.0.tgz"))).toBe(false);
});
