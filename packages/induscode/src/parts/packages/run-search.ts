// `indus addons search WORD`: looks for addons in the index that the person goes by. It adds nothing.

import { resolve } from "node:path";
import { describeError } from "indusagi/core";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK, Problem } from "../../cli/problem.ts";
import { printableLine } from "../../console/printable-line.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { settingOf } from "../../settings/setting-row.ts";
import { indusHome } from "../../store/home.ts";
import { readJson } from "../../store/json.ts";
import { type IndexedAddon, readIndex, searchIndex } from "./addons-index.ts";
import { ADDONS_INDEX } from "./index-setting.ts";
import { say } from "./packages-here.ts";

const MAX_BYTES: number = 16 * 1024 * 1024;
const MAX_SHOWN = 50;

export async function runSearch(line: Invocation<{ readonly index?: string | undefined }>): Promise<number> {
  const { words, flags, env, parts, startedIn } = line;
  const home = indusHome(env);
  const { settings } = await loadSettings(home, workingDirectory(line), parts);
  const named = flags.index ?? settingOf(settings, ADDONS_INDEX);
  if (named === undefined)
    throw new Problem(
      `no index of addons is set: /settings ${ADDONS_INDEX.name} ADDRESS sets an index, --index ADDRESS names an index for this search`,
    );
  const place = flags.index === undefined ? resolve(home, named) : resolve(startedIn, named);
  const content = /^https?:\/\//.test(named)
    ? await (await (await import("./npm-client.ts")).createNpmClient(env, home)).json(named)
    : fileAt(place);
  const { addons, left } = readIndex(content, named);
  const found = searchIndex(addons, words.slice(2).join(" "));
  if (flags.json) return say(JSON.stringify({ addons: found, left }, undefined, 2));
  if (left > 0)
    process.stderr.write(
      `indus: skipped ${left} rows of ${named}: they have no name, or a source that is not a single word\n`,
    );
  if (found.length === 0) return say(`Nothing in ${named} matches.`, EXIT_FAULT);
  const more =
    found.length > MAX_SHOWN ? [`and ${found.length - MAX_SHOWN} more: add a word to narrow the search`] : [];
  say([...found.slice(0, MAX_SHOWN).map(inWords), ...more].join("\n"));
  return EXIT_OK;
}

function fileAt(path: string): unknown {
  try {
    return readJson(path, MAX_BYTES);
  } catch (error) {
    throw new Problem(`${path} cannot be read: ${describeError(error)}`);
  }
}

function inWords({ name, description, source }: IndexedAddon): string {
  const about = printableLine(`${name}${description === "" ? "" : `: ${description}`}`);
  return `${about}\n  indus add ${source}`;
}
