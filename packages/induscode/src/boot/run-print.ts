// One task without a conversation: `indus -p`, and `indus -p --json` for programs.

import { jsonLine, runJson, toObject } from "../channels/json.ts";
import { runPrint } from "../channels/print.ts";
import { usesColour } from "../cli/colour.ts";
import { type Invocation, workingDirectory } from "../cli/invocation.ts";
import { noticeLine } from "../cli/notice-line.ts";
import { EXIT_USAGE, Problem } from "../cli/problem.ts";
import type { PromptAnswer } from "../cli/prompt-answers.ts";
import { stopOnSignals } from "../cli/signals.ts";
import type { Conductor } from "../conductor/contract.ts";
import { createStyle } from "../console/style.ts";
import { failureLines, itemLine } from "../console/transcript-lines.ts";
import { createRefusals } from "../front/refusals.ts";
import { withServers } from "../parts/packages/servers-here.ts";
import { openIndus } from "../session/open-indus.ts";
import { readOutputSchema, withOutputSchema } from "../session/output-schema.ts";
import { indusHome } from "../store/home.ts";
import type { SettledView } from "../view/contract.ts";
import { isCommandLine, readTask, withNamedResources } from "./task.ts";

const NO_ANSWER =
  "--output-schema had no effect: the command asked the model nothing, so its output is not the model's answer";

export async function runPrintMode(typed: Invocation): Promise<number> {
  const cwd = workingDirectory(typed);
  const line = await withServers(typed, { cwd });
  const { flags, env, startedIn, secrets, parts } = line;
  const schemaFile = flags["output-schema"];
  const output = schemaFile === undefined ? undefined : await readOutputSchema(schemaFile, cwd);
  if (output && flags["permission-mode"] === "plan")
    throw new Problem(
      "--output-schema is for an answer, but --permission-mode plan ends with a plan: omit one of them",
      EXIT_USAGE,
    );
  let content = await readTask(line, cwd);
  let stop = (): void => undefined;
  // Who asks for a plan expects that nothing else is done.
  const byDefault = flags["permission-mode"] === "plan" ? "none" : "deny";
  const refusals = createRefusals((flags["permission-prompt"] ?? byDefault) as PromptAnswer, () => stop());
  const session = await openIndus({
    onDecision: (decision) => refusals.onDecision(secrets.value(decision)),
    flags,
    cwd,
    startedIn,
    home: indusHome(env),
    env,
    secrets,
    parts,
    mayLackModel: isCommandLine(content),
    onPlan: (text) => {
      plan = text;
    },
  });
  const { commands, handles, notices, startNews } = session;
  let plan: string | undefined;
  const values: unknown[] = [];
  const conductor = output
    ? withOutputSchema(session.conductor, output, (value) => void values.push(value))
    : withPlan(session.conductor, () => plan);
  const isJson = flags.json === true;
  for (const notice of notices) process.stderr.write(noticeLine(notice));
  const signals = stopOnSignals(() => conductor.abort());
  stop = () => conductor.abort();
  const { stdout, stderr } = process;
  try {
    const look = {
      style: createStyle(usesColour(stderr, env)),
      columns: stderr.columns ?? 100,
      isPiped: !stderr.isTTY,
    };
    const describe = (item: SettledView): string | undefined => {
      const line = itemLine(item, look);
      return line === undefined ? undefined : [line, ...failureLines(item, look)].join("\n");
    };
    const printCommand = isCommandLine(content) ? await import("./print-command.ts") : undefined;
    const command = printCommand?.commandTask(
      content,
      commands,
      await (await import("../session/part-features.ts")).commandNamesOf(parts),
    );
    if (printCommand && command) {
      const said: string[] = [];
      if (isJson) for (const news of startNews) stdout.write(jsonLine(toObject(news)));
      const unsubscribe = conductor.subscribe((event) => {
        if (event.kind !== "fault" && event.kind !== "alert" && event.kind !== "diagnostic") return;
        if (isJson) stdout.write(jsonLine(toObject(event)));
        const line = describe(event);
        if (line !== undefined) stderr.write(`${line}\n`);
      });
      const code = await printCommand.runPrintCommand(command, {
        cwd,
        isJson,
        handles: { ...handles, sendMessage: (text) => void said.push(text) },
        onFault: (fault) => conductor.announce({ kind: "fault", fault }),
      });
      unsubscribe();
      if (said.length === 0) {
        if (output) stderr.write(noticeLine(NO_ANSWER));
        return signals.exitCode(refusals.exitCode(code));
      }
      content = [{ kind: "text", text: said.join("\n") }]; // what the command said to the model becomes the task
    }
    if (command === undefined)
      content = await withNamedResources(content, line, { cwd, session: handles.session });
    if (isJson) {
      const told = command === undefined ? startNews : [];
      const mode = session.modes.certain(); // nothing is tried on this machine for it
      const code = await runJson({ conductor, content, told, mode, stdout, stderr });
      if (plan !== undefined) stdout.write(jsonLine({ type: "plan", text: plan }));
      for (const value of values) stdout.write(jsonLine({ type: "output", value }));
      return signals.exitCode(refusals.exitCode(code));
    }
    const isTerminal = { stdout: stdout.isTTY === true, stderr: stderr.isTTY === true };
    const code = await runPrint({ conductor, content, stdout, stderr, isTerminal, describe });
    return signals.exitCode(refusals.exitCode(code));
  } finally {
    stderr.write(refusals.text());
    const heard = session.unheard().length;
    for (const notice of await session.close()) stderr.write(noticeLine(notice));
    // A reader that has left is not an error; the stream's own listener handles it.
    const late = isJson ? session.unheard().slice(heard) : [];
    for (const news of late) stdout.write(jsonLine(toObject(news)));
    signals.release();
  }
}

/** If a task ends with a plan, the plan is its answer. */
function withPlan(conductor: Conductor, plan: () => string | undefined): Conductor {
  return {
    ...conductor,
    async submit(input) {
      const end = await conductor.submit(input);
      return end.kind === "complete" ? { ...end, text: plan() ?? end.text } : end;
    },
  };
}
