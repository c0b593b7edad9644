// What the person turned off is not there, and what every call would be refused for is not shown to the model: through the real
// command, as the requests say it.

import { describe, expect, it } from "vitest";
import { firstOf, LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest } from "../support/model-server.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";

const FLAGS = ["-p", "go", "--model", "anthropic/scripted"];
const ADDON = `export function register(surface: any): void {
  surface.addTool({ name: "count_words", description: "x", parameters: { type: "object" }, run: () => "1" });
}
`;
const GATE = `id = "guard"\n[[gate]]\nevent = "input:submit"\nreason = "guarded"\n`;

const toolsIn = (request: RecordedRequest | undefined): readonly string[] =>
  ((request?.body.tools ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);

/** The tools of the first request of a session in this place. */
async function shownIn(place: ServedWorkplace, ...flags: readonly string[]): Promise<readonly string[]> {
  const before = place.server.requests.length;
  const { code, stderr } = await place.run([...FLAGS, ...flags]);
  expect(code, stderr).toBe(0);
  return toolsIn(place.server.requests[before]);
}

const placed = (): Promise<ServedWorkplace> =>
  createServedShared(Array.from({ length: 6 }, () => ({ text: "Done." })));

describe("the setting features", () => {
  it.each(
    rows<readonly [string, readonly string[]]>(
      [
        ["builtin:web", ["websearch", "webfetch"]],
        ["builtin:processes", ["process"]],
        ["builtin:delegates", ["task"]],
        ["builtin:shell", ["bash"]],
        ["count-words", ["count_words"]],
        ["project:count-words", ["count_words"]],
      ],
      firstOf(([name]) => name.startsWith("builtin:")),
    ),
  )("%s: false leaves it out, and `indus addons` says why", async (name, tools) => {
    const place = await placed();
    place.file(".indus/addons/count-words.ts", ADDON);
    const before = await shownIn(place, "--grant", "count-words");
    expect(before).toEqual(expect.arrayContaining([...tools]));
    place.settings({ features: { [name]: false } });
    const after = await shownIn(place, "--grant", "count-words");
    expect(after).toEqual(before.filter((tool) => !tools.includes(tool)));
    const { stdout } = await place.run(["addons", "--grant", "count-words"]);
    const id = name.includes(":") ? name : `project:${name}`;
    expect(stdout).toContain(`${id} is not enabled: the setting "features" turns it off\n`);
    place.settings({ features: { [name]: true } });
    expect(await shownIn(place, "--grant", "count-words")).toEqual(before);
  });

  it("is the person's alone: a repository that turns a guard off is told so, and the guard stays", async () => {
    const place = await placed();
    place.file(".indus/addons/guard/manifest.toml", GATE);
    place.file(".indus/settings.json", JSON.stringify({ features: { guard: false } }));
    const { code, stderr } = await place.run([...FLAGS, "--grant", "guard"]);
    expect([code, place.server.requests.length]).toEqual([1, 0]);
    expect(stderr).toContain('.indus/settings.json: "features" is ignored');
    expect(stderr).toContain("guarded");
    // The twin: the same words in the person's own settings.
    place.settings({ features: { guard: false } });
    expect((await place.run([...FLAGS, "--grant", "guard"])).code).toBe(0);
  });

  it.each(
    rows(
      [
        [{ "builtin:wbe": false }, "builtin:web"],
        [{ "builtin:session": false }, "builtin:web"],
        [{ safety: "no" }, "true or false"],
        [["builtin:web"], "true or false"],
      ],
      theFirst,
    ),
  )("that cannot be read stops the start instead of leaving something on: %j", async (features, told) => {
    const place = await placed();
    place.settings({ features });
    const { code, stderr } = await place.run(FLAGS);
    expect([code, place.server.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain('"features"');
    expect(stderr).toContain(told);
  });

  it(
    "says which addon a mistyped name means, and keeps quiet about one of another folder",
    LONG_ONLY,
    async () => {
      const place = await placed();
      place.file(".indus/addons/count-words.ts", ADDON);
      place.settings({ features: { "count-wrods": false, "of-another-folder": false } });
      const { stderr } = await place.run([...FLAGS, "--grant", "count-words"]);
      expect(stderr).toContain(
        '"count-wrods" in your settings does not match any addon in this session; did you mean "count-words"?',
      );
      expect(stderr).not.toContain("of-another-folder");
      const { stdout } = await place.run(["addons", "--grant", "count-words"]);
      expect(stdout).toContain(
        '"of-another-folder" in your settings does not match any addon in this session\n',
      );
    },
  );

  it("does not let a required addon pass for one that runs", async () => {
    const place = await placed();
    place.file(".indus/addons/guard/manifest.toml", GATE);
    place.settings({ features: { guard: false }, addons: { required: ["guard"] } });
    const { code, stderr } = await place.run([...FLAGS, "--grant", "guard"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('project:guard is not enabled: the setting "features" turns it off');
  });
});

it("`indus addons` names what runs a feature, and its version", async () => {
  const place = await placed();
  place.file(".indus/addons/guard/manifest.toml", `version = "1.2.0"\n${GATE}`);
  const { stdout } = await place.run(["addons", "--grant", "guard"]);
  expect(stdout).toMatch(/^project:guard {2}enabled {2}declarative 1\.2\.0, [\d.]+ ms/m);
  expect(stdout).toMatch(/^builtin:web {2}enabled {2}builtin, [\d.]+ ms/m);
});

describe("a tool whose every call is refused", () => {
  it.each(
    rows<readonly [readonly string[], readonly string[]]>(
      [
        [
          ["--deny", "websearch", "--deny", "webfetch", "--deny", "process"],
          ["websearch", "webfetch", "process"],
        ],
        [["--deny", "WebFetch"], ["webfetch"]],
        [["--deny", "count_words"], ["count_words"]],
        [
          ["--permission-mode", "read-only"],
          ["write", "edit", "websearch", "webfetch"],
        ],
      ],
      theFirst,
    ),
  )("is not shown to the model: %j", async (flags, hidden) => {
    const place = await placed();
    place.file(".indus/addons/count-words.ts", ADDON);
    const before = await shownIn(place, "--grant", "count-words");
    expect(before).toEqual(expect.arrayContaining([...hidden]));
    const after = await shownIn(place, "--grant", "count-words", ...flags);
    expect(after).toEqual(before.filter((tool) => !hidden.includes(tool)));
  });

  it("is shown where a part of its calls may pass, and in a plan, which ends: the list is the same all session long", async () => {
    const place = await placed();
    const before = await shownIn(place);
    expect(await shownIn(place, "--deny", "bash(rm *)", "--deny", "WebFetch(domain:example.com)")).toEqual(
      before,
    );
    const planning = await place.run([...FLAGS, "--permission-mode", "plan"]);
    expect(planning.code, planning.stderr).toBe(0);
    expect(toolsIn(place.server.requests.at(-1))).toEqual(expect.arrayContaining([...before]));
  });

  it("is listed by `indus addons`, with the reason", async () => {
    const place = await placed();
    place.settings({ permissions: { deny: ["webfetch"] } });
    const { stdout } = await place.run(["addons"]);
    expect(stdout).toContain('webfetch (not shown to the model: the rule "webfetch" denies it)');
    place.settings({ permissions: { mode: "read-only" } });
    expect((await place.run(["addons"])).stdout).toContain(
      "write (not shown to the model: the permission mode is read-only)",
    );
  });

  it("is refused all the same when the model calls it", async () => {
    const place = await createServedShared([
      { calls: [{ name: "webfetch", input: { url: "https://example.com" } }] },
      { text: "Done." },
    ]);
    await place.run([...FLAGS, "--deny", "webfetch"]);
    const tools = place.entries().flatMap((entry) => (entry.type === "tool" ? [entry] : []));
    expect(tools).toMatchObject([{ name: "webfetch", state: "refused" }]);
  });
});
