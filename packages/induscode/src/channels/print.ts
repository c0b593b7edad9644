// The print channel: one task, the answer on stdout, everything else on stderr.

import type { Writable } from "node:stream";
import { describeError, printable } from "indusagi/core";
import type { Conductor, ConductorEvent, SubmitEnd, UserContent } from "../conductor/contract.ts";
import type { SettledView } from "../view/contract.ts";
import { EMPTY_VIEW, viewAfter } from "../view/view.ts";
import { exitCodeOf } from "./exit-code.ts";
import { createSink, type Sink } from "./sink.ts";
import { type Spinner, startSpinner } from "./spinner.ts";

interface PrintOptions {
  readonly conductor: Conductor;
  readonly content: UserContent;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly isTerminal: { readonly stdout: boolean; readonly stderr: boolean };
  /** The printable line for an item, if it has one; e.g. the console's `itemLine`. */
  readonly describe: (item: SettledView) => string | undefined;
}

/**
 * Runs one task and prints the last answer. For a terminal it is made printable; a pipe gets it unchanged, because its
 * reader may need every byte. Returns the exit code: 0 complete, 4 truncated or refused by the model, 1 faulted or not written, 130 aborted. A reader that leaves
 * early (EPIPE) has what it wanted: the code stays the same and nothing is reported.
 */
export async function runPrint(options: PrintOptions): Promise<number> {
  const { conductor, content, isTerminal, describe } = options;
  const stdout = createSink(options.stdout);
  const stderr = createSink(options.stderr);
  let spinner = isTerminal.stderr ? startSpinner(stderr.write) : NO_SPINNER;
  let view = EMPTY_VIEW;

  function say(line: string | undefined): void {
    if (line !== undefined) spinner.around(() => stderr.write(`${line}\n`));
  }

  const onEvent = (event: ConductorEvent): void => {
    if (event.kind === "delta" && event.delta.kind !== "retry") return; // the answer is printed as a whole, at the end
    view = viewAfter(view, event);
    for (const item of view.settled) say(describe(item));
  };
  const unsubscribe = conductor.subscribe(onEvent, { pieces: false });
  try {
    return await printed();
  } finally {
    unsubscribe(); // not earlier: what features say while the answer is written is said, too
  }

  async function submit(): Promise<SubmitEnd> {
    try {
      return await conductor.submit({ content });
    } finally {
      spinner.stop();
      spinner = NO_SPINNER;
    }
  }

  async function printed(): Promise<number> {
    const end = await submit();
    if (end.kind === "faulted" && end.fault.message !== view.fault?.message) {
      say(describe({ kind: "fault", fault: end.fault }));
    }
    say(remarkOn(end));
    const written =
      end.kind === "complete" ? await printAnswer(stdout, end.text, isTerminal.stdout) : undefined;
    if (written instanceof Error)
      stderr.write(`indus: cannot write the answer: ${printable(describeError(written))}\n`);
    await stderr.flushed();
    return written instanceof Error ? 1 : exitCodeOf(end);
  }
}

async function printAnswer(
  stdout: Sink,
  text: string,
  isTerminal: boolean,
): Promise<"left" | Error | undefined> {
  const shown = isTerminal ? printable(text) : text;
  stdout.write(shown === "" || shown.endsWith("\n") ? shown : `${shown}\n`);
  await stdout.flushed();
  return stdout.failure();
}

function remarkOn(end: SubmitEnd): string | undefined {
  if (end.kind === "aborted") return "indus: stopped";
  if (end.kind !== "complete") return undefined;
  if (end.stop === "max_output") return "indus: the answer was truncated: the model reached its output limit";
  if (end.stop === "refusal") return "indus: the model refused to answer";
  const isBlank = end.stop === "complete" && end.text.trim() === "";
  return isBlank ? "indus: the model's last message is empty" : undefined;
}

const NO_SPINNER: Spinner = { around: (print) => print(), stop: () => undefined };
