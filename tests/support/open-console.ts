// The real command in a pseudo-terminal with a scripted model, waiting for its first line.

import { onTestFinished } from "vitest";
import { createWorkplace, type Workplace } from "./indus.ts";
import { type ModelServer, type Script, startModelServer } from "./model-server.ts";
import { openTerminal, type TerminalOptions, type TestedTerminal } from "./terminal.ts";

export interface OpenedConsole extends TestedTerminal {
  readonly place: Workplace;
  readonly server: ModelServer;
}

export type ConsoleOptions = Partial<TerminalOptions> & { readonly place?: Workplace };

/** The rich console's editor, empty, above the status line. */
export const RICH_IDLE = /\n\n›[^\n]*\n *anthropic\/scripted[^\n]*$/;
const PLAIN_IDLE = /\n› ?$/;

export function openPlainConsole(script: Script, options: ConsoleOptions = {}): Promise<OpenedConsole> {
  return open(script, options, { console: "plain", idle: PLAIN_IDLE });
}

export function openRichConsole(script: Script, options: ConsoleOptions = {}): Promise<OpenedConsole> {
  return open(script, options, { console: "rich", idle: RICH_IDLE });
}

async function open(
  script: Script,
  options: ConsoleOptions,
  { console, idle }: Pick<TerminalOptions, "console"> & { readonly idle: RegExp },
): Promise<OpenedConsole> {
  const server = await startModelServer(script);
  onTestFinished(server.close);
  const place = options.place ?? createWorkplace(server.url);
  const args = ["--model", "anthropic/scripted", ...(options.args ?? [])];
  const terminal = openTerminal({ ...options, console, place, url: server.url, args });
  await terminal.waitFor(idle);
  return { ...terminal, place, server };
}
