// The authoritative checks: once, on the arguments that the tool will get. A call that one of them stops still passes the interceptors
// and `tool:after`, but nothing turns it into one that ran.

import { compileSchema, isInside, isSameJson } from "indusagi/core";
import type { Access } from "../../feature/tool.ts";
import { placeholderProblem, refusedStop, type Stop } from "./ended.ts";
import { type AnsweredCall, leavesByChoice, type Passage, type Stage } from "./passage.ts";
import { shapeText } from "./shape-text.ts";
import { setVariables } from "./shell-variables.ts";

/** In this order. */
export const INSIDE: readonly Stage[] = [
  { name: "schema", pass: checkSchema },
  { name: "alone", pass: checkPlace },
  { name: "sandbox", applies: ({ sender }) => sender.sandbox !== undefined, pass: chooseSandbox },
  { name: "placeholders", pass: findPlaceholder },
  { name: "deeds", applies: mayBeAnotherCall, pass: judgeDeeds },
  { name: "shell:env", applies: ({ hooks }) => hooks.dispatcher.has("shell:env"), pass: setVariables },
  { name: "permissions", pass: checkPermission },
];

async function checkSchema({ call, args, sender, session }: Passage): Promise<Stop | undefined> {
  const { parameters } = sender.contribution.tool;
  const problem = await (await compileSchema(parameters))(args);
  if (!problem) return undefined;
  const stated = `${problem.replace(/\.$/, "")}. It takes ${shapeText(parameters)}.`;
  const definition = session.definitionOf?.(call.name);
  const whole = definition === undefined ? "" : `\nIts definition: ${JSON.stringify(definition)}`;
  return { state: "failed", message: `The arguments do not fit the tool ${call.name}: ${stated}${whole}` };
}

/** It already has its place in the order, among other calls. */
function checkPlace(passage: Passage): Stop | undefined {
  const { args, call, isAlone, sender } = passage;
  passage.accesses = passage.touched(args);
  if (isAlone || !(sender.contribution.alone?.(args) || leavesByChoice(passage.accesses))) return undefined;
  return refusedStop(call, "a feature changed it into a call that must run alone");
}

/** The sandbox that the call's command runs in, if any. */
async function chooseSandbox(passage: Passage): Promise<Stop | undefined> {
  const { accesses, call, command, context } = passage;
  const { sandbox, contribution, by } = passage.sender;
  if (!sandbox || !contribution.runsInShell || !command) return undefined;
  const state = await sandbox.state();
  if (state === "absent") {
    if (leavesByChoice(accesses)) passage.accesses = accesses.map(withoutOutside);
    return undefined;
  }
  const isModels = by === undefined;
  const asksToLeave = command.outside !== undefined;
  if (typeof state === "object" && !isModels) return undefined;
  if (typeof state === "object" && !asksToLeave) return refusedStop(call, state.refusal);
  const isHere = isInside(context.cwd, command.cwd);
  if (isHere && isModels && !asksToLeave) passage.confined = sandbox;
  else
    passage.leaving = {
      canStay: isHere && state === "in force",
      mayReach: (host) => sandbox.shellTo(host) !== undefined,
      judge: sandbox.judge,
      sees: sandbox.sees,
      beside: sandbox.running,
    };
  return undefined;
}

/** Without a sandbox, nothing is outside of it. */
function withoutOutside(access: Access): Access {
  if (access.kind !== "execute" || access.outside === undefined) return access;
  const { outside: _, ...rest } = access;
  return rest;
}

/** The model copied one from where a secret was hidden from it. */
function findPlaceholder({ accesses, args, call, session }: Passage): Stop | undefined {
  if (accesses.every(({ kind }) => kind === "read")) return undefined;
  const placeholder = session.secrets?.placeholderIn(JSON.stringify(args));
  if (placeholder === undefined) return undefined;
  return { state: "failed", message: placeholderProblem(call.name, placeholder) };
}

/** Only a changed call can do what its sender did not ask for; the feature that the session works for answers for every call. */
function mayBeAnotherCall({ args, call, session }: Passage): boolean {
  return args !== call.input || session.author !== undefined;
}

/** Whoever changed the call must be allowed to do by itself what it now does. */
async function judgeDeeds(passage: Passage): Promise<Stop | undefined> {
  const { call, session } = passage;
  const answered = await answeredCall(passage);
  passage.answered = answered;
  const lack = answered && session.authority.refusal(answered.by, answered.deeds);
  if (!lack) return undefined;
  if (lack.feature === session.author)
    return refusedStop(
      call,
      `this session works for ${lack.feature}, which may not ${lack.deed}: ${lack.lack}`,
    );
  const why = `${lack.feature} changed it to ${lack.deed}, and may not do that itself: ${lack.lack}`;
  if (session.isNews(`lack ${lack.feature} ${lack.lack}`)) {
    const message = `${lack.feature}: a call of ${call.name} was refused: ${why}`;
    session.onFault?.({ kind: "handler", owner: lack.feature, message });
  }
  return refusedStop(call, why);
}

/** Whoever changed a call answers for all of it. */
async function answeredCall({
  accesses,
  args,
  call,
  changedBy,
  session,
}: Passage): Promise<AnsweredCall | undefined> {
  const { author, authority } = session;
  const made = isSameJson(args, call.input) ? [] : changedBy.map(({ feature }) => feature);
  const by = [...new Set(author === undefined ? made : [author, ...made])];
  if (by.length === 0) return undefined;
  const deeds = await authority.deedsOf({ tool: call.name, accesses });
  return { by, changers: [...new Set(made)], deeds };
}

/** May ask the person. */
async function checkPermission(passage: Passage): Promise<Stop | undefined> {
  const { call, args, accesses, answered, confined, leaving, responsible, sender, session } = passage;
  const decision = await session.permissions.check(
    {
      tool: call.name,
      callId: call.id,
      input: args,
      accesses,
      changedBy: answered?.changers.length ? answered.changers : undefined,
      by: responsible,
      confined: confined ? true : undefined,
      leaving,
    },
    sender.signal,
  );
  passage.tell(decision);
  if (decision.kind === "refuse") return refusedStop(call, decision.reason);
  passage.permit = decision;
  return undefined;
}
