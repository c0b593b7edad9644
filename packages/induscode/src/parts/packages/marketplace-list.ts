// The marketplaces that a person named: only where each is. Its list is read when it is needed, so nothing of it is ever out of date.

import { errorCode, isTable, nearest } from "indusagi/core";
import { Problem } from "../../cli/problem.ts";
import { HOME_FILES, homePath } from "../../store/home-files.ts";
import { readJson } from "../../store/json.ts";
import { updateFile } from "../../store/replace-file.ts";

const { maxBytes, version } = HOME_FILES.marketplaces;

/** Name to source. Throws a {@link Problem} if the file is damaged. */
export function readMarketplaces(home: string): ReadonlyMap<string, string> {
  const path = homePath(home, "marketplaces");
  let content: unknown;
  try {
    content = readJson(path, maxBytes);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return new Map();
    throw new Problem(`${path} cannot be read: ${(error as Error).message}`);
  }
  const named = isTable(content) && content.version === version ? content.marketplaces : undefined;
  const rows = isTable(named) ? Object.entries(named) : [];
  if (!isTable(named) || rows.some(([, source]) => typeof source !== "string"))
    throw new Problem(
      `${path} is damaged: expected "version": ${version} and a table "marketplaces" of strings. Correct it, or remove it`,
    );
  return new Map(rows as [string, string][]);
}

export async function changeMarketplaces(
  home: string,
  edit: (named: Map<string, string>) => void,
): Promise<void> {
  await updateFile(homePath(home, "marketplaces"), () => {
    const named = new Map(readMarketplaces(home));
    edit(named);
    const marketplaces = Object.fromEntries([...named].sort(([one], [other]) => (one < other ? -1 : 1)));
    return `${JSON.stringify({ version, marketplaces }, undefined, 2)}\n`;
  });
}

/** The source of a marketplace. Throws a {@link Problem} for one that nobody named. */
export function marketplaceCalled(name: string, home: string): string {
  const named = readMarketplaces(home);
  const source = named.get(name);
  if (source !== undefined) return source;
  const meant = nearest(name, [...named.keys()]);
  throw new Problem(
    `there is no marketplace called "${name}"${meant === undefined ? "" : `; did you mean "${meant}"?`}: indus marketplace add SOURCE adds a marketplace`,
  );
}
