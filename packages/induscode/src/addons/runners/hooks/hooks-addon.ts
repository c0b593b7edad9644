// The hooks of another agent as those of an addon, written with the kit: `module-runner` runs it in the sandbox, where it starts the commands.
// What it works for is in the arguments behind the runner's own. An answer that allows something is no objection, and nothing more.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "indusagi/core";
import type { RecordingSurface } from "../../kit/recording-surface.ts";
import type { HookAnswer } from "./hook-answer.ts";
import { HOOK_EVENT_ROWS, type HookMoment } from "./hook-events.ts";
import { MAX_QUESTION_MS } from "./hook-limits.ts";
import { compileCondition, compileMatcher } from "./hook-matcher.ts";
import { type HookCommand, readHooks } from "./hook-table.ts";
import { hookToolInput, hookToolName, hookToolNames, toolArguments } from "./hook-tools.ts";
import { type HooksFacts, HungHooks, type Ready, type Told } from "./hung-hooks.ts";

type Stop = { readonly stop: true; readonly reason: string };

export function register(surface: RecordingSurface): void {
  const facts = JSON.parse(process.argv.at(-1) ?? "") as HooksFacts;
  const { hooks } = JSON.parse(readFileSync(join(facts.root, facts.file), "utf8")) as {
    readonly hooks: Readonly<Record<string, unknown>>;
  };
  const ready = readHooks(hooks).commands.flatMap((command) => prepare(command, surface));
  const hung = new HungHooks(ready, facts, surface.host);
  const has = (...moments: readonly HookMoment[]): boolean =>
    ready.some(({ event }) => moments.includes(momentOf(event)));
  const ofWhom = (delegate: string | undefined): "the session" | "a delegate" =>
    delegate === undefined ? "the session" : "a delegate";

  if (has("session:start", "turn:end"))
    surface.on("session:start", {
      kind: "transform", // what it says stands before the first request
      async run({ sessionId, delegate }, { signal }) {
        if (delegate === undefined) hung.sessionId = sessionId;
        const input = delegate === undefined ? { source: "startup" } : { agent_type: delegate };
        await hung.tell("session:start", ofWhom(delegate), {
          names: [delegate ?? "startup"],
          input,
          signal,
        });
        return undefined;
      },
    });
  if (has("turn:end"))
    surface.on("turn:end", {
      kind: "gate",
      async run({ delegate, again = false }, { signal }) {
        // A hook that is told that the model went on already can let it end.
        const input = { stop_hook_active: again, agent_type: delegate };
        return stopBy(
          await hung.tell("turn:end", ofWhom(delegate), {
            names: delegate === undefined ? [] : [delegate],
            input,
            signal,
          }),
        );
      },
    });
  if (has("session:end"))
    surface.on("session:end", {
      kind: "observe",
      async run({ delegate }, { signal }) {
        await hung.tell("session:end", ofWhom(delegate), {
          names: ["other"],
          input: { reason: "other" },
          signal,
        });
      },
    });
  if (has("input:submit"))
    surface.on("input:submit", {
      kind: "gate",
      async run({ text, delegate }, { signal }) {
        return stopBy(
          await hung.tell("input:submit", ofWhom(delegate), { names: [], input: { prompt: text }, signal }),
        );
      },
    });
  if (has("compact:before"))
    surface.on("compact:before", {
      kind: "gate",
      async run({ reason, delegate }, { signal }) {
        const trigger = reason === "asked" ? "manual" : "auto";
        const told = { names: [trigger], input: { trigger, custom_instructions: "" }, signal };
        return stopBy(await hung.tell("compact:before", ofWhom(delegate), told));
      },
    });
  if (has("compact:build"))
    surface.on("compact:build", {
      kind: "observe",
      async run({ reason, summary, delegate }, { signal }) {
        const trigger = reason === "asked" ? "manual" : "auto";
        const told = { names: [trigger], input: { trigger, compact_summary: summary }, signal };
        await hung.tell("compact:build", ofWhom(delegate), told);
      },
    });
  if (has("chat:message"))
    surface.on("chat:message", {
      kind: "observe",
      async run({ message, delegate }, { signal }) {
        const text = message.content
          .flatMap((block) => (block.kind === "text" ? [block.text] : []))
          .join("\n");
        await hung.tell("chat:message", ofWhom(delegate), { names: [], input: { message: text }, signal });
      },
    });
  if (has("before a tool"))
    surface.interceptTool("*", {
      async enter({ tool, callId, args }, { signal }) {
        const answer = await hung.tell("before a tool", "anybody", toldOfCall(tool, callId, args, signal));
        const stop = stopBy(answer) ?? (await askedAbout(answer, tool, surface));
        if (stop !== undefined) return stop;
        return answer.updatedInput && { args: toolArguments(tool, answer.updatedInput) };
      },
    });
  if (has("after a tool"))
    surface.on("tool:after", {
      kind: "transform",
      async run({ name, callId, args, text, isError }, { signal }) {
        const told = toldOfCall(name, callId, args, signal);
        const event = isError ? "PostToolUseFailure" : "PostToolUse";
        const input = {
          ...told.input,
          [isError ? "error" : "tool_response"]: isError ? text : responseOf(name, text),
        };
        const { deny, context } = await hung.run(event, { ...told, input });
        const added = [...(deny === undefined ? [] : [deny]), ...context];
        return added.length === 0 ? undefined : { text: [text, ...added].join("\n\n") };
      },
    });
}

/** With what it is about; a hook whose matcher cannot be used is left out, and never runs at everything. */
function prepare(command: HookCommand, { leaveOut }: RecordingSurface): readonly Ready[] {
  try {
    const matches = compileMatcher(command.matcher);
    const holds = command.condition === undefined ? undefined : compileCondition(command.condition);
    const fits = ({ names, call }: Told): boolean =>
      (names.length === 0 || matches(names)) &&
      (!holds || (call !== undefined && holds(call.tool, call.args)));
    return [{ ...command, fits }];
  } catch (error) {
    leaveOut("hook", `${command.event} ${command.matcher ?? ""}`.trim(), String((error as Error).message));
    return [];
  }
}

function momentOf(event: string): HookMoment {
  const row = HOOK_EVENT_ROWS[event];
  if (row === undefined || "not" in row) throw new Error(`${event} has no counterpart`); // never read as a command
  return row.moment;
}

function stopBy({ deny }: HookAnswer): Stop | undefined {
  return deny === undefined ? undefined : { stop: true, reason: deny };
}

/** What a hook wants the person to decide, they are asked; a yes is no objection, and the rules come after it as ever. */
async function askedAbout(
  { ask }: HookAnswer,
  tool: string,
  { ui }: Pick<RecordingSurface, "ui">,
): Promise<Stop | undefined> {
  if (ask === undefined) return undefined;
  const stop = (reason: string): Stop => ({ stop: true, reason });
  if (!(await ui.offers()).ask)
    return stop(`a hook wants you to decide this, and nobody can be asked: ${ask}`);
  const question = `A hook wants you to decide about ${hookToolName(tool)}: ${ask}. Allow it?`;
  const answer = await ui.confirm(question, { timeoutMs: MAX_QUESTION_MS });
  if (answer === true) return undefined;
  return stop(`a hook asked the person, who ${answer === false ? "said no" : "did not answer"}: ${ask}`);
}

function toldOfCall(tool: string, callId: string, args: JsonValue, signal: AbortSignal): Told {
  const given = typeof args === "object" && args !== null && !Array.isArray(args) ? args : {};
  return {
    names: hookToolNames(tool),
    call: { tool, args: given },
    input: { tool_name: hookToolName(tool), tool_input: hookToolInput(tool, given), tool_use_id: callId },
    signal,
  };
}

function responseOf(tool: string, text: string): object {
  const output = tool === "bash" ? { stdout: text, stderr: "", interrupted: false } : { content: text };
  return { success: true, ...output };
}
