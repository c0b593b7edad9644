// The session's own commands, contributed like anyone else's: `/help` lists what the registry committed.

import { type SessionKey, sessionKey } from "indusagi/core";
import type { Command, CommandContext, InstalledCommand } from "../../feature/command.ts";
import type { FeatureModule } from "../../feature/install.ts";
import { createCommandFeature } from "./command-feature.ts";

/** What the commands act on, for the session in which they are typed; each answer is shown to the person. */
export interface SessionControl {
  readonly commands: () => readonly InstalledCommand[];
  readonly describeModel: () => string;
  readonly describeCost: () => string;
  readonly setModel: (name: string) => Promise<string>;
  readonly renew: () => string;
  /** Continues in a fork; a number says how many of the last lines to drop. */
  readonly fork: (words: string) => string;
  /** Lists the sessions of this folder that contain these words, or continues one. */
  readonly resume: (words: string, list: CommandContext["list"]) => Promise<string>;
  /** Shows the turns on all branches, or goes to one. */
  readonly tree: (words: string, list: CommandContext["list"]) => Promise<string>;
  /** Shows the states before earlier lines, or takes files and conversation back to one. */
  readonly rewind: (words: string, list: CommandContext["list"]) => Promise<string>;
  readonly rename: (name: string) => string;
  readonly clear: () => string;
  readonly compact: (focus: string) => Promise<string>;
  /** Without a name: the state of every background task. With one: starts it. */
  readonly tasks: (name: string) => string;
  /** Without words: the state of every addon. With `trust`, `restart` or `remove` and an id: the result. */
  readonly addons: (words: string) => Promise<string>;
  /** What would be decided about a call, and why. */
  readonly why: (call: string) => Promise<string>;
  /** Begins planning; with `off`, stops it. */
  readonly plan: (words: string) => string;
  readonly leave: () => void;
}

/** Set in sessions that have it. */
export const SESSION_CONTROL: SessionKey<SessionControl> = sessionKey("control");

function controlOf({ handles }: Pick<CommandContext, "handles">): SessionControl {
  const control = handles.session?.get(SESSION_CONTROL);
  if (!control) throw new Error("no session is available here");
  return control;
}

/** Values to choose from. */
export interface SessionWords {
  /** Names of models. */
  readonly models?: () => readonly string[];
  /** The person's lines so far, each after its number. */
  readonly turns?: () => readonly string[];
}

/** `/help /model /cost /new /resume /fork /tree /rewind /rename /clear /compact /tasks /addons /why /plan /quit /exit`. */
export function sessionCommandsFeature({
  models = () => [],
  turns = () => [],
}: SessionWords = {}): FeatureModule {
  const commands: readonly Command[] = [
    {
      name: "help",
      summary: "show the commands",
      run: (context) => context.say(helpText(controlOf(context).commands())),
    },
    {
      name: "model",
      summary: "show the model, or switch to another",
      argumentHint: "[provider/model]",
      picks: true,
      complete: models,
      run: async (context) => {
        const { args, say } = context;
        const control = controlOf(context);
        say(args === "" ? control.describeModel() : await control.setModel(args));
      },
    },
    {
      name: "cost",
      summary: "show the cost of this session so far",
      run: (context) => context.say(controlOf(context).describeCost()),
    },
    {
      name: "new",
      summary: "start a new session; the old one is kept",
      run: (context) => context.say(controlOf(context).renew()),
    },
    {
      name: "fork",
      summary: "continue in a copy of this session, or from before your last N lines",
      argumentHint: "[N]",
      run: (context) => context.say(controlOf(context).fork(context.args.trim())),
    },
    {
      name: "resume",
      summary: "find another session of this folder, and continue it",
      argumentHint: "[N|ID|words]",
      run: async (context) => context.say(await controlOf(context).resume(context.args.trim(), context.list)),
    },
    {
      name: "tree",
      summary: "show the turns of this session on all its branches, or continue from one",
      argumentHint: "[[before] N [summary]]",
      run: async (context) => context.say(await controlOf(context).tree(context.args.trim(), context.list)),
    },
    {
      name: "rewind",
      summary: "restore files and conversation to before one of your lines, or undo that",
      argumentHint: "[N|apply N|undo]",
      picks: true,
      complete: turns,
      run: async (context) => context.say(await controlOf(context).rewind(context.args, context.list)),
    },
    {
      name: "rename",
      summary: "give this session a name",
      argumentHint: "<name>",
      run: (context) => context.say(controlOf(context).rename(context.args.trim())),
    },
    {
      name: "clear",
      summary: "clear the model's view of this session",
      run: (context) => context.say(controlOf(context).clear()),
    },
    {
      name: "compact",
      summary: "replace the model's view with a summary; undo: restore it",
      argumentHint: "[undo|what to keep]",
      run: async (context) => context.say(await controlOf(context).compact(context.args)),
    },
    {
      name: "tasks",
      summary: "show the background tasks, or start one",
      argumentHint: "[name]",
      run: (context) => context.say(controlOf(context).tasks(context.args)),
    },
    {
      name: "addons",
      summary: "show the addons, or trust, restart or remove one",
      argumentHint: "[trust|restart|remove ID]",
      run: async (context) => context.say(await controlOf(context).addons(context.args)),
    },
    {
      name: "why",
      summary: "show how a call would be decided, part by part, and by which rule",
      argumentHint: "<call>",
      run: async (context) => context.say(await controlOf(context).why(context.args)),
    },
    {
      name: "plan",
      summary: "change nothing until you approve a plan; off: leave plan mode",
      argumentHint: "[off]",
      complete: () => ["off"],
      run: (context) => context.say(controlOf(context).plan(context.args.trim())),
    },
    { name: "quit", summary: "leave", run: (context) => controlOf(context).leave() },
    { name: "exit", summary: "leave", run: (context) => controlOf(context).leave() },
  ];
  return createCommandFeature("builtin:session", "Session commands", commands);
}

function helpText(commands: readonly InstalledCommand[]): string {
  const rows = commands.map(({ name, argumentHint, summary, feature }) => ({
    usage: argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`,
    text: feature.startsWith("builtin:") ? summary : `${summary}  (${feature})`,
  }));
  const width = Math.max(...rows.map(({ usage }) => usage.length));
  return rows.map(({ usage, text }) => `  ${usage.padEnd(width)}  ${text}`).join("\n");
}
