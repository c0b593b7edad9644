// The MCP servers of one session: those that `--mcp-config` names, those that its front was handed, and those of its own folder's files
// that the person said yes to.

import { describeError } from "indusagi/core";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { indusHome } from "../../store/home.ts";
import { homePath } from "../../store/home-files.ts";
import type { FolderFacts } from "./folder-servers.ts";
import { namesPackages } from "./server-files.ts";
import type { ServerList } from "./servers-for-run.ts";
import { isUnsettled } from "./unsettled.ts";

export interface ServersHere extends FolderFacts {
  /** Those that a program handed over with the session. */
  readonly handed?: ServerList | undefined;
  /** Hears what is not used, and why. Default: standard error. */
  readonly tell?: (text: string) => void;
  /** Ends what is being fetched. */
  readonly signal?: AbortSignal | undefined;
}

/** The line with `--addon` for each. Rejects with {@link Aborted} once the signal fires. */
export async function withServers<Line extends Invocation<Flags>>(
  line: Line,
  { handed, tell = (text) => void process.stderr.write(noticeLine(text)), signal, ...facts }: ServersHere,
): Promise<Line> {
  await endUpdate(line, tell);
  const isNamed = (line.flags["mcp-config"] ?? []).length > 0 || handed !== undefined;
  if (!isNamed && !namesPackages(facts.cwd)) return line;
  const { folderServers } = await import("./folder-servers.ts");
  const { lists, notices } = await folderServers(line, facts);
  for (const notice of notices) tell(notice);
  if (!isNamed && lists.length === 0) return line;
  const { withRunServers } = await import("./servers-for-run.ts");
  const all = handed === undefined ? lists : [handed, ...lists];
  const { flags } = await withRunServers(line, all, { tell, signal });
  return { ...line, flags };
}

/** A package whose update was stopped is as it was, or as it was to be, and not in between. */
async function endUpdate({ env }: Invocation, tell: (text: string) => void): Promise<void> {
  const home = indusHome(env);
  if (!isUnsettled(home)) return;
  const [{ settle }, { createPackageStore }] = await Promise.all([
    import("./packages-here.ts"),
    import("./package-store.ts"),
  ]);
  await settle({ store: createPackageStore({ home }), lock: homePath(home, "packagesLock") }).catch(
    (error: unknown) => tell(`an interrupted update could not be completed: ${describeError(error)}`),
  );
}
