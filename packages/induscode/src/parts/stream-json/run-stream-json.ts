// `--output-format stream-json` and `--input-format stream-json`: a session that a program drives by lines of JSON, with the flags and the
// messages that programs for that form send and expect.

import { Readable } from "node:stream";
import { beginningOf, describeError, homeFolder, isTable } from "indusagi/core";
import { boundedLines } from "../../channels/bounded-lines.ts";
import { createSink } from "../../channels/sink.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { stopOnSignals } from "../../cli/signals.ts";
import { contentOf } from "../../front/mentioned-files.ts";
import { homeProblem } from "../../store/home.ts";
import { DrivenSession } from "./driven-session.ts";
import type { Message } from "./stream-messages.ts";
import { readWrapperLine, type WrapperLine } from "./wrapper-flags.ts";

/** The longest line that is read: a message with several pictures. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** `argv` as it was typed. Returns the exit code. */
export async function runStreamJson(
  argv: readonly string[],
  line: Omit<Invocation, "flags" | "words" | "attachments">,
): Promise<number> {
  const wanted = readWrapperLine(argv);
  const cwd = workingDirectory({ flags: wanted.flags, startedIn: line.startedIn });
  const problem = homeProblem(line.env, cwd);
  if (problem !== undefined) throw new Problem(problem);
  for (const remark of wanted.remarks) process.stderr.write(noticeLine(remark));
  let stop = (): void => undefined;
  const out = createSink(process.stdout, { onFailure: () => stop() });
  const write = (message: Message): void => {
    if (wanted.output === "stream-json" || isAnswer(message, wanted))
      out.write(`${JSON.stringify(message)}\n`);
    else if (message.type === "result" && wanted.output === "text") out.write(`${message.result}\n`);
  };
  const session = new DrivenSession({ wanted, cwd, line, write });
  const signals = stopOnSignals(() => stop());
  let isStopped = false;
  const stopped = new Promise<void>((resolve) => {
    stop = () => {
      isStopped = true;
      session.interrupt();
      resolve();
    };
  });
  try {
    const work = wanted.input === "text" ? oneTask(session, wanted, { cwd, line }) : manyTasks(session);
    await Promise.race([work, stopped]);
    if (!isStopped) await session.settled();
  } finally {
    for (const notice of await session.close()) process.stderr.write(noticeLine(notice));
    await out.flushed();
    signals.release();
  }
  return signals.exitCode(session.hasFailed() ? EXIT_FAULT : EXIT_OK);
}

/** What is written where only the end is wanted. */
function isAnswer({ type }: Message, { output, asksProgram }: WrapperLine): boolean {
  return type.startsWith("control_") ? asksProgram : type === "result" && output === "json";
}

async function oneTask(
  session: DrivenSession,
  { words }: WrapperLine,
  { cwd, line }: { readonly cwd: string; readonly line: Pick<Invocation, "env"> },
): Promise<void> {
  const text = words.length > 0 ? words.join(" ") : await everything();
  if (text.trim() === "")
    throw new Problem(
      'no task given: write indus -p "task" --output-format stream-json, or pipe one in',
      EXIT_USAGE,
    );
  const { content, problems } = await contentOf(
    { text, images: [] },
    { cwd, personHome: homeFolder(line.env) },
  );
  for (const each of problems) process.stderr.write(noticeLine(each));
  session.submit(content);
}

async function everything(): Promise<string> {
  if (process.stdin.isTTY) return "";
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

/** Until the program closes its end. */
async function manyTasks(session: DrivenSession): Promise<void> {
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const decoder = new TextDecoder();
  let rest = "";
  const take = (text: string): void => {
    if (text.trim() !== "") session.take(messageIn(text));
  };
  for await (const chunk of input.pipeThrough(boundedLines(MAX_LINE_BYTES))) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) take(text);
  }
  take(rest);
}

/** A message, or why the line is none. */
function messageIn(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const message: unknown = JSON.parse(text);
    if (isTable(message)) return message;
    return typeof message === "string" ? message : `a line is no message: ${beginningOf(text, 80)}`;
  } catch (error) {
    return `a line is not JSON (${describeError(error)}): ${beginningOf(text, 80)}`;
  }
}
