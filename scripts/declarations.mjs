// What the packages declare: which names each file exports, where each one is really declared, and what it mentions. Read
// from the declarations that TypeScript writes, since TypeScript 7 has no interface for programs.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { parseSync } from "rolldown/utils";
import { root, runForeground, runtimeNode, SetupError, toolFile } from "./setup.mjs";

/**
 * @typedef {{ file: string, name: string }} Declared Where a name is declared: an absolute source path, and the name there.
 * @typedef {object} FileDeclarations
 * @property {string} code The declarations of the file.
 * @property {object[]} body The statements of `code`.
 * @property {Map<string, { from: string, name: string }>} imports By the local name; `name` is `*` for a namespace.
 * @property {Map<string, { from?: string, name: string }>} exports By the exported name; `from` for what is passed on.
 * @property {string[]} stars What `export *` passes on.
 * @property {Map<string, object[]>} declared The statements that declare a name.
 */

/** The source files of a package that are part of it. */
export function sourcesOf(name) {
  return globSync(`packages/${name}/src/**/*.ts`, { cwd: root })
    .filter((path) => !/(\.test|\/test-[^/]*|-cases)\.ts$/.test(path))
    .map((path) => join(root, path))
    .sort();
}

/** The public doors: `package/subpath` and the source file behind each. */
export function publicDoors() {
  return ["indusagi", "induscode"].flatMap((name) => {
    const folder = join(root, "packages", name);
    const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return Object.entries(exports).map(([path, target]) => ({
      name: name + path.slice(1),
      file: join(folder, target["indus-source"]),
    }));
  });
}

/** Has TypeScript write the declarations of these files. What they import from another package must be among them. */
export async function readDeclarations(sources) {
  const folder = mkdtempSync(join(tmpdir(), "indus-declarations-"));
  const out = join(folder, "out");
  try {
    const config = join(folder, "tsconfig.json");
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      noCheck: true, // `npm run check` does
      emitDeclarationOnly: true,
      isolatedDeclarations: false,
      outDir: out,
      rootDir: root,
      typeRoots: [join(root, "node_modules/@types")],
    };
    const base = join(root, "tsconfig.base.json");
    writeFileSync(config, JSON.stringify({ extends: base, compilerOptions, files: sources }));
    const { code } = await runForeground(runtimeNode(), [toolFile("typescript/bin/tsc"), "-p", config]);
    if (code !== 0) throw new SetupError(`tsc could not write the declarations (exit code ${code})`);
    const texts = globSync("**/*.d.ts", { cwd: out }).map((path) => [
      join(root, path.replace(/\.d\.ts$/, ".ts")),
      readFileSync(join(out, path), "utf8"),
    ]);
    return createDeclarations(new Map(texts));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Answers about declarations by the path of the source file that they were written from. */
export function createDeclarations(texts, doors = publicDoors()) {
  const files = new Map();
  return {
    files: [...texts.keys()],
    of,
    targetOf,
    resolveName,
    resolveExport,
    exportedNames,
    mentionedNames,
  };

  /** @returns {FileDeclarations} */
  function of(file) {
    const known = files.get(file);
    if (known) return known;
    const code = texts.get(file);
    if (code === undefined) throw new Error(`there are no declarations of ${relative(root, file)}`);
    const { program, errors } = parseSync(file, code, { lang: "dts" });
    if (errors.length > 0) throw new Error(`the declarations of ${file}: ${errors[0].message}`);
    const empty = { imports: new Map(), exports: new Map(), stars: [], declared: new Map() };
    const read = { code, body: program.body, ...empty };
    for (const statement of program.body) readStatement(read, statement);
    files.set(file, read);
    return read;
  }

  /** The source file that an import leads to; undefined for what is not of these packages. */
  function targetOf(specifier, from) {
    const door = doors.find(({ name }) => name === specifier);
    if (door) return door.file;
    return specifier.startsWith(".") ? join(dirname(from), specifier.replace(/\.js$/, ".ts")) : undefined;
  }

  /**
   * Where an identifier of a file is declared; undefined for what another package or the language declares.
   * @returns {Declared | undefined}
   */
  function resolveName(file, name) {
    const { declared, imports } = of(file);
    if (declared.has(name)) return { file, name };
    const imported = imports.get(name);
    const target = imported && targetOf(imported.from, file);
    return target && imported.name !== "*" ? resolveExport(target, imported.name) : undefined;
  }

  /** @returns {Declared | undefined} */
  function resolveExport(file, name) {
    const { exports, stars } = of(file);
    const found = exports.get(name);
    if (found && found.from === undefined) return resolveName(file, found.name);
    const next = found ? [[found.from, found.name]] : stars.map((star) => [star, name]);
    for (const [from, wanted] of next) {
      const target = targetOf(from, file);
      const declared = target && resolveExport(target, wanted);
      if (declared) return declared;
    }
    return undefined;
  }

  /** Every name that a file exports, those of `export *` included. */
  function exportedNames(file) {
    const { exports, stars } = of(file);
    const passedOn = stars.flatMap((star) => exportedNames(targetOf(star, file)));
    return [...new Set([...exports.keys(), ...passedOn])].sort();
  }

  /** The identifiers that the declaration of a name mentions and does not bind itself. */
  function mentionedNames({ file, name }) {
    const mentioned = new Set();
    for (const statement of of(file).declared.get(name) ?? []) visit(statement, new Set(), mentioned);
    mentioned.delete(name);
    return [...mentioned];
  }
}

function readStatement(read, statement) {
  const { type, source } = statement;
  if (type === "ImportDeclaration") {
    for (const { type: kind, imported, local } of statement.specifiers) {
      const name = { ImportSpecifier: () => nameOf(imported), ImportDefaultSpecifier: () => "default" }[
        kind
      ]?.();
      read.imports.set(local.name, { from: source.value, name: name ?? "*" });
    }
  } else if (type === "ExportAllDeclaration") {
    if (statement.exported) read.exports.set(nameOf(statement.exported), { from: source.value, name: "*" });
    else read.stars.push(source.value);
  } else if (type === "ExportNamedDeclaration" && !statement.declaration) {
    for (const { local, exported } of statement.specifiers)
      read.exports.set(nameOf(exported), { from: source?.value, name: nameOf(local) });
  } else {
    const isExport = type === "ExportNamedDeclaration";
    for (const name of declaredNames(isExport ? statement.declaration : statement)) {
      read.declared.set(name, [...(read.declared.get(name) ?? []), statement]);
      if (isExport) read.exports.set(name, { name });
    }
  }
}

function declaredNames(node) {
  if (node.type === "VariableDeclaration") return node.declarations.map(({ id }) => id.name);
  return node.id ? [node.id.name] : [];
}

function nameOf(node) {
  return node.name ?? node.value;
}

function visit(node, bound, mentioned) {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, bound, mentioned);
    return;
  }
  if (typeof node !== "object" || node === null || node.accessibility === "private") return;
  const inner = new Set(bound);
  for (const parameter of node.typeParameters?.params ?? []) inner.add(parameter.name.name);
  if (node.type === "TSMappedType") inner.add(nameOf(node.key));
  if (node.type === "TSConditionalType") addInferred(node.extendsType, inner);
  const used = usedName(node);
  if (used !== undefined && !inner.has(used)) mentioned.add(used);
  for (const [key, child] of Object.entries(node))
    if (key !== "typeName" && key !== "exprName") visit(child, inner, mentioned);
}

function usedName(node) {
  const places = {
    TSTypeReference: node.typeName,
    TSTypeQuery: node.exprName,
    TSInterfaceHeritage: node.expression,
    TSClassImplements: node.expression,
    ClassDeclaration: node.superClass,
  };
  let place = places[node.type];
  while (place?.type === "TSQualifiedName") place = place.left;
  if (place?.type === "Identifier") return place.name;
  return node.computed && node.key?.type === "Identifier" ? node.key.name : undefined; // `[brand]: …`
}

function addInferred(node, names) {
  if (Array.isArray(node)) for (const each of node) addInferred(each, names);
  if (typeof node !== "object" || node === null) return;
  if (node.type === "TSInferType") names.add(node.typeParameter.name.name);
  for (const child of Object.values(node)) addInferred(child, names);
}
