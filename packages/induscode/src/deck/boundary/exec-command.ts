// The command lines of people and of features: they pass the same checks as the model's calls of `bash`.

import { describeUnstarted, watchOutput } from "indusagi/capabilities";
import type { ToolCall } from "indusagi/runtime";
import type { ExecOutcome } from "../../feature/services.ts";
import type { BoundaryOutcome, Deck } from "../contract.ts";
import type { BoundaryDeps } from "./boundary-deps.ts";
import { errorResult } from "./ended.ts";
import type { Sender } from "./passage.ts";

type RunCall = (call: ToolCall, sender: Sender) => Promise<BoundaryOutcome>;

export function createExec(deps: BoundaryDeps, runCall: RunCall): Deck["exec"] {
  let commands = 0;
  return async (command, signal, by, progress) => {
    const bash = deps.commandTool ? deps.commandTool() : deps.find("bash");
    if (!bash) throw new Error("this session cannot run commands");
    const call: ToolCall = { id: `command-${++commands}`, name: "bash", input: { command } };
    let outcome: ExecOutcome | undefined;
    const run: Sender["run"] = async (args, { shell, cwd, fs }) => {
      const line = (args as { command: string }).command; // just checked against the tool's schema
      progress?.(""); // it has started
      const watched = watchOutput(progress);
      try {
        outcome = await shell.exec(line, {
          cwd,
          signal,
          isShown: by === undefined, // a feature reads the bytes
          onOutput: watched?.write,
        });
      } catch (error) {
        return errorResult(await describeUnstarted(error, fs, cwd));
      } finally {
        watched?.end();
      }
      return { content: [{ kind: "text", text: outcome.stdout }], isError: outcome.code !== 0 };
    };
    // Not in the model's order: a call waiting there may be waiting for a feature that runs this command.
    const { text, state } = await runCall(call, {
      contribution: bash,
      run,
      signal,
      by,
      isPersons: by === undefined,
      sandbox: by === undefined ? undefined : deps.sandbox,
    });
    if (!outcome) throw new Error(text, { cause: state });
    return outcome;
  };
}
