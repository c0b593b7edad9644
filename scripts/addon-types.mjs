// Writes assets/types/addons.d.ts: everything that `induscode/addons` declares, in one file that imports nothing, for the
// editors of authors. Run it when a test says that the file is not the current one: `npm run addon-types`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { publicDoors, readDeclarations, sourcesOf } from "./declarations.mjs";
import { ensureInstalled, root, runScript, say } from "./setup.mjs";

export const addonTypesFile = join(root, "packages/induscode/assets/types/addons.d.ts");

const HEAD = `// What \`induscode/addons\` is to an addon. Written by \`indus addon types\`, which writes it anew.
`;

/** The one file, from the declarations of both packages. */
export function addonTypes(declarations) {
  const door = publicDoors().find(({ name }) => name === "induscode/addons").file;
  const exported = new Map(
    declarations.exportedNames(door).map((name) => [name, declarations.resolveExport(door, name)]),
  );
  const needed = reachable(declarations, [...exported.values()]);
  const byName = new Map();
  for (const { file, name } of needed) {
    if (byName.has(name)) throw new Error(`two files declare ${name}: ${byName.get(name)} and ${file}`);
    byName.set(name, file);
  }
  for (const [name, declared] of exported)
    if (declared?.name !== name)
      throw new Error(`${name} is exported under another name than it is declared`);
  const parts = declarations.files.flatMap((file) => {
    const names = new Set(needed.filter((each) => each.file === file).map(({ name }) => name));
    return statementsOf(declarations.of(file), names);
  });
  return `${HEAD}\n${parts.join("\n\n")}\n\nexport {};\n`;
}

function reachable(declarations, first) {
  const found = new Map();
  const waiting = [...first];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const key = `${next.file}#${next.name}`;
    if (found.has(key)) continue;
    found.set(key, next);
    for (const mentioned of declarations.mentionedNames(next)) {
      const target = declarations.resolveName(next.file, mentioned);
      if (target) waiting.push(target);
    }
  }
  return [...found.values()];
}

/** The statements that declare these names, each with the comment before it. */
function statementsOf({ code, body, declared }, names) {
  const wanted = new Set([...names].flatMap((name) => declared.get(name)));
  return body.flatMap((statement, at) => {
    if (!wanted.has(statement)) return [];
    const between = code.slice(body[at - 1]?.end ?? 0, statement.start);
    const comment = /\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*$/.exec(between)?.[0].trim();
    const text = code.slice(statement.start, statement.end);
    return [comment === undefined ? text : `${comment}\n${text}`];
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runScript(async () => {
    ensureInstalled();
    const declarations = await readDeclarations([...sourcesOf("indusagi"), ...sourcesOf("induscode")]);
    writeFileSync(addonTypesFile, addonTypes(declarations));
    say(`wrote ${addonTypesFile}`);
  });
}
