// The part of the help that depends on the folder: the commands its addons add.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Invocation } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { Problem } from "../../cli/problem.ts";
import { homeProblem, indusHome } from "../../store/home.ts";
import { addonFolders, homePath } from "../../store/home-files.ts";

/** The commands that trusted addons add here; why they are not known is told, and the help goes on. Loads nothing without addons. */
export async function addonHelp(line: Invocation): Promise<string> {
  const noHome = homeProblem(line.env, line.flags.cwd);
  try {
    if (noHome !== undefined) throw new Problem(noHome);
    return await commandsHere(line);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(noticeLine(`${error.message.replace(/\.$/, "")}. Addon commands are not listed.`));
    return "";
  }
}

async function commandsHere(line: Invocation): Promise<string> {
  const { flags, env } = line;
  const home = indusHome(env);
  const folders = [join(flags.cwd ?? ".", ".indus", "addons"), ...addonFolders(home)];
  const mayBeSome =
    flags.addon !== undefined ||
    folders.some((folder) => existsSync(folder)) ||
    (await namesAddons(home, line));
  return mayBeSome ? (await import("./run-addons.ts")).addonCommandHelp(line) : "";
}

/** Whether the person's settings, if any, name addons in other places. */
async function namesAddons(home: string, { flags: { cwd = "." }, parts }: Invocation): Promise<boolean> {
  if (!existsSync(homePath(home, "settings"))) return false;
  const { settings } = await (await import("../../settings/load-settings.ts")).loadSettings(home, cwd, parts);
  return settings.addons?.paths !== undefined;
}
