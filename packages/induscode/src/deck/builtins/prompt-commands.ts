// Commands that expand to text for the model: macros and skills from files, by the name a person types.

import { clamp, describeError } from "indusagi/core";
import type { Command, CommandContext } from "../../feature/command.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import type { FeatureModule } from "../../feature/install.ts";
import { createCommandFeature } from "./command-feature.ts";
import { COMMAND_TURN, type TurnWishes } from "./turn-wishes.ts";

/** A piece of what a command tells the model: text, or a shell command whose output takes its place. */
export type PromptPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "shell"; readonly command: string };

/** One file's command: the text for the model, given these arguments. */
export interface PromptCommand extends Pick<Command, "name" | "summary" | "argumentHint"> {
  readonly expand: (args: string) => readonly PromptPart[];
  /** What its file asks for; absent for one that asks for nothing and names no files. */
  readonly wishes?: TurnWishes | undefined;
  /** Older spellings in its file, each with what to write; absent where they are the file's own format. */
  readonly olderSpellings?: (() => readonly string[]) | undefined;
  /** The absolute path of its file. */
  readonly source: string;
}

/** The feature that contributes them. */
export const PROMPTS = "builtin:prompts";

/** The macros and skills of a session. Their text goes to the model as if the person had typed it. */
export function promptCommandsFeature(commands: readonly PromptCommand[]): FeatureModule {
  const told = new Set<string>();
  return createCommandFeature(
    PROMPTS,
    "Macros and skills",
    commands.map(({ expand, wishes, source, olderSpellings = () => [], ...command }) => ({
      ...command,
      run: async (context) => {
        const { args, handles, say, sinks } = context;
        const older = told.has(source) ? [] : olderSpellings();
        told.add(source);
        if (older.length > 0) sinks?.alert(olderInWords(source, older));
        if (!handles.sendMessage) return say("No model is available here.");
        const text = await textOf(expand(args), { source, wishes, context });
        handles.sendMessage(text);
      },
    })),
    [
      uses({ kind: "alert" }, "tells you once which macros have an older spelling, and what is not granted"),
      uses(
        { kind: "files", read: true, write: true, execute: true },
        "runs the commands in a macro's text, under the rules for the model's",
      ),
    ],
  );
}

function uses(capability: HostCapability, reason: string) {
  return { capability, required: false, reason };
}

interface Asked {
  readonly source: string;
  readonly wishes: TurnWishes | undefined;
  readonly context: CommandContext;
}

const MAX_COMMANDS = 20;
/** Of one command's output, as much as the model is shown of a call. */
const MAX_OUTPUT_BYTES: number = 30 * 1024;
const MAX_WAIT_MS = 120_000;

/** Throws when one of its commands is refused: half of a text is not what its author meant. */
async function textOf(parts: readonly PromptPart[], { source, wishes, context }: Asked): Promise<string> {
  const { handles, sinks } = context;
  const turn = handles.session?.get(COMMAND_TURN);
  const tell = (text: string): void => sinks?.alert(`${source}: ${text}`);
  if (wishes) await turn?.begin(source, wishes, tell);
  try {
    const all: string[] = [];
    const commands = parts.filter(({ kind }) => kind === "shell").length;
    if (commands > MAX_COMMANDS)
      throw new Error(`it has ${commands} commands in its text; at most ${MAX_COMMANDS} are run`);
    for (const part of parts)
      all.push(part.kind === "text" ? part.text : await outputOf(part.command, context));
    const written = parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
    const files = wishes ? await turn?.files(written, tell) : undefined;
    if (wishes?.model !== undefined) await turn?.useModel(wishes.model, tell);
    return all.join("") + (files ?? "");
  } catch (error) {
    turn?.leave();
    throw error;
  }
}

async function outputOf(command: string, { services }: CommandContext): Promise<string> {
  const notSent = (why: string): Error => new Error(`it was not sent to the model: !\`${command}\` ${why}`);
  const exec = services?.exec();
  if (exec?.ok !== true) throw notSent(exec?.reason ?? "cannot be run here");
  try {
    const { stdout, stderr, code } = await exec.service(command, [], {
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    });
    const failed = code === 0 ? [] : [stderr.trimEnd(), `(exit code ${code ?? "unknown"})`];
    const shown = [stdout.trimEnd(), ...failed].filter((text) => text !== "").join("\n");
    return clamp(shown, { kind: "middle", maxBytes: MAX_OUTPUT_BYTES });
  } catch (error) {
    throw notSent(describeError(error));
  }
}

/** What is said about a file with older spellings. They still work. */
export function olderInWords(source: string, older: readonly string[]): string {
  return `${source} has older spellings, which still work: ${older.join(", ")}`;
}
