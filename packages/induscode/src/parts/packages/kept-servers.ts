// The addons that MCP servers of one run become, kept in the home's cache: what npm fetches is fetched once for the same words, and files of a
// server are copied again, to another place, when they changed. A secret that is written out where a server is listed is kept nowhere: each run
// reads it there, and holds it for that server.

import { existsSync, lstatSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { abortable } from "indusagi/core";
import { withoutSecretValues } from "../../addons/author/cleaned-server.ts";
import type { Table } from "../../addons/author/imported-shapes.ts";
import { digestOf } from "../../addons/source/entry-marks.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { Problem } from "../../cli/problem.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import { makeFolder } from "../../store/make-folder.ts";
import { noteUse, removeUnused } from "../../store/unused-entries.ts";
import { withEnvFile } from "./env-file.ts";
import { configuredAs } from "./fetch-server.ts";
import { marketplaceCalled } from "./marketplace-list.ts";
import { createPackageStore } from "./package-store.ts";
import { createSecretShelf } from "./secret-shelf.ts";
import { readServerCommand } from "./server-command.ts";
import { copiedFiles, requireWithin, withoutPrivateFiles } from "./staged-package.ts";

/** One server, as a file of an agent has it. */
export interface OneServer {
  readonly name: string;
  readonly table: Table;
  /** What relative paths are relative to. */
  readonly base: string;
  readonly said: string;
  /** The file that lists it; any other text if none does. */
  readonly listedIn: string;
  /** A repository names it: of this machine it can name only what is in `base`. */
  readonly isOfRepository?: boolean | undefined;
}

/** How it is brought. */
export interface Keeping {
  /** Hears what of it is not kept, and what it needs. */
  readonly tell: (text: string) => void;
  /** Ends what is being fetched. */
  readonly signal?: AbortSignal | undefined;
}

/** Of a server's own files; a whole repository would be copied at each change. */
const MAX_FILES = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** The folder of its addon, whose own secrets the line holds from then on. Rejects with a {@link Problem} if it cannot be brought, with {@link Aborted} once the signal fires. */
export async function keepServer(
  server: OneServer,
  { env, secrets }: Pick<Invocation, "env" | "secrets">,
  { tell, signal }: Keeping,
): Promise<string> {
  const { name, base, said, listedIn, isOfRepository = false } = server;
  const home = indusHome(env);
  const { table: whole, notes: read } = withEnvFile(server.table, base);
  const { table, values } = withOwnSecrets({ ...server, table: whole }, { env, home });
  for (const [id, value] of values) secrets.hold(id, value);
  const marks = marksOf(table, base, isOfRepository);
  // What it has once is never changed: another session may be running it.
  const entry = homePath(home, "runServer", digestOf(JSON.stringify([name, table, base, marks])));
  const kept = join(entry, name);
  if (existsSync(kept)) {
    noteUse(entry);
    return kept;
  }
  const store = createPackageStore({ home });
  const staged = [store.stage(), store.stage()] as const;
  const [staging, made] = staged;
  try {
    const npm = async () => (await import("./npm-client.ts")).createNpmClient(env, home, signal);
    const marketplace = (called: string): string => marketplaceCalled(called, home);
    const within = isOfRepository ? base : undefined;
    const own = { personEnv: env, ownSecrets: new Set(values.keys()) };
    const options = { staging, name, base, npm, marketplace, within, ...own };
    const brought = configuredAs(table, { said, options }).then((fetched) =>
      withoutPrivateFiles(fetched, listedIn),
    );
    // npm's library tries once more, some seconds later, what the signal has ended.
    const { folder, notes } = await (signal === undefined ? brought : abortable(brought, signal));
    for (const note of [...read, ...notes]) tell(`${said}: ${note}`);
    renameSync(folder, join(made, name));
    makeFolder(dirname(entry));
    try {
      renameSync(made, entry);
    } catch (error) {
      if (!existsSync(kept)) throw error; // otherwise another session brought it meanwhile
    }
    removeUnused(dirname(entry), basename(entry));
    return kept;
  } finally {
    for (const each of staged) store.forget(each);
  }
}

interface WithOwnSecrets {
  readonly table: Table;
  readonly values: ReadonlyMap<string, string>;
}

/**
 * The table with the names of its secrets in place of their values. No variable of the person's is called like one of them, and no other addon
 * asks for it: whoever wrote the value gets this value, and nobody else's, and nobody else gets it.
 */
function withOwnSecrets(
  { name, table, base, listedIn }: OneServer,
  { env, home }: { readonly env: NodeJS.ProcessEnv; readonly home: string },
): WithOwnSecrets {
  const { keep, values } = createSecretShelf({ home, env, owner: undefined });
  const mark = digestOf(JSON.stringify([listedIn, base, name]))
    .slice(0, MARK_LENGTH)
    .toUpperCase();
  const own = (wanted: string, value: string): string => keep(`${wanted}_${mark}`, value);
  return { table: withoutSecretValues(name, table, () => undefined, own), values };
}

/** Of what tells the secrets of one list of servers from those of others, in hexadecimal digits. */
const MARK_LENGTH = 8;

/** What its own files were like; empty if it has none here. */
function marksOf({ command, args = [] }: Table, base: string, isOfRepository: boolean): string {
  const words = [command, args].flat().filter((word) => typeof word === "string");
  const found = words.length === 0 ? undefined : readServerCommand(words, base);
  if (found?.kind !== "script") return "";
  requireWithin(found.folder, isOfRepository ? base : undefined);
  const marks: string[] = [];
  let bytes = 0;
  for (const path of copiedFiles(found.folder)) {
    const { size, mtimeMs } = lstatSync(path);
    bytes += size;
    marks.push(`${path} ${size} ${mtimeMs}`);
    if (marks.length > MAX_FILES || bytes > MAX_BYTES)
      throw new Problem(
        `${found.folder} has more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB, too much to copy for one run: add it with indus add`,
      );
  }
  return digestOf(marks.join("\n"));
}
