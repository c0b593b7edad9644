import { execFileSync, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import { describe, expect, it, onTestFinished } from "vitest";
import { LONG_ONLY } from "../../../../../tests/support/long-form.ts";
import { needs } from "../../../../../tests/support/needs.ts";
import { discoverAddons } from "../source/discover.ts";
import { AUTHOR_KINDS, TEMPLATES } from "./addon-templates.ts";
import { type CreatedAddon, createAddon } from "./create-addon.ts";

const TEMPLATE_FOLDER: string = fileURLToPath(new URL("../../../assets/addon-templates", import.meta.url));
const ROOT: string = fileURLToPath(new URL("../../../../..", import.meta.url));

function workspace(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "indus-author-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function create(cwd: string, name: string, kind: (typeof AUTHOR_KINDS)[number] = "ts"): CreatedAddon {
  const folder = join(cwd, ".indus", "addons");
  return createAddon(name, { kind, folder, within: cwd, templates: TEMPLATE_FOLDER });
}

describe("a new addon", () => {
  it.each(AUTHOR_KINDS)("of kind %s is found as one addon under its name, and holds no other", (kind) => {
    const cwd = workspace();
    const created = create(cwd, "My.Notes", kind);
    if (!created.ok) throw new Error(created.problem);
    expect(discoverAddons(join(cwd, ".indus/addons"))).toMatchObject({
      found: [created.path],
      faults: [],
    });
    for (const file of created.files) {
      expect(readFileSync(file, "latin1")).not.toMatch(/my-addon|my-command/);
    }
    if (kind !== "toml" && kind !== "wasm")
      expect(created.files.map((file) => readFileSync(file, "utf8")).join()).toContain("/my-notes");
  });

  it("of kind process has a program that is executable", () => {
    const cwd = workspace();
    create(cwd, "notes", "process");
    expect(lstatSync(join(cwd, ".indus/addons/notes/notes.sh")).mode & 0o111).toBe(0o111);
  });

  it.each(["", "../evil", "a/b", "-x", ".hidden", "0123456789abcdef", "x".repeat(101)])(
    "is not called %j",
    (name) => {
      const cwd = workspace();
      expect(create(cwd, name)).toEqual({
        ok: false,
        problem: expect.stringContaining(`"${name}" is not an addon name: use at most 100 letters`),
      });
    },
  );

  it("overwrites nothing, and takes no name that another addon has", () => {
    const cwd = workspace();
    create(cwd, "notes");
    const file = join(cwd, ".indus/addons/notes.ts");
    writeFileSync(file, "mine");
    for (const kind of AUTHOR_KINDS) {
      expect(create(cwd, "notes", kind)).toEqual({
        ok: false,
        problem: `${file} already exists: choose another name, or remove it first`,
      });
    }
    expect(readFileSync(file, "utf8")).toBe("mine");
    mkdirSync(join(cwd, ".indus/addons/empty"));
    expect(create(cwd, "empty", "toml")).toMatchObject({ ok: false });
    writeFileSync(join(cwd, ".indus/addons/left.cassette.jsonl"), "mine");
    expect(create(cwd, "left")).toMatchObject({
      ok: false,
      problem: expect.stringContaining("left.cassette.jsonl already exists"),
    });
  });

  it("is not written through a link that leads out (the twin: a folder takes it)", () => {
    const cwd = workspace();
    const elsewhere = workspace();
    symlinkSync(elsewhere, join(cwd, ".indus"));
    expect(create(cwd, "notes")).toMatchObject({
      ok: false,
      problem: expect.stringContaining(`${join(cwd, ".indus")} points to ${elsewhere}, outside ${cwd}`),
    });
    expect(discoverAddons(join(elsewhere, "addons")).found).toEqual([]);
    rmSync(join(cwd, ".indus"));
    expect(create(cwd, "notes")).toMatchObject({ ok: true });
  });
});

describe("the templates", () => {
  const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");

  it("in TypeScript are written as this project is, and are sound", LONG_ONLY, () => {
    const source = readFileSync(join(TEMPLATE_FOLDER, "ts/my-addon.ts"), "utf8");
    // Checked under another name, because the project's own run excludes assets.
    const args = [biome, "check", "--write", "--stdin-file-path=examples/my-addon.ts"];
    expect(execFileSync(process.execPath, args, { cwd: ROOT, input: source, encoding: "utf8" })).toBe(source);
    const cwd = workspace();
    const config = {
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: {
        typeRoots: [join(ROOT, "node_modules/@types")],
        paths: { "induscode/addons": [join(ROOT, "packages/induscode/src/addons/kit/index.ts")] },
      },
      files: [join(TEMPLATE_FOLDER, "ts/my-addon.ts")],
      include: [],
    };
    writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "--noEmit", "-p", cwd, "--pretty", "false"], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });

  it("in Python compile", () => {
    needs("python3");
    const path = join(TEMPLATE_FOLDER, "python/my-addon.py");
    const program = "import ast, sys; ast.parse(open(sys.argv[1]).read()); print('ok')";
    expect(execFileSync("python3", ["-c", program, path], { encoding: "utf8" })).toBe("ok\n");
  });

  it("in WebAssembly are what their source makes, by the line that the source names", LONG_ONLY, async () => {
    const folder = join(TEMPLATE_FOLDER, "wasm/my-addon");
    const source = readFileSync(join(folder, "my-addon.ts"), "utf8");
    const [, line = ""] = /npx asc (.*)/.exec(source) ?? [];
    let built: Uint8Array | undefined;
    const { error, stderr } = await asc.main(line.split(" "), {
      readFile: (path) => (path === "my-addon.ts" ? source : null),
      writeFile: (_name, content) => {
        built = Buffer.from(content);
      },
      listFiles: () => [],
    });
    expect({ error, stderr: stderr.toString() }).toEqual({ error: null, stderr: "" });
    expect(Buffer.from(built ?? []).equals(readFileSync(join(folder, "my-addon.wasm")))).toBe(true);
  });

  it("name files that are there", () => {
    for (const kind of AUTHOR_KINDS)
      for (const { path } of TEMPLATES[kind])
        expect(lstatSync(join(TEMPLATE_FOLDER, kind, path)).isFile()).toBe(true);
  });
});
