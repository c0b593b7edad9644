// `indus marketplace`: the lists of plugins that a person goes by.

import { EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { printableLine } from "../../console/printable-line.ts";
import { listSource, openMarketplace } from "./fetch-plugin.ts";
import type { Marketplace } from "./marketplace-file.ts";
import { changeMarketplaces, marketplaceCalled, readMarketplaces } from "./marketplace-list.ts";
import { parseSource } from "./package-source.ts";
import { type PackagesLine, placeOf, say } from "./packages-here.ts";
import { stagedIn } from "./staged-names.ts";

export async function runMarketplaces(line: PackagesLine): Promise<number> {
  const [, verb = "list", subject = ""] = line.words;
  const { home } = placeOf(line);
  switch (verb) {
    case "add":
      return addMarketplace(subject, line);
    case "remove":
      marketplaceCalled(subject, home); // says so if there is none
      await changeMarketplaces(home, (named) => named.delete(subject));
      return say(`Removed the marketplace ${subject}. Packages that you added from it are kept.`);
    default:
      return subject === "" ? list(home) : listPlugins(subject, line);
  }
}

/** Its name is what its list says. A bare word is one that the person has named: nothing in their folder is meant by it. */
export async function addMarketplace(given: string, line: PackagesLine): Promise<number> {
  const { home } = placeOf(line);
  const had = readMarketplaces(home);
  const source = had.get(given) ?? listSource(given, line.startedIn, had.keys()).text;
  const { name, plugins } = await opened(source, line);
  const meant = parseSource(`x@${name}`, line.startedIn);
  if (!/^[\w.-]{1,64}$/.test(name) || "problem" in meant || meant.kind !== "plugin")
    throw new Problem(`${given}: ${JSON.stringify(name)} cannot be the name of a marketplace`);
  const known = readMarketplaces(home).get(name);
  if (known !== undefined && known !== source)
    throw new Problem(
      `the marketplace ${name} is ${known}, and not ${given}: indus marketplace remove ${name} first`,
      EXIT_USAGE,
    );
  await changeMarketplaces(home, (named) => named.set(name, source));
  return say(
    `${name} has ${plugins.length} plugins, none of them added. indus marketplace list ${name} shows them, indus add PLUGIN@${name} adds one.`,
  );
}

function list(home: string): number {
  const named = [...readMarketplaces(home)];
  if (named.length === 0) return say("No marketplaces. To add one: indus marketplace add SOURCE");
  const widest = Math.max(...named.map(([name]) => name.length));
  return say(named.map(([name, source]) => `${name.padEnd(widest)}  ${source}`).join("\n"));
}

async function listPlugins(name: string, line: PackagesLine): Promise<number> {
  const { home } = placeOf(line);
  const { plugins } = await opened(marketplaceCalled(name, home), line);
  const lines = plugins.map(({ name: plugin, version, description = "", from }) => {
    const title = [`${plugin}@${name}`, version].filter((part) => part !== undefined).join(" ");
    const problem = "problem" in from ? ` (cannot be fetched: ${from.problem})` : "";
    return printableLine(`${title}${description === "" ? "" : `: ${description}`}${problem}`);
  });
  say(lines.length === 0 ? `${name} has no plugins.` : lines.join("\n"));
  return EXIT_OK;
}

async function opened(source: string, line: PackagesLine): Promise<Marketplace> {
  const { store, home } = placeOf(line);
  const staging = store.stage();
  try {
    const npm = async () => (await import("./npm-client.ts")).createNpmClient(line.env, home);
    return await stagedIn(staging, () => openMarketplace(source, { staging, base: line.startedIn, npm }));
  } finally {
    store.forget(staging);
  }
}
