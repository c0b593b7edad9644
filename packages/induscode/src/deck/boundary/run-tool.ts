// The tool itself, once, within what was permitted.

import { type Shell, scopedFs, type ToolContext, type ToolResult, UNATTENDED } from "indusagi/capabilities";
import { monotonicMs } from "indusagi/core";
import type { Access } from "../../feature/tool.ts";
import type { CommandSandbox } from "../contract.ts";
import { commandShell } from "./command-shell.ts";
import type { Passage, Permit } from "./passage.ts";

/** Runs a call that has passed every check. */
export async function runTool(passage: Passage): Promise<ToolResult> {
  const { accesses, args, call, confined, permit, sender, session } = passage;
  if (!permit) throw new Error(`${call.name} was about to run without a decision`);
  const within = permit.stays ? sender.sandbox : confined;
  const shell = shellFor(within, permit);
  if ((permit.host ?? permit.folder) !== undefined && !shell)
    throw new Error(`no command in the sandbox can reach ${permit.host ?? permit.folder?.path}`);
  const context = contextOf(passage, permit, shell);
  const mayChange = accesses.some(({ kind }) => kind !== "read");
  const afterChange = mayChange ? await session.beforeChange?.(accesses) : undefined;
  session.onProgress?.(call.id, "");
  const startedMs = monotonicMs();
  try {
    const run = (): Promise<ToolResult> => sender.run(args, context);
    const beside = mayChange && !within ? session.sandbox : undefined;
    const result = await (beside ? beside.outside(run, writesOf(accesses)) : run());
    return session.secrets?.value(result) ?? result;
  } finally {
    passage.ranMs = monotonicMs() - startedMs;
    afterChange?.();
  }
}

function shellFor(within: CommandSandbox | undefined, { host, folder }: Permit): Shell | undefined {
  if (host !== undefined) return within?.shellTo(host);
  return folder === undefined ? within?.shell : within?.shellAt(folder);
}

/** With the shell for its commands, and files limited to what was permitted: a path that leads elsewhere by now is refused where it is used. */
function contextOf(
  { answered, context, env, sender, session }: Passage,
  { files, folder, host, isHarmless, stays }: Permit,
  confining: Shell | undefined,
): ToolContext {
  const shell = commandShell(confining ?? context.shell, {
    env: sender.isPersons ? env : { ...UNATTENDED, ...env },
    stays,
    host,
    folder,
    isBounded: isHarmless === true && !sender.isPersons,
  });
  // Those who changed the call reach no further than by themselves.
  const theirs =
    answered?.by.some(isAddon) === true ? session.authority.scopeOf(answered.by, answered.deeds) : undefined;
  const scopes = [files, theirs].filter((scope) => scope !== undefined);
  return { ...context, shell, fs: scopes.reduce((fs, scope) => scopedFs(fs, scope), context.fs) };
}

function isAddon(feature: string): boolean {
  return !feature.startsWith("builtin:");
}

/** Where a call writes; undefined for one that runs a program, which may write anywhere. */
function writesOf(touched: readonly Access[]): readonly string[] | undefined {
  if (touched.some(({ kind }) => kind === "execute")) return undefined;
  return touched.flatMap((access) => (access.kind === "write" ? access.path : []));
}
