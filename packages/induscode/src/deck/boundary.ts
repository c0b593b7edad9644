// The tool boundary: everything between a model's call and the tool that runs it, in one place and one order. Refused, failed, cancelled
// and succeeded calls all end as an outcome.

import {
  coerceInput,
  describeUnstarted,
  type FsScope,
  fitInput,
  projectOutput,
  scopedFs,
  type ToolContext,
  type ToolResult,
  UNATTENDED,
  watchOutput,
} from "indusagi/capabilities";
import {
  Aborted,
  brief,
  compileSchema,
  describeError,
  isInside,
  isSameJson,
  type JsonValue,
  monotonicMs,
  nearest,
  type SecretMask,
} from "indusagi/core";
import type { ToolCall, ToolState } from "indusagi/runtime";
import type { Authority } from "../feature/authority.ts";
import type { Deed } from "../feature/deeds.ts";
import type { Attribution, DispatchOutcome, GateDecision } from "../feature/handler.ts";
import type { SessionHooks } from "../feature/hooks.ts";
import type { FeatureFault } from "../feature/install-report.ts";
import type { ExecOutcome } from "../feature/services.ts";
import type { Access, SetVariable, ToolContribution } from "../feature/tool.ts";
import { changedVariables, isHarmlessVariable } from "../feature/variables.ts";
import { type CallOrder, createCallOrder } from "./call-order.ts";
import { commandShell } from "./command-shell.ts";
import type {
  Boundary,
  BoundaryOutcome,
  CallChange,
  CallDecision,
  CommandSandbox,
  Deck,
  Perform,
} from "./contract.ts";
import { type NotingContext, noteCall } from "./note-call.ts";
import { outcomeText, resultOf } from "./outcome-text.ts";
import { outlineOf, outlineText } from "./outline.ts";
import type { PermissionDecision, Permissions } from "./permissions/permissions.ts";
import type { Leaving } from "./permissions/resolved.ts";
import { shapeText } from "./shape-text.ts";

export interface BoundaryDeps {
  /** The tool that a name means now, in any spelling. */
  readonly find: (tool: string) => ToolContribution | undefined;
  /** The tools that the model was shown. */
  readonly names?: () => readonly string[];
  /** Runs the command lines of people and features; default: `bash`, if the session has it. */
  readonly commandTool?: (() => ToolContribution | undefined) | undefined;
  /** The feature that owned a tool that is no longer there. */
  readonly ownerOf?: ((tool: string) => string | undefined) | undefined;
  readonly permissions: Permissions;
  readonly hooks: SessionHooks;
  /** Whether a feature that changed a call could do the result on its own. */
  readonly authority: Authority;
  /** The feature that the session works for: it answers for each call as if it had made it. */
  readonly author?: string | undefined;
  /** Called once per feature and grant, when a feature tried to get something done that it is not allowed to do. */
  readonly onFault?: (fault: FeatureFault) => void;
  /** Called with each decision about a call, before it has any effect. */
  readonly onDecision?: (decision: CallDecision) => void;
  /** Hides known secrets from whoever sees a result. */
  readonly secrets?: Pick<SecretMask, "value" | "placeholderIn">;
  /** Confines the model's commands; absent if the person did not ask for it. */
  readonly sandbox?: CommandSandbox | undefined;
  /** A fresh context for one dispatch, under this signal. */
  readonly context: (signal: AbortSignal) => ToolContext;
  /** Awaited before a call that may change something: what led to it is safely stored then. What it resolves to is called after it. */
  readonly beforeChange?: (touched: readonly Access[]) => Promise<() => void>;
  /** Stands between a model's call and its tool when a session is replayed. */
  readonly perform?: Perform | undefined;
  /** Called when a call's tool starts and with its output so far, if somebody is watching. */
  readonly onProgress?: ((callId: string, tail: string) => void) | undefined;
}

/** Runs the tool itself, with its final arguments. */
type Execute = (args: JsonValue, context: ToolContext) => Promise<ToolResult>;

/** The boundary of one session. Calls that write keep their place in the call order (see `call-order.ts`). */
export function createBoundary(deps: BoundaryDeps): Pick<Deck, "run" | "exec"> {
  const { find, permissions, hooks } = deps;
  const order = createCallOrder();
  const reported = new Set<string>();
  const told = new Set<string>();
  let commands = 0;
  return { run, exec };

  async function run(call: ToolCall, signal: AbortSignal): ReturnType<Boundary> {
    const contribution = find(call.name);
    if (!contribution)
      return ended(call, "failed", noSuchTool(call.name, deps.ownerOf?.(call.name), deps.names?.()));
    const execute: Execute = async (args, context) => {
      const final = { ...call, input: args };
      const runTool = (within: ToolContext) => contribution.tool.invoke(final, within);
      const { feature = "" } = contribution as ToolContribution & { readonly feature?: string };
      const outcome = deps.perform?.(final, { feature, context, run: runTool }) ?? runTool(context);
      return resultOf(await outcome);
    };
    const named = { ...call, name: contribution.tool.name };
    return pass(named, { contribution, execute, signal, order, sandbox: deps.sandbox });
  }

  async function exec(
    command: string,
    signal: AbortSignal,
    by?: string,
    progress?: (tail: string) => void,
  ): Promise<ExecOutcome> {
    const bash = deps.commandTool ? deps.commandTool() : find("bash");
    if (!bash) throw new Error("this session cannot run commands");
    const call: ToolCall = { id: `command-${++commands}`, name: "bash", input: { command } };
    let outcome: ExecOutcome | undefined;
    const execute: Execute = async (args, { shell, cwd, fs }) => {
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
        return stopResult(await describeUnstarted(error, fs, cwd));
      } finally {
        watched?.end();
      }
      return { content: [{ kind: "text", text: outcome.stdout }], isError: outcome.code !== 0 };
    };
    // Not in the model's order: a call waiting there may be waiting for a feature that runs this command.
    const { text, state } = await pass(call, {
      contribution: bash,
      execute,
      signal,
      ...(by === undefined ? { isPersons: true } : { by, sandbox: deps.sandbox }),
    });
    if (!outcome) throw new Error(text, { cause: state });
    return outcome;
  }

  interface Way {
    readonly contribution: ToolContribution;
    readonly execute: Execute;
    readonly signal: AbortSignal;
    /** The order that the call takes its place in; absent for one that waits for no other. */
    readonly order?: CallOrder;
    /** The feature that makes the call; absent for calls by the model or the person. */
    readonly by?: string;
    /** A person's commands run as the person would run them. */
    readonly isPersons?: boolean;
    /** For all other commands; those of features leave it if they may. */
    readonly sandbox?: CommandSandbox | undefined;
  }

  async function pass(
    call: ToolCall,
    { contribution, execute, signal, order, by, isPersons = false, sandbox }: Way,
  ): Promise<BoundaryOutcome> {
    const release = hooks.hold();
    const { dispatcher, chain } = hooks; // a call uses the same hooks from start to end
    try {
      const { onProgress } = deps;
      const noting = noteCall(deps.context(signal), onProgress && ((tail) => onProgress(call.id, tail)));
      const { input, ignored } = fitInput(coerceInput(call.input), contribution.tool.parameters);
      const touched = contribution.accesses(input, noting.context.cwd, noting.context.home);
      const alone =
        leavesByChoice(touched) ||
        (contribution.alone?.(input) ?? touched.some((access) => access.kind === "write"));
      const leave = await order?.enter(alone);
      try {
        if (signal.aborted) throw new Aborted();
        const passage = { contribution, dispatcher, chain, noting, execute, alone, by, isPersons, sandbox };
        const outcome = await passInTurn({ ...call, input }, passage);
        return withTaken(outcome, input === call.input ? undefined : input, untold(call.name, ignored));
      } finally {
        leave?.();
      }
    } catch (error) {
      if (error instanceof Aborted || signal.aborted)
        return ended(call, "cancelled", `Cancelled before ${call.name} could begin.`);
      return ended(call, "failed", `The tool ${call.name} failed: ${describeError(error)}`);
    } finally {
      release();
    }
  }

  /** Those of the ignored arguments that the model has not been told of. */
  function untold(tool: string, ignored: readonly string[]): readonly string[] {
    const news = ignored.filter((name) => !told.has(`${tool} ${name}`));
    for (const name of news) told.add(`${tool} ${name}`);
    return news;
  }

  interface Passage extends Pick<SessionHooks, "dispatcher" | "chain"> {
    readonly contribution: ToolContribution;
    readonly noting: NotingContext;
    readonly execute: Execute;
    readonly alone: boolean;
    readonly by: string | undefined;
    readonly isPersons: boolean;
    readonly sandbox: CommandSandbox | undefined;
  }

  async function passInTurn(
    call: ToolCall,
    { contribution, dispatcher, chain, noting, execute, alone, by, isPersons, sandbox }: Passage,
  ): Promise<BoundaryOutcome> {
    const { context } = noting;
    const { tool, accesses } = contribution;
    const { signal, cwd, home } = context;
    const time = hooks.callTime();
    const answers = by ?? deps.author;
    const changes: CallChange[] = [];
    const early = await permissions.deny({
      tool: call.name,
      callId: call.id,
      accesses: accesses(call.input, cwd, home),
      by: answers,
    });
    if (early.kind === "refuse") {
      decidedOn(early);
      return refused(call, early.reason);
    }

    const asked = { name: call.name, callId: call.id, args: call.input };
    const before: DispatchOutcome<"tool:before"> = dispatcher.has("tool:before")
      ? await dispatcher.dispatch("tool:before", asked, { signal, time })
      : { payload: asked, changedBy: [] };
    note(changes, "tool:before", before.changedBy);
    if (before.gate) return refused(call, stopReason(before.gate), changes);

    let stop = undefined as { readonly state: ToolState; readonly message: string } | undefined;
    let ranMs = 0;
    let changed: ChangedCall | undefined;
    const maySee = (feature: string): boolean =>
      changed === undefined ||
      changed.changers.length === 0 ||
      deps.authority.refusal([feature], changed.deeds) === undefined;
    const around = { tool: call.name, callId: call.id, args: before.payload.args };
    // What a feature may see of a result depends on whose deed it is; a refusal contains only the host's words.
    const intercepted = await chain.runWith(around, runChecked, signal, {
      time,
      view: (feature, result) => (stop || maySee(feature) ? result : outlineOf(result)),
    });
    note(changes, "intercept:enter", intercepted.argsChangedBy);
    note(changes, "intercept:exit", intercepted.resultChangedBy);
    if (intercepted.blocked) return refused(call, stopReason(intercepted.blocked), changes);
    // A host's refusal is final: no stage may turn a call that did not run into one that did.
    const result = stop
      ? stopResult(stop.message)
      : (intercepted.result ?? stopResult("The tool returned no result."));
    const state = stop?.state ?? (!result.isError ? "ok" : signal.aborted ? "cancelled" : "failed");
    const output = projectOutput(result.content);
    const seen = outcomeText(output, context.budget);
    const ended = {
      name: call.name,
      callId: call.id,
      args: intercepted.args,
      text: seen,
      isError: result.isError,
    };
    const after: DispatchOutcome<"tool:after"> = !dispatcher.has("tool:after")
      ? { payload: ended, changedBy: [] }
      : await dispatcher.dispatch("tool:after", ended, {
          signal,
          time,
          view:
            stop || changed === undefined
              ? undefined
              : (feature, payload) =>
                  maySee(feature)
                    ? payload
                    : { ...payload, text: outlineText(payload.text, payload.isError) },
        });
    if (!stop) note(changes, "tool:after", after.changedBy);
    const text =
      stop || after.payload === ended ? seen : outcomeText(after.payload.text ?? "", context.budget);
    const files = noting.files();
    const { images, diff, ...report } = noting.report() ?? {};
    // Whoever changes a result may have hidden something of it, and cannot see what a picture or a diff shows.
    const hasChanged = intercepted.resultChangedBy.length > 0 || after.payload !== ended;
    const isShown = images !== undefined && state === "ok" && !hasChanged;
    return {
      id: call.id,
      output,
      text: images !== undefined && state === "ok" && hasChanged ? `${text}\n${PICTURE_OMITTED}` : text,
      isError: result.isError,
      state,
      ranMs,
      ...report,
      images: isShown ? images : undefined,
      diff: diff !== undefined && state === "ok" && !hasChanged ? diff : undefined,
      finalInput: intercepted.args === call.input ? undefined : intercepted.args,
      changes: changes.length > 0 ? changes : undefined,
      files: files.length > 0 ? files : undefined,
    };

    /** The authoritative checks: once, on the arguments that the tool will get. */
    async function runChecked(args: JsonValue, entered: readonly Attribution[]): Promise<ToolResult> {
      const problem = await (await compileSchema(tool.parameters))(args);
      if (problem)
        return halt(
          "failed",
          `The arguments do not fit the tool ${call.name}: ${problem.replace(/\.$/, "")}. It takes ${shapeText(tool.parameters)}.`,
        );
      // It already has its place in the order, among other calls.
      const stated = accesses(args, cwd, home);
      if (!alone && (contribution.alone?.(args) || leavesByChoice(stated)))
        return halt("refused", refusal(call, "a feature changed it into a call that must run alone"));
      const { confined, leaving, touched, lacking } = await confinementOf(stated);
      if (lacking !== undefined) return halt("refused", refusal(call, lacking));
      const placeholder = touched.some(({ kind }) => kind !== "read")
        ? deps.secrets?.placeholderIn(JSON.stringify(args))
        : undefined;
      if (placeholder !== undefined) return halt("failed", placeholderProblem(call.name, placeholder));
      if (args !== call.input || deps.author !== undefined)
        changed = await changedCall(args, [...before.changedBy, ...entered]);
      const lack = changed && deps.authority.refusal(changed.by, changed.deeds);
      if (lack && lack.feature === deps.author)
        return halt(
          "refused",
          refusal(call, `this session works for ${lack.feature}, which may not ${lack.deed}: ${lack.lack}`),
        );
      if (lack) {
        const why = `${lack.feature} changed it to ${lack.deed}, and may not do that itself: ${lack.lack}`;
        tellOnce(lack.feature, lack.lack, `${lack.feature}: a call of ${call.name} was refused: ${why}`);
        return halt("refused", refusal(call, why));
      }
      const isCommand = dispatcher.has("shell:env") && touched.some(({ kind }) => kind === "execute");
      const { accesses: deeds, env }: PreparedShell = isCommand
        ? await prepareShell(touched)
        : { accesses: touched };
      const decision: PermissionDecision = await permissions.check(
        {
          tool: call.name,
          callId: call.id,
          input: args,
          accesses: deeds,
          changedBy: changed && changed.changers.length > 0 ? changed.changers : undefined,
          by: answers,
          confined: confined ? true : undefined,
          leaving,
        },
        signal,
      );
      decidedOn(decision);
      if (decision.kind === "refuse") return halt("refused", refusal(call, decision.reason));
      const within = decision.stays ? sandbox : confined;
      const { isHarmless, stays } = decision;
      const shell = commandShell(within?.shell ?? context.shell, {
        ...{ env: isPersons ? env : { ...UNATTENDED, ...env }, stays },
        isBounded: isHarmless === true && !isPersons,
      });
      const toolContext = withinScope({ ...context, shell }, decision.files);
      const mayChange = touched.some(({ kind }) => kind !== "read");
      const afterChange = mayChange ? await deps.beforeChange?.(touched) : undefined;
      deps.onProgress?.(call.id, "");
      const startedMs = monotonicMs();
      try {
        const run = (): Promise<ToolResult> => execute(args, toolContext);
        const result = await (mayChange && !within && deps.sandbox
          ? deps.sandbox.outside(run, writesOf(touched))
          : run());
        return deps.secrets?.value(result) ?? result;
      } finally {
        ranMs = monotonicMs() - startedMs;
        afterChange?.();
      }
    }

    /** The sandbox that the call's command runs in, if any, and the resulting accesses. */
    async function confinementOf(stated: readonly Access[]): Promise<Confinement> {
      const command = stated.find((access) => access.kind === "execute");
      if (!sandbox || !contribution.runsInShell || command?.kind !== "execute") return { touched: stated };
      const state = await sandbox.state();
      if (state === "absent") return { touched: stated.map(withoutOutside) };
      if (typeof state === "object" && by !== undefined) return { touched: stated };
      if (typeof state === "object" && command.outside === undefined)
        return { touched: stated, lacking: state.refusal };
      const isHere = isInside(cwd, command.cwd);
      if (isHere && by === undefined && command.outside === undefined)
        return { touched: stated, confined: sandbox };
      const canStay = isHere && state === "in force";
      return { touched: stated, leaving: { canStay, beside: sandbox.running } };
    }

    /**
     * Only a changed call can do what its sender did not ask for: whoever changed it answers for all of it, and the feature that the
     * session works for answers for every call.
     */
    async function changedCall(
      args: JsonValue,
      changers: readonly Attribution[],
    ): Promise<ChangedCall | undefined> {
      const made = isSameJson(args, call.input) ? [] : changers.map(({ feature }) => feature);
      const by = [...new Set(deps.author === undefined ? made : [deps.author, ...made])];
      if (by.length === 0) return undefined;
      return {
        by,
        changers: [...new Set(made)],
        deeds: await deps.authority.deedsOf({ tool: call.name, accesses: accesses(args, cwd, home) }),
      };
    }

    /**
     * Limited to what was permitted, and to what those who changed the call can do themselves: a path that leads elsewhere by now is
     * refused where it is used.
     */
    function withinScope(open: ToolContext, permitted: FsScope | undefined): ToolContext {
      const scopes = [
        permitted,
        changed && isByAddon(changed.by) ? deps.authority.scopeOf(changed.by, changed.deeds) : undefined,
      ].filter((scope) => scope !== undefined);
      if (scopes.length === 0) return open;
      return { ...open, fs: scopes.reduce((fs, scope) => scopedFs(fs, scope), open.fs) };
    }

    function halt(state: ToolState, message: string): ToolResult {
      stop = { state, message };
      return stopResult(message);
    }

    /** The accesses with the variables that features set for a command, and those variables. */
    async function prepareShell(touched: readonly Access[]): Promise<PreparedShell> {
      const command = touched.find((access) => access.kind === "execute")?.command ?? "";
      const denied = await permissions.deny({ tool: call.name, accesses: touched });
      if (denied.kind === "refuse") return { accesses: touched }; // features never see a denied call
      const given = { command, env: {} };
      const {
        payload,
        changedBy,
        steps = [],
      } = await dispatcher.dispatch("shell:env", given, { signal, time });
      const setBy = new Map<string, string>();
      for (const [at, by] of changedBy.entries()) {
        const names = changedVariables(steps[at - 1]?.env, steps[at]?.env).map(({ name }) => name);
        for (const name of names) setBy.set(name, by.feature);
        changes.push({ at: "shell:env", ...by, detail: names.sort().join(", ") });
      }
      const variables = Object.entries(payload.env).flatMap(([name, value]): readonly SetVariable[] => {
        const by = setBy.get(name) ?? "";
        return isHarmlessVariable(by, name, value) ? [] : [{ name, value, by }];
      });
      const { env } = payload;
      if (variables.length === 0) return { accesses: touched, env };
      return {
        accesses: touched.map((access) => (access.kind === "execute" ? { ...access, variables } : access)),
        env,
      };
    }
  }

  function decidedOn({ record }: PermissionDecision): void {
    if (record) deps.onDecision?.(record);
  }

  function tellOnce(owner: string, lack: string, message: string): void {
    const key = `${owner}: ${lack}`;
    if (reported.has(key)) return;
    reported.add(key);
    deps.onFault?.({ kind: "handler", owner, message });
  }
}

const PICTURE_OMITTED =
  "[Picture omitted: a feature changed the result, and may have hidden part of what the picture shows.]";

/** A call that features answer for. */
interface ChangedCall {
  /** Without duplicates: those that changed it, preceded by the one that the session works for. */
  readonly by: readonly string[];
  readonly changers: readonly string[];
  readonly deeds: readonly Deed[];
}

interface Confinement {
  readonly touched: readonly Access[];
  readonly confined?: CommandSandbox;
  readonly leaving?: Leaving;
  /** Why no command runs at all. */
  readonly lacking?: string;
}

/** Where a call writes; undefined for one that runs a program, which may write anywhere. */
function writesOf(touched: readonly Access[]): readonly string[] | undefined {
  if (touched.some(({ kind }) => kind === "execute")) return undefined;
  return touched.flatMap((access) => (access.kind === "write" ? access.path : []));
}

/** Without a sandbox, nothing is outside of it. */
function withoutOutside(access: Access): Access {
  if (access.kind !== "execute" || access.outside === undefined) return access;
  const { outside: _, ...rest } = access;
  return rest;
}

interface PreparedShell {
  readonly accesses: readonly Access[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What leaves the sandbox runs without anything of the same message beside it, which could change what it finds. */
function leavesByChoice(touched: readonly Access[]): boolean {
  return touched.some((access) => access.kind === "execute" && access.outside !== undefined);
}

function isByAddon(features: readonly string[]): boolean {
  return features.some((feature) => !feature.startsWith("builtin:"));
}

/** Run as written, it would put the placeholder where the secret was. */
function placeholderProblem(tool: string, placeholder: string): string {
  return (
    `${tool} was not run: its arguments contain ${placeholder}. That is not text of a file or of a command: it replaces ` +
    "the value of a secret, which is hidden from you. Leave such lines unchanged and edit around them, use the " +
    "variable by its name, or ask the person to do it."
  );
}

/** An outcome with the arguments that its tool took, if they are not the model's, and a word about those that it did not take. */
function withTaken(
  outcome: BoundaryOutcome,
  taken: JsonValue | undefined,
  ignored: readonly string[],
): BoundaryOutcome {
  const noted =
    taken === undefined
      ? outcome
      : { ...outcome, finalInput: outcome.finalInput === undefined ? taken : outcome.finalInput };
  if (ignored.length === 0) return noted;
  const names = ignored.map((name) => JSON.stringify(brief(name))).join(", ");
  return {
    ...noted,
    text: `${noted.text}\n[Ignored: ${brief(names, MAX_IGNORED_CHARS)}: no argument of this tool.]`,
  };
}

const MAX_IGNORED_CHARS = 300;
const MAX_SHOWN_NAMES = 40;

function noSuchTool(name: string, owner: string | undefined, names: readonly string[] = []): string {
  if (owner === undefined) {
    const near = nearest(name, names);
    const hints = [
      `This session exposes no tool called "${name}".`,
      ...(near === undefined ? [] : [`Did you mean "${near}"?`]),
      ...(names.length === 0 ? [] : [`It has ${listed(names)}.`]),
    ];
    return hints.join(" ");
  }
  return `This session exposes no tool called "${name}" any more: its owner, ${owner}, was removed or changed.`;
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_SHOWN_NAMES;
  return names.slice(0, MAX_SHOWN_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function stopResult(message: string): ToolResult {
  return { content: [{ kind: "text", text: message }], isError: true };
}

function note(changes: CallChange[], at: string, changedBy: readonly Attribution[]): void {
  for (const by of changedBy) changes.push({ at, ...by });
}

function stopReason({ reason, by }: GateDecision & { readonly by: Attribution }): string {
  return `${reason ?? "it was blocked"} (${by.feature})`;
}

function refusal(call: ToolCall, reason: string): string {
  return `Refused: ${call.name} was not run, because ${reason}`;
}

function refused(call: ToolCall, reason: string, changes: readonly CallChange[] = []): BoundaryOutcome {
  const outcome = ended(call, "refused", refusal(call, reason));
  return changes.length > 0 ? { ...outcome, changes } : outcome;
}

function ended(call: ToolCall, state: ToolState, message: string): BoundaryOutcome {
  return { id: call.id, output: message, text: message, isError: true, state };
}
