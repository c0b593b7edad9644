// Output styles through the real command: chosen by the person's setting alone, in the place that their origin gives them.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { hashAddon } from "../../packages/induscode/src/addons/source/content-hash.ts";
import { createTrust } from "../../packages/induscode/src/addons/source/trust.ts";
import type { Workplace } from "../support/indus.ts";
import type { RecordedRequest, Script } from "../support/model-server.ts";
import { createServedShared, createServedWorkplace } from "../support/served-workplace.ts";

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
  expect(stderr).toContain('none applies, because no output style is called "Terze": ');
  expect(stderr).toContain('did you mean "Terse"?');
  expect(system(place.server.requests[1])).not.toContain("Answer in one line.");
});

it("a plugin that an older version added has its styles without being added anew", async () => {
  const place = await createServedShared(OK);
  const plugin = join(dirname(place.cwd), "plugin");
  for (const [path, text] of [
    [".claude-plugin/plugin.json", '{"name":"older"}'],
    ["output-styles/terse.md", TERSE],
  ] as const) {
    mkdirSync(dirname(join(plugin, path)), { recursive: true });
    writeFileSync(join(plugin, path), text);
  }
  await place.run(["add", plugin, "--yes"]);
  const folder = join(place.home, "packages/older");
  // As such a version wrote it, agreed to as it is.
  const list = {
    name: "older",
    skills: [],
    commands: [],
    agents: [],
    unused: ["output styles are not used: x"],
  };
  writeFileSync(join(folder, "indus-plugin.json"), JSON.stringify(list));
  const trust = createTrust({ home: place.home });
  await trust.grant({ hash: hashAddon(folder), id: "user:older", path: folder, granted: [] });
  choose(place, "Terse");
  await place.run(["-p", "go", ...MODEL]);
  expect(system(place.server.requests[0])).toContain("(the package older)");
  const { stdout } = await place.run(["show", "older"]);
  expect(stdout).toContain("1 output style: Terse");
  expect(stdout).not.toContain("output styles are not used");
});

it("one that is chosen in a session is in its next request, logged, and there when the session goes on", async () => {
  const place = await createServedWorkplace(OK);
  own(place, "output-styles/terse.md", TERSE);
  const type = (lines: readonly string[], ...flags: readonly string[]) =>
    place.run([...MODEL, ...flags], { stdin: [...lines, ""].join("\n") });
  const first = await type([
    "one",
    "/settings outputStyle Terze",
    "/settings outputStyle Terse",
    "two",
    "/status",
    "/context",
  ]);
  expect(first.stdout).toContain(
    'Nothing was written: no output style is called "Terze": expected one of default, Terse; did you mean "Terse"?',
  );
  expect(first.stdout).toContain("This session follows from its next request on.");
  expect(first.stdout).toMatch(/style +Terse$/m);
  expect(first.stdout).toMatch(/The prompt has the output style Terse, about \d+ tokens/);
  const has = (): readonly boolean[] =>
    place.server.requests.map((request) => system(request).includes("Answer in one line."));
  expect(has()).toEqual([false, true]);
  const prompts = (): number => place.entries().filter(({ type }) => type === "prompt").length;
  expect(prompts()).toBe(2);
  await type(["three"], "-c");
  expect([has(), prompts()]).toEqual([[false, true, true], 2]);
  expect((await place.run(["session", "verify"])).code).toBe(0);
  const { stdout } = await type(["/settings outputStyle default", "four", "/status"], "-c");
  expect(stdout).not.toMatch(/style +Terse/);
  expect([has(), prompts()]).toEqual([[false, true, true, false], 3]);
  expect((await place.run(["session", "verify"])).code).toBe(0);
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

it("a program that introduces itself reads which style is in force, and which there are", async () => {
  const place = await createServedShared(OK);
  own(place, "output-styles/terse.md", TERSE);
  choose(place, "Terse");
  const hello = { type: "control_request", request_id: "h1", request: { subtype: "initialize" } };
  const streams = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const { stdout } = await place.run(["-p", ...streams, ...MODEL], { stdin: `${JSON.stringify(hello)}\n` });
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers.find(({ type }) => type === "control_response")).toMatchObject({
    response: {
      response: { output_style: "Terse", available_output_styles: ["default", "Terse"] },
    },
  });
});
