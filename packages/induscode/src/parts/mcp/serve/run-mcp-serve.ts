// `indus mcp serve`: this folder's tools, and a session as one tool, for another agent on stdin and stdout, until it closes its end.

import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { beginningOf, deferred } from "indusagi/core";
import { eachLine, LongLine } from "../../../channels/bounded-lines.ts";
import { jsonLine } from "../../../channels/json.ts";
import { type RpcRefusal, rpcRefusal } from "../../../channels/rpc-lines.ts";
import { inWords, mistakesInWords } from "../../../channels/validator-words.ts";
import type { Flags } from "../../../cli/flags.ts";
import type { Invocation } from "../../../cli/invocation.ts";
import { noticeLine } from "../../../cli/notice-line.ts";
import { EXIT_OK } from "../../../cli/problem.ts";
import { stopOnSignals } from "../../../cli/signals.ts";
import { ServedTools } from "./served-tools.ts";
import { ToolServer } from "./tool-server.ts";

/** The longest message that is read: a file to write. A longer one is refused, and the connection stays. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Of what is said of a message that is none, or too long, in characters. */
const MAX_TOLD = 500;

const FOR_AGENTS =
  "waiting for an agent that speaks MCP on stdin (Ctrl+D ends this); docs/guide/mcp.md shows its settings";

const NOBODY =
  "received nothing from an agent: an agent is meant to start indus mcp serve; docs/guide/mcp.md shows its settings";

export async function runMcpServe(line: Invocation<Flags>): Promise<number> {
  const { stdin, stdout } = process;
  if (stdin.isTTY) process.stderr.write(noticeLine(FOR_AGENTS));
  const tools = new ServedTools(line);
  const server = new ToolServer(tools);
  const tell = (problem: string): void =>
    void process.stderr.write(noticeLine(`MCP: ${beginningOf(problem, MAX_TOLD)}`));
  const refuse = (refusal: RpcRefusal): void => {
    tell(refusal.error.message);
    // An answer without an id would be none to a client.
    if (refusal.id !== null) stdout.write(jsonLine(refusal));
  };
  const input = Readable.from(readLines(stdin, { tell, refuse }));
  const stopped = deferred<void>();
  const signals = stopOnSignals(stopped.resolve);
  stdout.once("error", () => stopped.resolve()); // the client is gone: its end of stdin may not be read any more
  let isSpoken = false;
  const begin = () => {
    isSpoken = true;
    return server.create();
  };
  const handle = serveStdio(begin, {
    transport: new ReadableTransport(input, stdout, { maxBufferSize: MAX_MESSAGE_BYTES * 2 }),
    onerror: ({ message }) => tell(mistakesInWords(message) ?? message),
  });
  await Promise.race([finished(input).catch(() => undefined), stopped.promise]);
  await server.close();
  await handle.close();
  for (const problem of await tools.close()) process.stderr.write(noticeLine(problem));
  if (!isSpoken) process.stderr.write(noticeLine(NOBODY));
  signals.release();
  return signals.exitCode(EXIT_OK);
}

/** The library's errors are for programs. */
class ReadableTransport extends StdioServerTransport {
  override send(message: Parameters<StdioServerTransport["send"]>[0]): Promise<void> {
    return super.send(inWords(message));
  }
}

interface Unread {
  readonly tell: (problem: string) => void;
  readonly refuse: (refusal: RpcRefusal) => void;
}

/** The messages, without lines that are too long, and those that are none. */
async function* readLines(
  stdin: AsyncIterable<Uint8Array>,
  { tell, refuse }: Unread,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const line of eachLine(stdin, MAX_MESSAGE_BYTES)) {
    if (line instanceof LongLine) tell(line.message);
    else if (line.toString("latin1").trim() !== "") {
      const refusal = rpcRefusal(line);
      if (refusal === undefined) yield Buffer.concat([line, LINE_BREAK]);
      else refuse(refusal);
    }
  }
}

const LINE_BREAK = Buffer.from("\n");
