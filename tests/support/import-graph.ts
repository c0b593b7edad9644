// Who imports whom: reads the import statements of source files and compares them with a table of what is allowed.
// Independent of this project's layers: the caller passes the table (tests/layers.test.ts).
import { posix } from "node:path";
import { parseSync } from "rolldown/utils";

/** Source texts by path, each path `<package>/src/<layer>/…/<file>.ts`. */
export type SourceFiles = ReadonlyMap<string, string>;

/** The rules to check against. */
export interface ImportRules {
  /** package -> layer -> what it may import: layer names, `layer*` for its contract only, a package name for all of it. */
  readonly layers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** folder of rooms (`<package>/src/<layer>`) -> room -> which other rooms it may import; files outside the rooms may import all. */
  readonly rooms?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** folder (`<package>/src/<layer>`) -> each folder in it that may import others of them, and which; those without a row import none. */
  readonly apart?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** folder (`<package>/src/<layer>`) -> the files that are its contract; default: `contract.ts`. */
  readonly contracts?: Readonly<Record<string, string>>;
  /** Files called `index.ts` that are also a module for their own package. */
  readonly modules?: readonly string[];
  /** Modules that reach the machine itself, and the path patterns of the files that may import them. */
  readonly raw: readonly RawAccess[];
}

/** `files` are glob patterns over the same paths as SourceFiles. */
export interface RawAccess {
  readonly modules: readonly string[];
  readonly files: readonly string[];
}

/** One import, re-export, `import()` or type query. `names` is undefined if the whole module is taken. */
export interface ImportEdge {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly names: readonly string[] | undefined;
}

interface Place {
  readonly package: string;
  readonly layer: string;
}

/** Every breach of the rules as one sorted line `path: what is wrong`; an empty list if there is none. */
export function checkImports(files: SourceFiles, rules: ImportRules): string[] {
  const problems: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [path, text] of files) {
    const place = placeOf(path);
    if (rules.layers[place.package]?.[place.layer] === undefined) {
      problems.push(`${path}: no row in the layer table for ${place.package}/${place.layer}`);
    }
    const targets: string[] = [];
    for (const edge of readImports(path, text)) {
      const target = resolveTarget(path, edge.specifier, rules);
      const problem =
        target === undefined ? checkRaw(path, edge, rules) : checkEdge(path, edge, target, { files, rules });
      if (problem !== undefined) problems.push(`${path}: ${problem}`);
      if (target !== undefined && files.has(target)) targets.push(target);
    }
    graph.set(path, targets);
  }
  for (const circle of findCircles(graph))
    problems.push(`${circle[0]}: circle of imports: ${circle.join(" -> ")}`);
  return problems.sort();
}

/** The imports of one TypeScript file, in order. Throws on a file that does not parse. */
export function readImports(path: string, text: string): ImportEdge[] {
  const { program, errors } = parseSync(path, text, { lang: "ts" });
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const edges: ImportEdge[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (!isNode(node)) return;
    const edge = edgeOf(node);
    if (edge !== undefined) edges.push(edge);
    Object.values(node).forEach(visit);
  };
  visit(program.body);
  return edges;
}

type SyntaxNode = Readonly<Record<string, unknown>> & { readonly type: string };

const typeKeyword: Readonly<Record<string, string>> = {
  ImportDeclaration: "importKind",
  ExportNamedDeclaration: "exportKind",
  ExportAllDeclaration: "exportKind",
};

function edgeOf(node: SyntaxNode): ImportEdge | undefined {
  const isQuery = node.type === "TSImportType";
  const keyword = typeKeyword[node.type];
  if (keyword === undefined && !isQuery && node.type !== "ImportExpression") return undefined;
  const specifier = isNode(node.source) ? node.source.value : undefined;
  if (typeof specifier !== "string") return undefined;
  const specifiers = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : [];
  const named = specifiers.map((item) =>
    nameOf(item.imported ?? (node.type === "ImportDeclaration" ? undefined : item.local)),
  );
  const takesAll = specifiers.length === 0 || named.includes(undefined);
  const eachIsType =
    specifiers.length > 0 &&
    specifiers.every((item) => item.importKind === "type" || item.exportKind === "type");
  return {
    specifier,
    typeOnly: isQuery || (keyword !== undefined && node[keyword] === "type") || eachIsType,
    names: takesAll ? undefined : named.filter((name) => name !== undefined),
  };
}

function nameOf(node: unknown): string | undefined {
  const name = isNode(node) ? (node.name ?? node.value) : undefined;
  return typeof name === "string" ? name : undefined;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function placeOf(path: string): Place {
  const [packageName = "", , layer = ""] = path.split("/");
  return { package: packageName, layer };
}

/** The target path of an import of our own code; undefined for Node's modules and npm packages. */
function resolveTarget(from: string, specifier: string, rules: ImportRules): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  const [packageName = "", ...inner] = specifier.split("/");
  if (rules.layers[packageName] === undefined) return undefined;
  return `${packageName}/src/${inner.join("/")}/index.ts`;
}

interface Context {
  readonly files: SourceFiles;
  readonly rules: ImportRules;
}

function checkEdge(
  from: string,
  edge: ImportEdge,
  target: string,
  { files, rules }: Context,
): string | undefined {
  const here = placeOf(from);
  const there = placeOf(target);
  const relative = edge.specifier.startsWith(".");
  if (relative && here.package !== there.package)
    return `reaches ${target} by a relative path: import ${there.package}/<layer>`;
  if (!relative && here.package === there.package)
    return `imports its own package as ${edge.specifier}: use a relative path`;
  if (!files.has(target)) return `imports ${edge.specifier}, but there is no file ${target}`;
  if (relative && isDoor(target) && !isDoor(from) && !rules.modules?.includes(target))
    return `imports a door of its own package (${edge.specifier}): import the file itself`;
  if (relative && here.layer === there.layer)
    return checkRooms(from, target, edge, rules) ?? checkApart(from, target, edge, rules);

  const allowed = allowedLayers(here, rules);
  if (allowed.has(there.layer)) return undefined;
  if (!allowed.has(`${there.layer}*`))
    return `${here.layer} may not import ${there.layer} (${edge.specifier})`;
  const contract = contractOf(there, rules);
  if (contract.includes(target)) return undefined;
  // A package's door is its only entrance, so its contract is imported through the door as types, which load nothing.
  const exported = new Set(contract.flatMap((path) => exportedNames(path, files.get(path) ?? "")));
  const fromContract = edge.names?.every((name) => exported.has(name)) ?? false;
  if (!relative && edge.typeOnly && fromContract) return undefined;
  return `${here.layer} may import the contract of ${there.layer} only (${edge.specifier})`;
}

/** Between the rooms of one layer. Outside the rooms, a room may import only `contract.ts`: the other files there assemble the rooms. */
function checkRooms(
  from: string,
  target: string,
  { specifier }: ImportEdge,
  { rooms = {} }: ImportRules,
): string | undefined {
  const folder = from.split("/").slice(0, 3).join("/");
  const table = rooms[folder];
  if (table === undefined) return undefined;
  const roomOf = (path: string): string => posix.dirname(path).slice(folder.length + 1);
  const [here, there] = [roomOf(from), roomOf(target)];
  if (here === "" || here === there) return undefined;
  const allowed = table[here]?.split(" ");
  if (allowed === undefined) return `no row in the table of rooms for ${folder}/${here}`;
  const isContract = posix.basename(target) === "contract.ts";
  if (there === "" ? isContract : allowed.includes(there) || (isContract && allowed.includes(`${there}*`)))
    return undefined;
  return `${here} may not import ${there === "" ? "what lies outside the rooms" : there} (${specifier})`;
}

/** Between folders of a layer that know nothing of each other, but for what the table says; files beside them are for all. */
function checkApart(
  from: string,
  target: string,
  { specifier }: ImportEdge,
  { apart = {} }: ImportRules,
): string | undefined {
  const table = apart[from.split("/").slice(0, 3).join("/")];
  const [here = "", there = ""] = [from, target].map((path) => path.split("/").slice(3, -1)[0]);
  const isFree = here === "" || there === "" || here === there;
  if (table === undefined || isFree || table[here]?.split(" ").includes(there)) return undefined;
  return `${here} may not import ${there} without a row in the table (${specifier})`;
}

/** What other packages import; a door can re-export others. */
function isDoor(path: string): boolean {
  return posix.basename(path) === "index.ts";
}

function allowedLayers({ package: packageName, layer }: Place, rules: ImportRules): ReadonlySet<string> {
  const words = (rules.layers[packageName]?.[layer] ?? "").split(" ").filter((word) => word !== "");
  return new Set(words.flatMap((word) => Object.keys(rules.layers[word] ?? { [word]: "" })));
}

function contractOf({ package: packageName, layer }: Place, { contracts = {} }: ImportRules): string[] {
  const folder = `${packageName}/src/${layer}`;
  return (contracts[folder] ?? "contract").split(" ").map((name) => `${folder}/${name}.ts`);
}

function exportedNames(path: string, text: string): readonly string[] {
  const { module } = parseSync(path, text, { lang: "ts" });
  const names = module.staticExports.flatMap((statement) =>
    statement.entries.map((entry) => entry.exportName.name),
  );
  return names.filter((name) => name !== null && name !== undefined);
}

function checkRaw(from: string, edge: ImportEdge, rules: ImportRules): string | undefined {
  const access = rules.raw.find((row) => row.modules.includes(edge.specifier));
  if (access === undefined || access.files.some((pattern) => posix.matchesGlob(from, pattern)))
    return undefined;
  return `may not use ${edge.specifier}: only ${access.files.join(", ")} may`;
}

/** Groups of files that import each other, each as one circular path, starting at its first file by name. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) circles.push(fromFirst(trail.slice(start)));
    if (start >= 0 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return [...new Map(circles.map((circle) => [circle.join(), circle])).values()];
}

function fromFirst(circle: readonly string[]): string[] {
  const first = circle.indexOf([...circle].sort()[0] ?? "");
  return [...circle.slice(first), ...circle.slice(0, first), ...circle.slice(first, first + 1)];
}
