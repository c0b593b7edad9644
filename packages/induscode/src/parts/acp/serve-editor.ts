// The connection to an editor, by the protocol's library.

import { Writable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk/unstable";
import { deferred } from "indusagi/core";
import { jsonLine } from "../../channels/json.ts";
import { rpcRefusal } from "../../channels/rpc-lines.ts";
import { inWords } from "../../channels/validator-words.ts";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { createAgent } from "./agent.ts";
import { createSessions } from "./editor-sessions.ts";
import type { Hello } from "./hello.ts";

export interface EditorLines {
  readonly first: Uint8Array;
  /** What the editor was told already, as the answer to the first line. */
  readonly answered: Hello | undefined;
  /** Those that follow. */
  readonly lines: AsyncIterable<Uint8Array>;
  readonly maxBytes: number;
}

export interface EditorEnds extends EditorLines {
  readonly output: Writable;
  /** Nothing more is to be done. */
  readonly stopped: Promise<unknown>;
}

/** Until the editor closes its end. Resolves to whether one spoke. */
export async function serveEditor(line: Invocation<Flags>, ends: EditorEnds): Promise<boolean> {
  const sessions = createSessions(line);
  let isAsked = false;
  const agent = createAgent(sessions, line, () => (isAsked = true));
  const connection = agent.connect(editorStream(ends));
  void ends.stopped.then(() => connection.close());
  await connection.closed;
  for (const problem of await sessions.closeAll()) process.stderr.write(noticeLine(problem));
  return isAsked;
}

const LINE_FEED = 10;

/**
 * All messages of the editor. What it was told before the library was there is not told again; the library answers the first line all the
 * same, as it serves only who began with it, and what follows is read once it has.
 */
export function editorStream({
  first,
  answered,
  lines,
  output,
  maxBytes,
}: EditorLines & Pick<EditorEnds, "output">): Stream {
  const begun = deferred<void>();
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield* messages(first);
    if (answered) await begun.promise;
    for await (const line of lines) yield* messages(line);
  }
  /** What is none is answered here. */
  function messages(line: Uint8Array): readonly Uint8Array[] {
    const text = Buffer.from(line);
    const end = text.at(-1) === LINE_FEED ? -1 : undefined;
    if (text.toString("latin1").trim() === "") return [];
    const refusal = rpcRefusal(text.subarray(0, end));
    if (refusal === undefined) return [line];
    output.write(jsonLine(refusal));
    return [];
  }
  const input = ReadableStream.from(bytes()) as Parameters<typeof ndJsonStream>[1];
  const { readable } = ndJsonStream(Writable.toWeb(output), input, { maxMessageBytes: maxBytes + 1 });
  let mustTell = answered === undefined;
  return {
    readable,
    // Not the library's: it takes the output anew for each message, and Node makes an error each time that it is given back.
    writable: new WritableStream({
      write(message) {
        if (mustTell || !("id" in message) || message.id !== answered?.id)
          return new Promise<void>((resolve, reject) => {
            output.write(`${JSON.stringify(inWords(message))}\n`, (error) =>
              error ? reject(error) : resolve(),
            );
          });
        mustTell = true;
        begun.resolve();
        return undefined;
      },
    }),
  };
}
