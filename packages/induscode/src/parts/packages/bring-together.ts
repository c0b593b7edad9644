// Several packages with one report and one answer: what a person has installed for another agent.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeError, homeFolder, isTable } from "indusagi/core";
import { askYes } from "../../cli/ask-yes.ts";
import { EXIT_FAULT, EXIT_OK, Problem } from "../../cli/problem.ts";
import { readJsonTolerantly } from "../../store/json.ts";
import { addEach, isExpected, keepWhole, type Prepared, prepare, reportOf, tellOf } from "./bring-package.ts";
import { serversInFile } from "./fetch-server.ts";
import { readLock } from "./package-lock.ts";
import { configText, type PackageSource } from "./package-source.ts";
import { type PackagesLine, type Place, say, tell } from "./packages-here.ts";

const MAX_BYTES: number = 16 * 1024 * 1024;

interface Found {
  readonly source: PackageSource;
  readonly name?: string;
}

/** `indus add --from claude`. What is there already is left as it is; one that cannot be had does not keep the others out. */
export async function addFromClaude(line: PackagesLine, place: Place): Promise<number> {
  const personHome = homeFolder(line.env);
  const had = new Set([...readLock(place.lock).values()].map(({ source }) => source));
  const found = await installedFor(personHome);
  const missing = found.filter(({ source }) => !had.has(source.text));
  if (found.length === 0) throw new Problem(`nothing is installed below ${join(personHome, ".claude")}`);
  if (missing.length === 0) return say("Everything that is installed there has already been added.");
  const prepared: Prepared[] = [];
  try {
    for (const { source, name } of missing) {
      const staging = place.store.stage();
      try {
        const one = await prepare(source, { options: {}, name }, { staging, line, place });
        requireOwnName(one, prepared);
        prepared.push(one);
      } catch (error) {
        place.store.forget(staging);
        if (!isExpected(error)) throw error;
        tellOf(`${source.text} is left out`, error);
      }
    }
    return await keepTogether(prepared, line, place);
  } finally {
    for (const { staging } of prepared) place.store.forget(staging);
  }
}

/** The one that is kept later would replace the other. */
function requireOwnName({ locked: { name } }: Prepared, earlier: readonly Prepared[]): void {
  const other = earlier.find(({ locked }) => locked.name === name);
  if (other === undefined) return;
  throw new Problem(`${other.locked.source} is also called ${name}: add it with indus add and --name NAME`);
}

async function keepTogether(
  prepared: readonly Prepared[],
  line: PackagesLine,
  place: Place,
): Promise<number> {
  if (prepared.length === 0) return EXIT_FAULT;
  for (const each of prepared) tell(await reportOf(each, line, place));
  const question = `Add these ${prepared.length} packages, and grant each package what it requests?`;
  if (line.flags.yes !== true && !(await askYes(question))) return say("Nothing was kept.", EXIT_FAULT);
  const code = await addEach(
    prepared,
    ({ locked }) => locked.name,
    (each) => keepWhole(each, line, place),
  );
  return code === EXIT_OK ? say(`${prepared.length} packages are there.`) : code;
}

/** Its plugins, the hooks of its settings, and its MCP servers. Its skills, commands and agents are read where they are. */
async function installedFor(personHome: string): Promise<readonly Found[]> {
  const settings = join(personHome, ".claude/settings.json");
  const { hooks } = await tableAt(settings);
  const state = join(personHome, ".claude.json");
  const servers = existsSync(state) ? Object.keys(await serversInFile(state)) : [];
  return [
    ...(await pluginsIn(personHome)),
    ...(isTable(hooks) ? [{ source: { kind: "hooks", path: settings, text: settings } } as const] : []),
    ...servers.map((server): Found => {
      const text = configText(state, server);
      return { source: { kind: "config", path: state, server, text } };
    }),
  ];
}

/** `NAME@MARKETPLACE` with its folder, or with a list of installations. One that is turned off in the settings is none. */
async function pluginsIn(personHome: string): Promise<readonly Found[]> {
  const { plugins } = await tableAt(join(personHome, ".claude/plugins/installed_plugins.json"));
  const { enabledPlugins } = await tableAt(join(personHome, ".claude/settings.json"));
  const isOff = (key: string): boolean => isTable(enabledPlugins) && enabledPlugins[key] === false;
  return Object.entries(isTable(plugins) ? plugins : {}).flatMap(([key, row]): readonly Found[] => {
    const [first] = Array.isArray(row) ? row : [row];
    const path = isTable(first) ? first.installPath : undefined;
    if (typeof path !== "string" || isOff(key)) return [];
    return [{ source: { kind: "folder", path, text: path }, name: key.split("@", 1)[0] ?? key }];
  });
}

/** Empty where there is none. Throws a {@link Problem} for one that cannot be read. */
async function tableAt(path: string): Promise<Readonly<Record<string, unknown>>> {
  if (!existsSync(path)) return {};
  try {
    const { value, problem } = await readJsonTolerantly(path, MAX_BYTES);
    if (problem !== undefined) throw problem;
    return isTable(value) ? value : {};
  } catch (error) {
    throw new Problem(`${path} cannot be read: ${describeError(error)}`);
  }
}
