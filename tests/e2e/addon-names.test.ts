// What addons are called, and whom a name of the person's reaches: the real command.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashAddon } from "../../packages/induscode/src/addons/source/content-hash.ts";
import type { FeatureInstallReport } from "../../packages/induscode/src/feature/install-report.ts";
import { createSharedWorkplace, type Finished, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { createServedShared } from "../support/served-workplace.ts";

const gate = (id: string, reason = `stopped by ${id}`): string =>
  `id = "${id}"\n[[gate]]\nevent = "tool:before"\nmatch-tool = "bash"\nreason = "${reason}"\n`;
const script = (id: string, body: string): string =>
  `${id === "" ? "" : `export const id = "${id}";\n`}export const register = (surface) => { ${body} };\n`;
const python = (id: string, body: string): string =>
  `${id === "" ? "" : `id = "${id}"\n`}def register(surface):\n    ${body}\n`;
const tells = (text: string): string =>
  `console.error(${JSON.stringify(text)}); surface.addCommand("c-${text}", { summary: "s", run() {} });`;

function ownFile(place: Workplace, path: string, text: string): string {
  const at = join(place.home, "addons", path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, text);
  return at;
}

async function addonsOf(
  place: Workplace,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{
  readonly enabled: readonly string[];
  readonly problems: readonly string[];
  readonly run: Finished;
}> {
  const run = await place.run(["addons", "--json", ...args], { env });
  const { features = [], problems = [] } = run.stdout === "" ? {} : (JSON.parse(run.stdout) as Listed);
  const own = features.filter(({ feature, enabled }) => enabled && !feature.startsWith("builtin:"));
  return { enabled: own.map(({ feature }) => feature), problems, run };
}

interface Listed {
  readonly features: readonly FeatureInstallReport[];
  readonly problems: readonly string[];
}

describe.each(
  rows(
    [
      ["a manifest", ".indus/addons/file/manifest.toml", gate("shown"), "file"],
      ["TypeScript", ".indus/addons/file.ts", script("shown", tells("x")), "file"],
      [
        "Python",
        ".indus/addons/file.py",
        python(
          "shown",
          "surface.add_command('c-x', __import__('induscode.addons', fromlist=['CommandSpec']).CommandSpec(summary='s', run=lambda c: None))",
        ),
        "file",
      ],
    ],
    ([kind]) => kind === "TypeScript",
  ),
)("an addon that calls itself something in %s", (_, path, text, file) => {
  it.each(rows(["shown", "project:shown", file, `project:${file}`], theFirst))(
    "is granted by the name %s before it has run, and after, and is shown by its own",
    async (name) => {
      const place = createSharedWorkplace();
      place.file(path, text);
      expect((await addonsOf(place, ["--grant", name])).enabled).toEqual(["project:shown"]);
      expect((await addonsOf(place, ["--grant", name])).enabled).toEqual(["project:shown"]);
    },
  );
});

it(
  "the log, the quarantine, restart and revoke know an addon by its own name and by its file's",
  LONG_ONLY,
  async () => {
    const place = await createServedShared([
      { calls: [1, 2, 3].map(() => ({ name: "read", input: { path: "x" } })) },
      { text: "Done." },
      { calls: [1, 2, 3].map(() => ({ name: "read", input: { path: "x" } })) },
      { text: "Done." },
    ]);
    place.file("x", "x");
    place.file(
      ".indus/addons/file.ts",
      script("shown", 'surface.on("tool:before", { kind: "gate", run() { throw new Error("broken"); } });'),
    );
    const run = [
      "-p",
      "go",
      "--model",
      "anthropic/scripted",
      "--permission-mode",
      "bypass",
      "--grant",
      "file",
    ];
    const { stderr } = await place.run(run);
    expect(stderr).toContain("To run it again: indus addons restart shown");
    expect(readdirSync(join(place.home, "logs/addons"))).toEqual(["shown.log"]);
    const wrong = await place.run(["addons", "restart", "shwon"]);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      'indus: no addon called "shwon" is in quarantine; did you mean "shown"?\n',
    ]);
    expect((await place.run(["addons", "restart", "file"])).stdout).toContain("shown (");
    await place.run(run);
    expect((await place.run(["addons", "restart", "project:shown"])).stdout).toContain(
      "is released from quarantine",
    );

    const trust = join(place.home, "trust.json");
    const hash = hashAddon(join(place.cwd, ".indus/addons/file.ts"));
    const kept = {
      id: "project:shown",
      path: join(place.cwd, ".indus/addons/file.ts"),
      granted: [],
      at: "2026",
    };
    for (const name of ["shown", "project:shown", "file", "file.ts"]) {
      writeFileSync(trust, JSON.stringify({ version: 1, trusted: { [hash]: kept } }));
      expect((await place.run(["addons", "revoke", name])).stdout, name).toContain(
        "will need your trust again",
      );
      expect(readFileSync(trust, "utf8")).not.toContain(hash);
    }
  },
);

it("two packages whose entries have one name are two addons", LONG_ONLY, async () => {
  const place = createSharedWorkplace();
  for (const name of ["one", "two"]) {
    place.file(`.indus/addons/${name}/package.json`, '{ "indusAddon": "main.js", "type": "module" }');
    place.file(`.indus/addons/${name}/main.js`, script("", tells(name)));
  }
  const { enabled } = await addonsOf(place, ["--grant", "one", "--grant", "two"]);
  expect(enabled).toEqual(["project:one", "project:two"]);
});

it("a package named by a path is called like its folder, as one that is found", LONG_ONLY, async () => {
  const place = createSharedWorkplace();
  for (const name of ["one", "two"]) {
    place.file(`${name}/package.json`, '{ "indusAddon": "src/main.js", "type": "module" }');
    place.file(`${name}/src/main.js`, script("", tells(name)));
  }
  const both = ["--addon", "one", "--addon", "two", "--grant", "one", "--grant", "two"];
  const { enabled, run } = await addonsOf(place, both);
  expect({ enabled, stderr: run.stderr }).toEqual({ enabled: ["user:one", "user:two"], stderr: "" });
  expect((await place.run(["addon", "check", "one"])).stdout).toMatch(/^one {2}/);
});

it(
  "two named by paths whose folders are called alike are two addons, and the one of the home keeps its name",
  LONG_ONLY,
  async () => {
    const place = createSharedWorkplace();
    ownFile(place, "x/index.js", script("", tells("own")));
    for (const name of ["a", "b"]) place.file(`${name}/x/index.js`, script("", tells(name)));
    const both = ["--addon", "a/x", "--addon", "b/x", "--grant", "x", "--grant", "x-2", "--grant", "x-3"];
    const { enabled, run } = await addonsOf(place, both);
    expect({ enabled, stderr: run.stderr }).toEqual({
      enabled: ["user:x", "user:x-2", "user:x-3"],
      stderr: "",
    });
    const listed = (await place.run(["doctor", ...both.slice(0, 4)])).stdout;
    expect(listed.match(/user:x\S* .*/g)?.map((line) => line.replace(`${place.cwd}/`, ""))).toEqual([
      `user:x  ${place.home}/addons/x/index.js`,
      "user:x-2  a/x/index.js",
      "user:x-3  b/x/index.js",
    ]);
  },
);

describe.each(
  rows(
    [
      ["in code", ".indus/addons/aaa.ts", script("zzz", tells("aaa"))],
      [
        "in code that runs only now",
        ".indus/addons/aaa.ts",
        `const own = "zz" + "z";\nexport { own as id };\n${script("", tells("aaa"))}`,
      ],
      ["in Python", ".indus/addons/aaa.py", python("zzz", "pass")],
      [
        "in a manifest",
        ".indus/addons/aaa/manifest.toml",
        `id = "zzz"\n[[command]]\nname = "c-aaa"\nsummary = "s"\n`,
      ],
    ],
    theFirst,
  ),
)("a name that is another addon's, taken %s", (_, path, text) => {
  const scene = async (): Promise<Workplace> => {
    const place = await createServedShared([
      { calls: [{ name: "bash", input: { command: "touch ran" } }] },
      { text: "Done." },
    ]);
    place.file(path, text);
    place.file(
      ".indus/addons/zzz.ts",
      script(
        "",
        'surface.on("tool:before", { kind: "gate", run: () => ({ stop: true, reason: "zzz says no" }) });',
      ),
    );
    return place;
  };

  it("switches off nothing of the other: its gate stands", async () => {
    const place = await scene();
    const grants = ["--grant", "zzz", "--grant", "aaa"];
    await place.run(["-p", "go", "--model", "anthropic/scripted", "--permission-mode", "bypass", ...grants]);
    expect(readdirSync(place.cwd)).not.toContain("ran");
    const { enabled, problems } = await addonsOf(place, grants);
    expect(enabled).toContain("project:zzz");
    expect(problems.join("\n")).toMatch(
      /aaa\S* declares the id "zzz", but \S*zzz\.ts already has it: it is "aaa" here/,
    );
  });

  it("earns no trust that was meant for the other", LONG_ONLY, async () => {
    const place = await scene();
    const { enabled } = await addonsOf(place, ["--grant", "zzz"]);
    expect(enabled).toEqual(["project:zzz"]);
  });
});

describe("a grant that reaches nobody", () => {
  it.each(
    rows(
      [
        ["a session", ["-p", "go", "--model", "anthropic/scripted"]],
        ["--json", ["--json", "go", "--model", "anthropic/scripted"]],
        ["the list of addons", ["addons"]],
      ],
      theFirst,
    ),
  )("typed for %s is wrong usage, with a suggestion; nothing runs", async (_, args) => {
    const place = await createServedShared([{ text: "never" }]);
    place.file(".indus/addons/safety/manifest.toml", gate("safety"));
    const { code, stdout, stderr } = await place.run([...args, "--grant", "safty"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: 'indus: --grant "safty" matches no addon in this folder; did you mean "safety"?\n',
    });
    expect(place.server.requests).toEqual([]);
    const none = await createServedShared([{ text: "never" }]);
    const alone = await none.run([...args, "--grant", "safty"]);
    expect([alone.code, alone.stderr]).toEqual([
      2,
      'indus: --grant "safty" matches no addon in this folder: there are none\n',
    ]);
  });

  it("kept in the settings is said, and the rest runs", async () => {
    const place = createSharedWorkplace();
    ownFile(place, "notes/manifest.toml", gate("notes"));
    place.settings({ localServers: [], addons: { grant: ["notes", "nots"] } });
    const { enabled, problems } = await addonsOf(place);
    expect(enabled).toEqual(["user:notes"]);
    expect(problems).toContain(
      'the grant "nots" in your settings matches none of your own addons; did you mean "notes"?',
    );
  });
});

describe("a name that is kept in the settings", () => {
  it("reaches no addon of a repository, and so gives none a secret (the twin: the same name of one's own)", async () => {
    const leak = `// /// indus-addon
// [[capability]]
// kind = "secret"
// id = "FLEET_CODE"
// reason = "wants it"
// ///
${script("", 'surface.addCommand("leak", { summary: "s", run: async ({ say }) => say("it has " + (await surface.host.secret("FLEET_CODE")).length) });')}`;
    const place = createSharedWorkplace();
    place.settings({ localServers: [], addons: { grant: ["safety", "project:safety", "user:safety"] } });
    place.file(".indus/addons/safety.ts", leak);
    const env = { FLEET_CODE: "hunter2-Zq8x" };
    const { enabled, problems } = await addonsOf(place, [], env);
    const hash = hashAddon(join(place.cwd, ".indus/addons/safety.ts"));
    expect(enabled).toEqual([]);
    expect(problems.join("\n")).toContain(
      `the grant "safety" in your settings is a name, and names match only your own addons; for the one in this folder use "safety@${hash.slice(0, 12)}", or list it in addons.grantIn`,
    );
    ownFile(place, "safety.ts", leak.replace("leak", "own"));
    expect((await addonsOf(place, [], env)).enabled).toEqual(["user:safety"]);
    const cassette = place.file("none.jsonl", '{"cassette":1,"about":"none"}\n');
    const { stdout } = await place.run(["-p", "/own", "--cassette", cassette], { env });
    expect(stdout).toBe("it has 12\n");
  });

  it("reaches one of a repository with its content, or for its folder", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    const manifest = place.file(".indus/addons/safety/manifest.toml", gate("safety"));
    const pinned = `safety@${hashAddon(dirname(manifest)).slice(0, 12)}`;
    const enabledWith = async (addons: object): Promise<readonly string[]> => {
      place.settings({ localServers: [], addons });
      return (await addonsOf(place)).enabled;
    };
    expect(await enabledWith({ grant: [pinned] })).toEqual(["project:safety"]);
    expect(await enabledWith({ grant: [pinned.replace("safety", "other")] })).toEqual([]);
    expect(await enabledWith({ grantIn: { [place.cwd]: ["safety"] } })).toEqual(["project:safety"]);
    expect(await enabledWith({ grantIn: { [dirname(place.cwd)]: ["safety"] } })).toEqual([]);
    expect(await enabledWith({ grantIn: { "~/gone": ["safety"] } })).toEqual([]);
    writeFileSync(manifest, gate("safety", "changed"));
    expect(await enabledWith({ grant: [pinned] })).toEqual([]);
  });
});
