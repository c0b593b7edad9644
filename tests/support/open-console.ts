// The real command in a pseudo-terminal with a scripted model, waiting for its first line.

import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { createWorkplace, type Workplace } from "./indus.ts";
import { type ModelServer, type Script, startModelServer } from "./model-server.ts";
import { openTerminal, type TerminalOptions, type TestedTerminal } from "./terminal.ts";

export interface OpenedConsole extends TestedTerminal {
  readonly place: Workplace;
  readonly server: ModelServer;
}

export type ConsoleOptions = Partial<TerminalOptions> & {
  readonly place?: Workplace;
  readonly idle?: RegExp;
};

/** The rich console's editor, empty, above the status line. */
export const RICH_IDLE = /\n\n›[^\n]*\n *anthropic\/scripted[^\n]*$/;
const PLAIN_IDLE = /\n› ?$/;

export function openPlainConsole(script: Script, options: ConsoleOptions = {}): Promise<OpenedConsole> {
  return open(script, options, { console: "plain", idle: options.idle ?? PLAIN_IDLE });
}

export function openRichConsole(script: Script, options: ConsoleOptions = {}): Promise<OpenedConsole> {
  return open(script, options, { console: "rich", idle: options.idle ?? RICH_IDLE });
}

/** Clears the line as a person would: closes whatever is running, asking or open, and empties the line, until `text` is in it. */
export async function clearForLine(
  { type, screen }: Pick<TestedTerminal, "type" | "screen">,
  text: string,
): Promise<void> {
  const isThere = (): boolean => new RegExp(`\\n› ?${text} ?\\n *(?:anthropic|█|░)`).test(screen());
  for (let n = 0; n < 100 && !isThere(); n++) {
    // A lone Esc is recognised by the pause after it, which a busy console may miss: then everything is repeated.
    for (const keys of ["\x1b", "q", "\x15\x0b\x03", text]) {
      type(keys);
      await pause(keys === text ? 250 : 150);
    }
    if (!isThere()) type("\x15\x0b");
  }
  expect(screen()).toContain(text);
}

/** Presses Ctrl+D on an emptied line until the console has left; returns its exit code. */
export async function leaveConsole({ type, left }: Pick<TestedTerminal, "type" | "left">): Promise<number> {
  let code: number | undefined;
  void left.then((ended) => {
    code = ended;
  });
  for (let n = 0; n < 100 && code === undefined; n++) {
    type("\x15\x0b\x04");
    await pause(300);
  }
  return left;
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
