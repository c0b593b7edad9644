// What is installed is whole: whatever a door loads, by a statement or later, comes with its package. A program reaches it with no
// other package of this tree around.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "rolldown/utils";
import { expect, it } from "vitest";
import { builtFolder } from "../support/built.ts";
import { freshFolder, packTree } from "../support/installed.ts";
import { LONG_ONLY } from "../support/long-form.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Libraries ask for these and do without them; the bundler leaves them out (`scripts/bundle.mjs`). */
const DONE_WITHOUT: ReadonlySet<string> = new Set(["pg-native", "supports-color", "cloudflare:sockets"]);

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Each file that the doors of a package load, and what it loads from there that does not come with the package. */
function followed(folder: string): {
  readonly files: ReadonlySet<string>;
  readonly missing: readonly string[];
} {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const known = new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
  const comes = (file: string, specifier: string): boolean => {
    if (specifier.startsWith(".")) return existsSync(join(dirname(file), specifier));
    const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
    return known.has(name) || DONE_WITHOUT.has(specifier) || isOfNode(specifier);
  };
  const files = new Set(Object.values(manifest.exports).map((door) => join(folder, door.default)));
  const missing = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const mentioned = [...text.matchAll(MENTIONED)].map(([, name, ofDoor]) => name ?? `./${ofDoor}`);
    for (const specifier of mentioned.filter((each) => each.startsWith(".") && comes(file, each)))
      files.add(join(dirname(file), specifier));
    const lost = mentioned.filter((specifier) => !comes(file, specifier));
    const loaded = new Set(lost.length > 0 ? loadedBy(file, text) : []); // seconds, for all files
    for (const specifier of lost)
      if (loaded.has(specifier)) missing.add(`${relative(folder, file)} loads ${specifier}`);
  }
  return { files, missing: [...missing] };
}

/** More than what is loaded: a text that says so is one, too. */
const MENTIONED =
  /\b(?:require(?:\.resolve)?\(|import\(|createRequire\([^()]*\)\(|import ?|from ?)["'`]([@\w.][\w@./:~-]*)["'`]|\bloadDoor\("([^"]+)"\)/g;

const isOfNode = (specifier: string): boolean =>
  specifier.startsWith("node:") || builtinModules.includes(specifier);

/** What a file of a package names as a module, by a literal. */
function loadedBy(file: string, text: string): readonly string[] {
  const { program, errors } = parseSync(file, text, {
    sourceType: file.endsWith(".cjs") ? "script" : "module",
  });
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const found: string[] = [];
  const waiting: unknown[] = [program];
  // Grows meanwhile.
  for (const node of waiting) {
    if (typeof node !== "object" || node === null) continue;
    const specifier = specifierOf(node as SyntaxNode);
    if (typeof specifier === "string") found.push(specifier);
    waiting.push(...Object.values(node));
  }
  return found;
}

interface SyntaxNode {
  readonly type?: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly source?: SyntaxNode;
  readonly callee?: SyntaxNode;
  readonly object?: SyntaxNode;
  readonly property?: SyntaxNode;
  readonly arguments?: readonly SyntaxNode[];
}

function specifierOf({ type, source, callee, arguments: [first] = [] }: SyntaxNode): unknown {
  if (type !== "CallExpression" || callee === undefined) return source?.value;
  // How the module of a door takes the file that it is made of: `bin/product.cjs`.
  if (callee.name === "loadDoor") return `./${first?.value}`;
  return isRequire(callee) ? first?.value : undefined;
}

/** `require`, `require.resolve` and what `createRequire` made, used at once. */
function isRequire({ name, type, object, property, callee }: SyntaxNode): boolean {
  if (type === "MemberExpression") return property?.name === "resolve" && object?.name === "require";
  return name === "require" || (callee?.name ?? callee?.property?.name) === "createRequire";
}

it("whatever the doors of induscode load comes with it", () => {
  builtFolder();
  const { files, missing } = followed(join(ROOT, "packages/induscode"));
  expect(missing).toEqual([]);
  expect(files.size).toBeGreaterThan(150);
});

it.for(["indusagi", "induscode"])(
  "so it is in what is packed of %s",
  { ...LONG_ONLY, timeout: 600_000 },
  async (name) => {
    const folder = join(await packTree(), "packages", name);
    const { files, missing } = followed(folder);
    expect(missing).toEqual([]);
    expect(files.size).toBeGreaterThan(30);
  },
);

it("what does not come with a package is found, however it is named (the twin)", () => {
  const folder = freshFolder("package");
  mkdirSync(join(folder, "dist"));
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  const exports = { "./a": { default: "./dist/a.mjs" } };
  write("package.json", JSON.stringify({ exports, dependencies: { known: "1.0.0", "@x/known": "1.0.0" } }));
  write(
    "dist/a.mjs",
    `import fs from "node:fs"; import "known/deep"; export * from "@x/known"; export { b } from "lost-b";
     import("lost-c/deep"); createRequire(import.meta.url)("lost-d"); import "./no-file.mjs";
     const one = "require('said-only')"; export const { x } = loadDoor("door.cjs");`,
  );
  write("dist/door.cjs", `require("path"); require("./c.cjs"); require.resolve("lost-e");`);
  write("dist/c.cjs", `const later = () => Promise.resolve().then(() => require("@lost/f/deep"));`);
  expect([...followed(folder).missing].sort()).toEqual([
    "dist/a.mjs loads ./no-file.mjs",
    "dist/a.mjs loads lost-b",
    "dist/a.mjs loads lost-c/deep",
    "dist/a.mjs loads lost-d",
    "dist/c.cjs loads @lost/f/deep",
    "dist/door.cjs loads lost-e",
  ]);
});
