// The checks, in the order in which they run. Each starts the program anew, so that none stands on what another did to it.

import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "indusagi/core";
import { checkResult } from "../../packages/induscode/src/addons/process/protocol/check-message.ts";
import {
  ERROR_CODES,
  PROTOCOL_VERSION,
  type Registration,
} from "../../packages/induscode/src/addons/process/protocol/messages.ts";
import { problemsOfRegistration } from "./check-registration.ts";
import type { Answer, Check, CheckContext, Session, Verdict } from "./contract.ts";
import { type SampleCall, sampleCalls } from "./samples.ts";

/** The parameters of `describe`, as the host sends them. */
export function describeParams(range: { readonly min: number; readonly max: number }): JsonObject {
  return { protocol: range, id: "conformance", cwd: "/tmp", grants: [] };
}

/** What the host speaks. */
export const HOST_RANGE: { readonly min: number; readonly max: number } = {
  min: PROTOCOL_VERSION,
  max: PROTOCOL_VERSION,
};
const LATER_RANGE = { min: 99, max: 99 };
const PIECE_PAUSE_MS = 30;
// Line ends that are none here, escapes of every kind, both planes, and a lone half of a pair.
const UNICODE = 'é \u2028 \u2029 \u0085 \u{1f600} \u0000 \n \t " \\ \ud83d </script>';

export const CHECKS: readonly Check[] = [
  {
    name: "handshake",
    title: "answers describe with what it contributes",
    kind: "vital",
    run: async (context) => {
      const session = await context.open({ describes: false });
      const answer = await session.ask("describe", describeParams(HOST_RANGE));
      if (answer.kind !== "result") return expected("a registration", answer, session);
      const problem = checkResult("describe", answer.result);
      if (problem !== undefined) return failed(`expected a registration, found one in which ${problem}`);
      context.register(answer.result as unknown as Registration);
      return undefined;
    },
  },
  {
    name: "registration",
    title: "contributes nothing that the host would leave out",
    run: async (context) => {
      const problems = await problemsOfRegistration(context.registration());
      return problems.length === 0 ? undefined : failed(problems.join("; "));
    },
  },
  {
    name: "repeatable",
    title: "answers describe the same when it is started again",
    run: async (context) => {
      const session = await context.open({ describes: false });
      const answer = await session.ask("describe", describeParams(HOST_RANGE));
      const first = JSON.stringify(context.registration());
      const second = answer.kind === "result" ? JSON.stringify(answer.result) : undefined;
      if (second === first) return undefined;
      return failed(`expected ${clip(first)} again, found ${clip(second ?? inWords(answer))}`);
    },
  },
  {
    name: "no-effects",
    title: "asks nothing of the host while it describes itself",
    run: async ({ open }) => {
      const { requested } = await open();
      const effects = requested.filter((method) => method !== "log" && method !== "diagnostic");
      if (effects.length === 0) return undefined;
      return failed(
        `expected at most log and diagnostic, because the answer is cached; found ${effects.join(", ")}`,
      );
    },
  },
  {
    name: "range",
    title: `answers a host that speaks other versions with ${ERROR_CODES.params}`,
    run: async ({ open }) => {
      const session = await open({ describes: false });
      const answer = await session.ask("describe", describeParams(LATER_RANGE));
      if (answer.kind === "error" && answer.code === ERROR_CODES.params) return undefined;
      return expected(
        `an error with the code ${ERROR_CODES.params} for the range ${JSON.stringify(LATER_RANGE)}`,
        answer,
        session,
      );
    },
  },
  {
    name: "contributions",
    title: "answers a call of everything that it contributes",
    run: (context) => callEverything(context, "grants"),
  },
  {
    name: "refusals",
    title: "answers as well when the host refuses what it asks for",
    run: (context) => callEverything(context, "refuses"),
  },
  {
    name: "tasks",
    title: "starts and stops its background tasks",
    run: callTasks,
  },
  {
    name: "unknown-method",
    title: `answers an unknown method with ${ERROR_CODES.method}`,
    run: async ({ open }) => {
      const session = await open();
      const answer = await session.ask("conformance/unknown", {});
      if (answer.kind === "error" && answer.code === ERROR_CODES.method) return undefined;
      return expected(`an error with the code ${ERROR_CODES.method}`, answer, session);
    },
  },
  {
    name: "bad-params",
    title: `answers parameters that do not fit with ${ERROR_CODES.params}`,
    run: async (context) => {
      const [call] = sampleCalls(context.registration());
      const session = await context.open();
      const method = call?.method ?? "describe";
      const answer = await session.ask(method, {});
      if (answer.kind !== "error" || answer.code !== ERROR_CODES.params)
        return expected(
          `an error with the code ${ERROR_CODES.params} for ${method} with {}`,
          answer,
          session,
        );
      return stillAnswers(context, session);
    },
  },
  {
    name: "cancel",
    title: "answers a cancelled request, once",
    run: async (context) => {
      const { tasks = [] } = context.registration();
      const [task] = tasks;
      const calls = sampleCalls(context.registration());
      // What takes long can be cancelled best.
      const call =
        task === undefined
          ? (calls.find(({ method }) => method === "command" || method === "tool") ?? calls[0])
          : { method: "task/start", params: { id: task.id } };
      if (call === undefined) return { skipped: "it contributes nothing that could be called" };
      const session = await context.open();
      const { id, answer } = session.begin(call.method, call.params);
      session.notify("cancel", { id });
      const found = await Promise.race([answer, afterwards(context.options.cancelGraceMs)]);
      if (found.kind === "none")
        return expected(
          `an answer to ${call.method} within ${context.options.cancelGraceMs} ms of its cancellation`,
          found,
          session,
        );
      return (await stillAnswers(context, session)) ?? noneWrong(session);
    },
  },
  {
    name: "notifications",
    title: "answers no notification, and lives with one that it does not know",
    run: async (context) => {
      const session = await context.open();
      session.notify("conformance/unknown", {});
      session.notify("cancel", { id: 999_999 });
      return (await stillAnswers(context, session)) ?? noneWrong(session);
    },
  },
  {
    name: "big-line",
    title: "takes a message of 1 MiB",
    run: async (context) => {
      const session = await context.open();
      const { method, params } = probe(context, "x".repeat(context.options.bigLineBytes));
      const answer = await session.ask(method, params);
      return answer.kind === "none" ? expected("an answer", answer, session) : undefined;
    },
  },
  {
    name: "unicode",
    title: "takes every character, U+2028 and the like included, without cutting a line at it",
    run: async (context) => {
      const session = await context.open();
      const { method, params } = probe(context, UNICODE);
      const answer = await session.ask(method, params);
      if (answer.kind === "none" || isUnread(answer))
        return expected("an answer as to any other text", answer, session);
      return (await stillAnswers(context, session)) ?? noneWrong(session);
    },
  },
  {
    name: "pieces",
    title: "reads a message that comes in pieces, and two that come as one",
    run: async (context) => {
      const session = await context.open();
      const { method, params } = probe(context, "sample");
      const whole = session.prepare(method, params);
      const third = Math.ceil(whole.line.length / 3);
      for (const piece of [0, 1, 2]) {
        session.write(whole.line.slice(piece * third, (piece + 1) * third));
        await pause(PIECE_PAUSE_MS);
      }
      const first = await whole.answer;
      if (first.kind === "none") return expected("an answer to a message in three pieces", first, session);
      const both = [session.prepare(method, params), session.prepare(method, params)];
      session.write(both.map(({ line }) => line).join(""));
      for (const { answer } of both) {
        const found = await answer;
        if (found.kind === "none")
          return expected("an answer to each of two messages that came as one", found, session);
      }
      return undefined;
    },
  },
  {
    name: "garbage",
    title: "survives a line that is not JSON, or ends by itself",
    run: async (context) => {
      const session = await context.open();
      session.write("this is not JSON\n");
      const { method, params } = probe(context, "sample");
      const answer = await session.ask(method, params);
      session.wrong.length = 0; // the complaint about that line has no id that could be right
      if (answer.kind !== "none") return undefined;
      if (session.ended() !== undefined && !session.crashed()) return undefined;
      return expected("an answer to the next message, or an orderly end", answer, session);
    },
  },
  {
    name: "dispose",
    title: "answers dispose and ends",
    run: async ({ open, options }) => {
      const session = await open();
      const answer = await session.ask("dispose", {});
      const problem = answer.kind === "result" ? checkResult("dispose", answer.result) : undefined;
      if (answer.kind !== "result" || problem !== undefined)
        return expected("the result {}", answer, session);
      return endsInTime(session, options.endMs, "dispose");
    },
  },
  {
    name: "end-of-input",
    title: "ends when its standard input does",
    run: async ({ open, options }) => {
      const session = await open();
      session.closeInput();
      return endsInTime(session, options.endMs, "the end of its input");
    },
  },
  {
    name: "in-time",
    kind: "summary",
    title: "acknowledged or answered every request in time",
    run: async ({ observations: { slow }, options }) =>
      slow.length === 0
        ? undefined
        : failed(`expected an ack or an answer within ${options.acknowledgeMs} ms; ${listed(slow)}`),
  },
  {
    name: "standard-output",
    kind: "summary",
    title: "wrote nothing but the protocol's lines to standard output",
    run: async ({ observations: { stray } }) => (stray.length === 0 ? undefined : failed(listed(stray))),
  },
  {
    name: "messages",
    kind: "summary",
    title: "sent no message that is not of the protocol",
    run: async ({ observations: { wrong } }) => (wrong.length === 0 ? undefined : failed(listed(wrong))),
  },
];

async function callEverything(context: CheckContext, host: "grants" | "refuses"): Promise<Verdict> {
  const calls = sampleCalls(context.registration());
  if (calls.length === 0) return { skipped: "it contributes no handler, interceptor, tool or command" };
  const { observations } = context;
  const problems: string[] = [];
  for (const call of calls) {
    const session = await context.open({ host });
    const problem = problemOfAnswer(call, await session.ask(call.method, call.params));
    if (problem === undefined || observations.brokenCalls.has(call.what)) continue;
    observations.brokenCalls.add(call.what);
    problems.push(`${call.what}: ${problem}${said(session)}`);
  }
  return problems.length === 0 ? undefined : failed(problems.join("; "));
}

function problemOfAnswer({ method, params }: SampleCall, answer: Answer): string | undefined {
  const asked = `${method} with ${clip(JSON.stringify(params))}`;
  if (answer.kind === "none") return `expected an answer to ${asked}, found none: ${answer.why}`;
  if (answer.kind === "result") {
    const problem = checkResult(method, answer.result);
    return problem === undefined ? undefined : `the answer to ${asked} does not fit: ${problem}`;
  }
  // It may fail, as foreign calls do. It may not fail to know what it registered.
  const codes: readonly number[] = [
    ERROR_CODES.method,
    ERROR_CODES.params,
    ERROR_CODES.request,
    ERROR_CODES.parse,
  ];
  return codes.includes(answer.code) ? `expected a result for ${asked}, found ${inWords(answer)}` : undefined;
}

async function callTasks(context: CheckContext): Promise<Verdict> {
  const { tasks = [] } = context.registration();
  if (tasks.length === 0) return { skipped: "it contributes no task" };
  for (const { id, graceMs: saidMs = 1_000 } of tasks) {
    const graceMs = saidMs * context.options.times;
    const session = await context.open();
    const { answer } = session.begin("task/start", { id });
    await Promise.race([answer, pause(PIECE_PAUSE_MS)]);
    const stopped = await session.ask("task/stop", { id });
    if (stopped.kind !== "result") return expected(`a result of task/stop of ${id}`, stopped, session);
    const ended = await Promise.race([answer, afterwards(graceMs)]);
    if (ended.kind === "none")
      return expected(`task/start of ${id} to be answered within ${graceMs} ms of task/stop`, ended, session);
  }
  return undefined;
}

/** A call that carries `text` and that any addon must answer: one of its handlers, else a method that it does not have. */
function probe(
  { registration }: CheckContext,
  text: string,
): { readonly method: string; readonly params: JsonObject } {
  const call = sampleCalls(registration()).find(({ method }) => method === "event" || method === "enter");
  if (call === undefined) return { method: "conformance/unknown", params: { text } };
  const key = call.method === "event" ? "payload" : "args";
  const carrier = call.params[key] as JsonObject;
  return { method: call.method, params: { ...call.params, [key]: { ...carrier, sample: text } } };
}

async function stillAnswers(context: CheckContext, session: Session): Promise<Verdict> {
  const { method, params } = probe(context, "sample");
  const answer = await session.ask(method, params);
  return answer.kind === "none" ? expected("an answer to the next request", answer, session) : undefined;
}

function noneWrong({ wrong }: Session): Verdict {
  return wrong.length === 0
    ? undefined
    : failed(`expected one answer to each request; found ${listed(wrong)}`);
}

/** Whether the addon says that it could not read what was sent. */
function isUnread(answer: Answer): boolean {
  return (
    answer.kind === "error" && (answer.code === ERROR_CODES.parse || answer.code === ERROR_CODES.request)
  );
}

async function endsInTime(session: Session, ms: number, after: string): Promise<Verdict> {
  if (!(await session.endsWithin(ms)))
    return failed(`expected the program to end within ${ms} ms of ${after}, found it running`);
  return session.crashed() ? failed(`expected an orderly end, found that it ${session.ended()}`) : undefined;
}

function expected(what: string, found: Answer, session: Session): Verdict {
  return failed(`expected ${what}, found ${inWords(found)}${said(session)}`);
}

function said(session: Session): string {
  const text = session.errorText().trim();
  return text === "" ? "" : `; its standard error ends with: ${clip(text.slice(-400))}`;
}

function inWords(answer: Answer): string {
  if (answer.kind === "none") return `none: ${answer.why}`;
  if (answer.kind === "error") return `the error ${answer.code} ${clip(JSON.stringify(answer.message))}`;
  return `the result ${clip(JSON.stringify(answer.result))}`;
}

function failed(why: string): Verdict {
  return { failed: why };
}

const LISTED = 5;

function listed(texts: readonly string[]): string {
  const more = texts.length > LISTED ? `, and ${texts.length - LISTED} more` : "";
  return `${texts.slice(0, LISTED).join("; ")}${more}`;
}

function clip(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)} …` : text;
}

async function afterwards(ms: number): Promise<Answer> {
  // Only the program under test keeps the suite waiting: it may have answered long ago.
  await pause(ms, undefined, { ref: false });
  return { kind: "none", why: `nothing came within ${ms} ms` };
}
