// The MCP servers of one run: those that `--mcp-config` names, and those of the folder's files that the person said yes to.

import type { Invocation } from "../cli/invocation.ts";
import { noticeLine } from "../cli/notice-line.ts";
import type { FolderFacts } from "../parts/packages/folder-servers.ts";
import { namesPackages } from "../parts/packages/server-files.ts";

/** The line with `--addon` for each. `tell` hears what is not used, and why; default: standard error. */
export async function withServers(
  line: Invocation,
  facts: FolderFacts,
  tell = (text: string): void => void process.stderr.write(noticeLine(text)),
): Promise<Invocation> {
  const isNamed = line.flags["mcp-config"] !== undefined;
  if (!isNamed && !namesPackages(facts.cwd)) return line;
  const { folderServers } = await import("../parts/packages/folder-servers.ts");
  const { lists, notices } = await folderServers(line, facts);
  for (const notice of notices) tell(notice);
  if (!isNamed && lists.length === 0) return line;
  return (await import("../parts/packages/servers-for-run.ts")).withRunServers(line, lists, tell);
}
