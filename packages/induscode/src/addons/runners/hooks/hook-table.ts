// The hooks of a plugin or of settings, read: which commands run at which event, and which entries have no use here.

import { asText, isTable, kindOf, type Table } from "../table-value.ts";
import { HOOK_EVENT_ROWS, type HookEventRow } from "./hook-events.ts";
import { neverMatches } from "./hook-names.ts";

/** One command of one event. */
export interface HookCommand {
  readonly event: string;
  /** As it was written; undefined matches everything. */
  readonly matcher: string | undefined;
  /** A line for the shell, or a program with its arguments. */
  readonly run: { readonly line: string } | { readonly program: string; readonly args: readonly string[] };
  /** How long it may take, if it says so. */
  readonly seconds: number | undefined;
  /** A permission rule there: only calls that it fits. */
  readonly condition: string | undefined;
  readonly isOnce: boolean;
  /** Nobody waits for it, and what it says is not heard. */
  readonly isAsync: boolean;
  /** What it guards stays closed where it fails. */
  readonly onFailure: "block" | "allow";
}

export interface ReadHooks {
  readonly commands: readonly HookCommand[];
  /** What is not used, one line each. */
  readonly unused: readonly string[];
}

const KNOWN = new Set([
  ...["type", "command", "args", "shell", "timeout", "async", "if", "once", "onFailure", "on_failure"],
  ...["statusMessage", "description"],
]);
/** Of one package; they run at the same time. */
const MAX_HOOKS = 200;
const SHELLS: readonly unknown[] = [undefined, "bash", "sh"];

/** Reads event → groups of `{ matcher, hooks: [...] }`. Never throws: what does not fit costs that entry. */
export function readHooks(hooks: Readonly<Record<string, unknown>>): ReadHooks {
  const commands: HookCommand[] = [];
  const unused: string[] = [];
  for (const [event, groups] of Object.entries(hooks)) {
    const row = Object.hasOwn(HOOK_EVENT_ROWS, event) ? HOOK_EVENT_ROWS[event] : undefined;
    if (row === undefined) unused.push(`${event}: unknown hook event`);
    else if ("not" in row) unused.push(`${event}: ${row.not}`);
    else if (!Array.isArray(groups))
      unused.push(`${event}: expected a list of groups, found ${kindOf(groups)}`);
    else
      for (const group of groups) {
        const found = readGroup(event, row, group, unused);
        commands.push(...found);
      }
  }
  const all = withoutCopies(commands);
  const most = all.slice(0, MAX_HOOKS);
  if (most.length < all.length)
    unused.push(`only the first ${MAX_HOOKS} of its ${all.length} hooks are used`);
  return { commands: most, unused: [...new Set(unused)] };
}

type UsedRow = Extract<HookEventRow, { readonly moment: unknown }>;

function readGroup(event: string, row: UsedRow, group: unknown, unused: string[]): readonly HookCommand[] {
  if (!isTable(group) || !Array.isArray(group.hooks)) {
    unused.push(`${event}: expected a group with a list "hooks", found ${kindOf(group)}`);
    return [];
  }
  const { matcher } = group;
  if (matcher !== undefined && typeof matcher !== "string") {
    unused.push(`${event}: expected "matcher" to be a string, found ${kindOf(matcher)}`);
    return [];
  }
  const never = matcher === undefined ? undefined : neverMatches(matcher, row);
  if (never !== undefined) {
    unused.push(`${event}: ${never}`);
    return [];
  }
  const isIdle = matcher !== undefined && !["", "*"].includes(matcher.trim()) && row.matches === "nothing";
  if (isIdle)
    unused.push(`${event}: its matcher ${JSON.stringify(matcher)} has no effect: it runs each time`);
  return group.hooks.flatMap((hook: unknown) => {
    const read = readHook(event, matcher, hook, unused);
    return read === undefined ? [] : [read];
  });
}

function readHook(
  event: string,
  matcher: string | undefined,
  hook: unknown,
  unused: string[],
): HookCommand | undefined {
  const leave = (why: string): undefined => void unused.push(`${event}: ${why}`);
  if (!isTable(hook)) return leave(`expected a hook, found ${kindOf(hook)}`);
  const { type = "command", command, args, shell } = hook;
  if (type !== "command")
    return leave(`hook type ${asText(type)} is not supported: only "command" hooks run`);
  if (typeof command !== "string" || command.trim() === "") return leave("a hook without a command");
  if (!SHELLS.includes(shell))
    return leave(`${command}: shell ${asText(shell)} is not supported; use bash or sh`);
  const isExec = Array.isArray(args) && args.every((word) => typeof word === "string");
  if (args !== undefined && !isExec) return leave(`${command}: expected "args" to be a list of strings`);
  // Without its condition it would run at more than was meant.
  if (hook.if !== undefined && typeof hook.if !== "string")
    return leave(`${command}: expected "if" to be a string, found ${kindOf(hook.if)}`);
  const keys = Object.keys(hook).filter((key) => !KNOWN.has(key));
  if (keys.length > 0)
    unused.push(`${event}: ${command}: these keys have no effect in indus: ${keys.join(", ")}`);
  const run = isExec ? { program: command, args } : { line: command };
  const said = (what: string): void => void unused.push(`${event}: ${command}: ${what}`);
  return { event, matcher, run, condition: hook.if, ...manner(hook, said) };
}

/** How it runs. What is not understood has its default, which `said` receives. */
function manner(
  { timeout, once, async: isAsync, onFailure, on_failure: failing = onFailure }: Table,
  said: (what: string) => void,
): Pick<HookCommand, "seconds" | "isOnce" | "isAsync" | "onFailure"> {
  const isTime = typeof timeout === "number" && timeout > 0;
  if (timeout !== undefined && !isTime)
    said(`"timeout" has no effect: expected a number of seconds above 0, found ${JSON.stringify(timeout)}`);
  for (const [key, value] of Object.entries({ once, async: isAsync }))
    if (value !== undefined && typeof value !== "boolean")
      said(`"${key}" has no effect: expected true or false, found ${JSON.stringify(value)}`);
  if (![undefined, "allow", "block"].includes(failing as undefined))
    said(`"onFailure" has no effect: expected "allow" or "block", found ${JSON.stringify(failing)}`);
  return {
    seconds: isTime ? timeout : undefined,
    isOnce: once === true,
    isAsync: isAsync === true,
    onFailure: failing === "block" ? "block" : "allow",
  };
}

/** One that stands there twice runs once. */
function withoutCopies(commands: readonly HookCommand[]): readonly HookCommand[] {
  return [...new Map(commands.map((each) => [JSON.stringify(each), each])).values()];
}

/** A command as it was written. */
export function commandInWords({ run }: HookCommand): string {
  return "line" in run ? run.line : [run.program, ...run.args].map((word) => JSON.stringify(word)).join(" ");
}
