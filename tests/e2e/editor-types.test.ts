// What an editor is given with an addon: the real compiler, and the checkers of Python where there are any, read it as the
// editor does.

import { execFile, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as kit from "../../packages/induscode/src/addons/kit/index.ts";
import { hashAddon } from "../../packages/induscode/src/addons/source/content-hash.ts";
import { createSharedWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import { lacks } from "../support/needs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SHIPPED = join(ROOT, "packages/induscode/assets/types/addons.d.ts");

async function made(kind: string, more: readonly string[] = []): Promise<Workplace> {
  const place = createSharedWorkplace();
  expect(await place.run(["addon", "new", "notes", "--kind", kind, ...more])).toMatchObject({ code: 0 });
  return place;
}

/** What the compiler says of a folder's project; nothing when it is content. */
function tsc(folder: string): Promise<string> {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  return promisify(execFile)(process.execPath, [compiler, "--pretty", "false", "-p", folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe("an addon in TypeScript", () => {
  it("is green on line one, and red without the types (the twin)", async () => {
    const place = await made("ts");
    const folder = join(place.cwd, ".indus");
    expect(await tsc(folder)).toBe("");
    rmSync(join(folder, "induscode"), { recursive: true });
    expect(await tsc(folder)).toContain("Cannot find module 'induscode/addons'");
    const again = await place.run(["addon", "types"]);
    expect(again).toEqual({
      code: 0,
      stdout: "wrote .indus/induscode and .indus/tsconfig.json, for your editor\n",
      stderr: "",
    });
    expect(await tsc(folder)).toBe("");
  });

  it("is told of its mistakes, of events, payloads and returns alike", LONG_ONLY, async () => {
    const place = await made("ts");
    place.file(
      ".indus/addons/wrong.ts",
      `import { type AddonSurface, createAddonHost, gate, transform } from "induscode/addons";
export function register(surface: AddonSurface): void {
  surface.on("tool:never", gate(() => undefined));
  surface.on("tool:before", gate(({ nmae }) => undefined));
  surface.on("input:submit", transform(() => ({ text: 7 })));
}
`,
    );
    const said = await tsc(join(place.cwd, ".indus"));
    const lines = [...said.matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => Number(line));
    expect([...new Set(lines)].sort()).toEqual([1, 3, 4, 5]);
  });

  it("may import what it is typed with, all of it, and loads", LONG_ONLY, async () => {
    const declared = readFileSync(SHIPPED, "utf8");
    const values = [...declared.matchAll(/^export declare (?:const|function|class) (\w+)/gm)].map(
      ([, name]) => name ?? "",
    );
    const types = [...declared.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name ?? "");
    expect(values.sort()).toEqual(Object.keys(kit).sort());
    expect(types.length).toBeGreaterThan(50);
    const place = await made("ts");
    const names = [...values, ...types.map((name) => `type ${name}`)].join(", ");
    place.file(
      ".indus/addons/all.ts",
      `import { ${names} } from "induscode/addons";
import type { AddonTool as Tool } from "induscode/addons";
export const kept: unknown[] = [${values.join(", ")}];
type Used = [${types.filter((name) => !/[Oo]f$|Run$|Handler$/.test(name)).join(", ")}, Tool];
export function register(surface: AddonSurface): void {
  const used: Used | undefined = undefined;
  surface.addCommand("all", { summary: String(used), run: () => {} });
}
`,
    );
    expect(await tsc(join(place.cwd, ".indus"))).toBe("");
    const checked = await place.run(["addon", "check", ".indus/addons/all.ts"]);
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("good: no problems found"),
    });
  });

  it("that imports the host's door is red in the editor and refused with the reason", LONG_ONLY, async () => {
    const place = await made("ts");
    const text = `import { createAddonHost } from "induscode/addons/host";\nexport function register() { createAddonHost(); }\n`;
    place.file(".indus/addons/hosting.ts", text);
    expect(await tsc(join(place.cwd, ".indus"))).toContain("Cannot find module 'induscode/addons/host'");
    const { code, stdout } = await place.run(["addon", "check", ".indus/addons/hosting.ts"]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `import of "induscode/addons/host" is refused: it is for programs that host addons; an addon imports induscode/addons`,
    );
  });
});

describe("what is written for the editor", () => {
  it("is no part of any addon: none more is found, and the content that is trusted is the same", async () => {
    const place = await made("ts");
    const addon = join(place.cwd, ".indus/addons/notes.ts");
    const before = hashAddon(addon);
    await place.run(["addon", "types"]);
    expect(hashAddon(addon)).toBe(before);
    const { stdout } = await place.run(["addons", "--json"]);
    const { skipped } = JSON.parse(stdout) as { skipped: readonly string[] };
    expect(skipped).toEqual([expect.stringContaining("project:notes at ")]);
    expect(readdirSync(join(place.cwd, ".indus/addons")).sort()).toEqual([
      "notes.cassette.jsonl",
      "notes.expect.toml",
      "notes.ts",
    ]);
    expect(readdirSync(join(place.cwd, ".indus")).sort()).toEqual(["addons", "induscode", "tsconfig.json"]);
  });

  it("lies in the home folder for an addon for every folder", LONG_ONLY, async () => {
    const place = await made("ts", ["--user"]);
    expect(existsSync(join(place.cwd, ".indus"))).toBe(false);
    expect(await tsc(place.home)).toBe("");
    const { stdout } = await place.run(["addon", "types", "--user"]);
    expect(stdout).toBe(`wrote ${place.home}/induscode and ${place.home}/tsconfig.json, for your editor\n`);
  });

  it("leaves AssemblyScript to its own compiler, also when it comes later", LONG_ONLY, async () => {
    const place = await made("ts");
    const { stdout } = await place.run(["addon", "new", "fast", "--kind", "wasm"]);
    expect(stdout).toContain("wrote .indus/induscode and .indus/tsconfig.json, for your editor\n");
    expect(await tsc(join(place.cwd, ".indus"))).toBe("");
  });

  it.each(rows(["toml", "process", "wasm"], theFirst))(
    "is nothing for a lone addon of kind %s",
    async (kind) => {
      const place = await made(kind);
      expect(readdirSync(join(place.cwd, ".indus"))).toEqual(["addons"]);
    },
  );

  it("knows node: modules where @types/node is installed above", LONG_ONLY, async () => {
    const place = createSharedWorkplace();
    mkdirSync(join(place.cwd, "node_modules/@types"), { recursive: true });
    for (const name of ["@types/node", "undici-types"])
      symlinkSync(join(ROOT, "node_modules", name), join(place.cwd, "node_modules", name));
    expect(await place.run(["addon", "new", "notes", "--kind", "ts"])).toMatchObject({ code: 0 });
    place.file(
      ".indus/addons/reads.ts",
      `import { readFileSync } from "node:fs";\nexport const text: string = readFileSync("a", "utf8");\n`,
    );
    expect(await tsc(join(place.cwd, ".indus"))).toBe("");
  });

  it("is never written over a project file of the person's, which is said with what to add", async () => {
    const place = createSharedWorkplace();
    const own = place.file(".indus/tsconfig.json", "{}\n");
    const { stdout } = await place.run(["addon", "new", "notes", "--kind", "ts"]);
    expect(readFileSync(own, "utf8")).toBe("{}\n");
    expect(stdout).toContain(
      `wrote .indus/induscode, for your editor\nnote: ${own} is yours and was left unchanged: for the editor, add to its compilerOptions "paths": {"induscode/addons":["./induscode/addons.d.ts"]}\n`,
    );
  });

  it.each(
    rows<[string, (place: Workplace) => void, RegExp]>(
      [
        [
          "a link to a folder",
          (place: Workplace) => linkTo(place, ".indus/induscode", "src"),
          /is a symlink/,
        ],
        [
          "a link out of the workspace",
          (place: Workplace) => linkTo(place, ".indus/induscode", "../home"),
          /is a symlink|points to/,
        ],
        [
          "somebody's own folder",
          (place: Workplace) => void place.file(".indus/induscode/mine.txt", "mine"),
          /is not a folder of types/,
        ],
      ],
      theFirst,
    ),
  )("is not written through %s", async (_what, prepare, told) => {
    const place = createSharedWorkplace();
    mkdirSync(join(place.cwd, "src"));
    prepare(place);
    const before = readdirSync(join(place.cwd, "src"));
    const { code, stderr } = await place.run(["addon", "types"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(told);
    expect(readdirSync(join(place.cwd, "src"))).toEqual(before);
    const { code: made, stdout } = await place.run(["addon", "new", "notes", "--kind", "ts"]);
    expect(made).toBe(0);
    expect(stdout).toMatch(/^note: no types for your editor: /m);
  });

  it("replaces a link in place of the project file, and what it led to stays", async () => {
    const place = createSharedWorkplace();
    const other = place.file("src/precious.txt", "precious");
    mkdirSync(join(place.cwd, ".indus"));
    symlinkSync(other, join(place.cwd, ".indus/tsconfig.json"));
    const { stdout } = await place.run(["addon", "types"]);
    expect(readFileSync(other, "utf8")).toBe("precious");
    expect(stdout).toContain("tsconfig.json is yours and was left unchanged");
    expect(lstatSync(join(place.cwd, ".indus/tsconfig.json")).isSymbolicLink()).toBe(true);
  });

  it("is told how to ask for it", async () => {
    const { code, stderr } = await createSharedWorkplace().run(["addon", "types", "notes"]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "usage: indus addon types. To send it to the model, write: indus -p 'addon types notes'",
    );
  });
});

function linkTo(place: Workplace, path: string, target: string): void {
  mkdirSync(join(place.cwd, ".indus"), { recursive: true });
  symlinkSync(join(place.cwd, target), join(place.cwd, path));
}

describe("an addon in Python", () => {
  it("finds a stub for each module of the kit, and Python itself finds none of them", async () => {
    const place = await made("python");
    const stubs = join(place.cwd, ".indus/induscode");
    const kitFolder = join(ROOT, "packages/induscode/python/induscode");
    const names = (folder: string, ending: string): readonly string[] =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(ending) && !name.includes("__pycache__"))
        .map((name) => name.slice(0, -ending.length))
        .sort();
    expect(names(stubs, ".pyi")).toEqual(names(kitFolder, ".py"));
    expect(names(stubs, ".py")).toEqual([]);
  });

  const checker = ["pyright", "mypy"].find(
    (name) => spawnSync(name, ["--version"], { encoding: "utf8" }).status === 0,
  );
  it.skipIf(lacks("mypy or pyright", checker !== undefined))(
    "is green on line one for the checker that is installed, and red without the stubs (the twin)",
    LONG_ONLY,
    async () => {
      const place = await made("python");
      const check = (): string => {
        const args = checker === "mypy" ? ["--strict", "addons/notes.py"] : ["addons/notes.py"];
        const env = { ...process.env, MYPYPATH: "." };
        return spawnSync(checker ?? "", args, { cwd: join(place.cwd, ".indus"), encoding: "utf8", env })
          .stdout;
      };
      expect(check()).toMatch(/^0 errors|Success: no issues found/m);
      renameSync(join(place.cwd, ".indus/induscode"), join(place.cwd, "elsewhere"));
      expect(check()).toMatch(/induscode\.addons/);
    },
  );
});
