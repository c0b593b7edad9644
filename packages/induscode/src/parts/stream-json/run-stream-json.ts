// `--output-format stream-json` and `--input-format stream-json`: a session that a program drives by lines of JSON, with the flags and the
// messages that programs for that form send and expect.

import { beginningOf, deferred, describeError, homeFolder, isTable } from "indusagi/core";
import { eachLine, LongLine } from "../../channels/bounded-lines.ts";
import { jsonLine } from "../../channels/json.ts";
import { createSink } from "../../channels/sink.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { stopOnSignals } from "../../cli/signals.ts";
import { pipedTask } from "../../front/piped-task.ts";
import { homeProblem } from "../../store/home.ts";
import { DrivenSession, GOES_ON } from "./driven-session.ts";
import type { Message } from "./stream-messages.ts";
import { readWrapperLine, type WrapperLine } from "./wrapper-flags.ts";

/** The longest line that is read: a message with several pictures. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NOBODY_READS = "nobody reads the answers";
const CLOSED = "standard input is closed; the task continues to its end";

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
  const unsent = wanted.input === "text" ? "" : wanted.words.join(" ").trim();
  if (unsent !== "")
    process.stderr.write(
      noticeLine(
        `${JSON.stringify(beginningOf(unsent, 80))} is not sent: with --input-format stream-json, tasks are read from standard input`,
      ),
    );
  const stopped = deferred<string>();
  const out = createSink(process.stdout, { onFailure: () => stopped.resolve(NOBODY_READS) });
  const write = (message: Message): void => {
    if (wanted.output === "stream-json" || isAnswer(message, wanted)) out.write(jsonLine(message));
    else if (message.type === "result") out.write(`${message.result}\n`);
    else if (message.type === "system") tellPerson(message, () => stopped.resolve(NOBODY_READS));
  };
  const session = new DrivenSession({ wanted, cwd, line, write });
  const signals = stopOnSignals(() => stopped.resolve("a signal ended the session"));
  try {
    const work = wanted.input === "text" ? oneTask(session, wanted, { cwd, line }) : manyTasks(session);
    const why = await Promise.race([work.then(() => session.settled()), stopped.promise]);
    if (why !== undefined) session.stop(why);
  } finally {
    for (const notice of await session.close()) process.stderr.write(noticeLine(notice));
    await out.flushed();
    signals.release();
    const failure = out.failure();
    if (failure instanceof Error)
      process.stderr.write(noticeLine(`cannot write the output: ${describeError(failure)}`));
  }
  return signals.exitCode(session.hasFailed() ? EXIT_FAULT : EXIT_OK);
}

/** Where only the end is wanted, nothing else shows before it whether somebody still reads: a program that is gone read stderr as well. */
function tellPerson({ subtype, message }: Message, onGone: () => void): void {
  const line = subtype === GOES_ON.subtype ? CLOSED : subtype === "notice" ? String(message) : undefined;
  if (line === undefined) return;
  process.stderr.write(noticeLine(line), (error) => {
    if (error && line === CLOSED) onGone();
  });
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
  const places = { cwd, personHome: homeFolder(line.env) };
  const { text, mentioned } = await pipedTask({ words, hasAttachments: false, ...places });
  if (text === "")
    throw new Problem(
      'no task given: write indus -p "task" --output-format stream-json, or pipe one in',
      EXIT_USAGE,
    );
  session.submit([{ kind: "text", text }, ...mentioned]);
}

/** Until the program closes its end. */
async function manyTasks(session: DrivenSession): Promise<void> {
  for await (const line of eachLine(process.stdin, MAX_LINE_BYTES)) {
    if (line instanceof LongLine) session.take(line.message);
    else if (line.toString("latin1").trim() !== "") session.take(messageIn(line.toString("utf8")));
  }
}

/** A message, or why the line is none. */
function messageIn(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const message: unknown = JSON.parse(text);
    return isTable(message)
      ? message
      : `a line is not a message: expected an object, found ${beginningOf(text, 80)}`;
  } catch (error) {
    return `a line is not JSON (${describeError(error)}): ${beginningOf(text, 80)}`;
  }
}
