// Output styles through the real command: chosen by the person's setting alone, in the place that their origin gives them.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { Workplace } from "../support/indus.ts";
import type { RecordedRequest, Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/x"] as const;
const OK: Script = () => ({ text: "ok" });
const TERSE =
  "---\nname: Terse\ndescription: Short\nkeep-coding-instructions: false\n---\nAnswer in one line.\n";

const system = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.system);

function own({ home }: Pick<Workplace, "home">, path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}
const choose = (place: Pick<Workplace, "home">, outputStyle: string): void =>
  own(place, "settings.json", JSON.stringify({ outputStyle }));

it("the person's own is a section of the prompt; without the setting it is not read", async () => {
  const place = await createServedShared(OK);
  own(place, "output-styles/terse.md", TERSE);
  await place.run(["-p", "go", ...MODEL]);
  expect(system(place.server.requests[0])).not.toContain("Answer in one line."); // the twin
  choose(place, "Terse");
  const { stderr } = await place.run(["-p", "go", ...MODEL]);
  const prompt = system(place.server.requests[1]);
  expect(prompt).toContain("# Output style: Terse");
  expect(prompt).toContain("Answer in one line.");
  expect(prompt).toContain("# Working guidance");
  expect(stderr).not.toContain("keep-coding-instructions");
  expect((await place.run(["doctor"])).stdout).toContain('"keep-coding-instructions: false" is not applied');
  expect((await place.run(["prompt"])).stdout).toMatch(/== output-style .* from .*output-styles\/terse\.md/);
});

it("a repository's stands among its documents, takes no name of the person's, and its settings choose none", async () => {
  const place = await createServedShared(OK);
  place.file(".claude/output-styles/terse.md", TERSE);
  place.file(".indus/settings.json", '{"outputStyle":"Terse"}');
  const refused = await place.run(["-p", "go", ...MODEL]);
  expect(system(place.server.requests[0])).not.toContain("Answer in one line.");
  expect(refused.stderr).toContain('"outputStyle" is ignored');
  choose(place, "Terse");
  await place.run(["-p", "go", ...MODEL]);
  const prompt = system(place.server.requests[1]);
  expect(prompt).toContain("## ./.claude/output-styles/terse.md");
  expect(prompt).toContain("Answer in one line.");
  expect(prompt).not.toContain("# Output style");
  own(place, "output-styles/mine.md", "---\nname: Terse\n---\nMine.\n");
  await place.run(["-p", "go", ...MODEL]);
  expect(system(place.server.requests[2])).toContain("Mine.");
  expect(system(place.server.requests[2])).not.toContain("Answer in one line.");
});

it("a package's is used by its name, and an unknown name is said with the nearest one", async () => {
  const place = await createServedShared(OK);
  const plugin = join(dirname(place.cwd), "plugin");
  for (const [path, text] of [
    [".claude-plugin/plugin.json", '{"name":"voices"}'],
    ["output-styles/terse.md", TERSE],
  ] as const) {
    mkdirSync(dirname(join(plugin, path)), { recursive: true });
    writeFileSync(join(plugin, path), text);
  }
  const added = await place.run(["add", plugin, "--yes"]);
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toContain("1 output style: Terse");
  choose(place, "Terse");
  await place.run(["-p", "go", ...MODEL]);
  expect(system(place.server.requests[0])).toContain("(the package voices)");
  choose(place, "Terze");
  const { code, stderr } = await place.run(["-p", "go", ...MODEL]);
  expect(code).toBe(0);
  expect(stderr).toContain('no output style is called "Terze"');
  expect(stderr).toContain('did you mean "Terse"?');
  expect(system(place.server.requests[1])).not.toContain("Answer in one line.");
});

it("--system replaces it, which is said", async () => {
  const place = await createServedShared(OK);
  own(place, "output-styles/terse.md", TERSE);
  choose(place, "Terse");
  const { stderr } = await place.run(["-p", "go", "--system", "Only this.", ...MODEL]);
  expect(stderr).toContain("does not apply: --system replaces the whole prompt");
});

it("the stream's first message names the style in force", async () => {
  const place = await createServedShared(OK);
  own(place, "output-styles/terse.md", TERSE);
  choose(place, "Terse");
  const { stdout } = await place.run(["-p", "go", "--output-format", "stream-json", "--verbose", ...MODEL]);
  expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ subtype: "init", output_style: "Terse" });
});
