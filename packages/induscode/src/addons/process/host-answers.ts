// What the host does for each request of an addon: one row a request. The connection has checked the parameters.

import { decodeUtf8 } from "indusagi/capabilities";
import { clamp, type OutputBudget } from "indusagi/core";
import { LOG_BYTES_A_SECOND } from "./addon-log.ts";
import { AddonRequest, type Answers } from "./addon-request.ts";
import { fetchForAddon } from "./fetch-for-addon.ts";
import { refuse, refusingScope, serviceOf } from "./refuse-request.ts";
import { sampleForAddon } from "./sample-for-addon.ts";
import { STORE_ANSWERS } from "./store-answers.ts";
import type { UiMethod } from "./ui-calls.ts";

/** The most that one answer carries, in bytes: far below the longest frame. */
const TEXT_BUDGET: OutputBudget = { kind: "middle", maxBytes: 2 * 1024 * 1024 };
const MAX_READ_BYTES: number = 2 * 1024 * 1024;
/** As many as the session takes from one feature: each further one would be reported to the person. */
export const NOTICES_A_MINUTE = 20;

function notify(text: string, request: AddonRequest): Record<string, never> {
  request.requireGrant("model_notification");
  if (!request.desk.notices.take().ok)
    refuse("limit", `at most ${NOTICES_A_MINUTE} notices a minute reach the model`);
  request.reach().sinks.notifyModel(text);
  return {};
}

function alert(text: string, request: AddonRequest): Record<string, never> {
  request.requireGrant("alert");
  const { sinks } = request.reach();
  return request.speak(() => sinks.alert(text));
}

/** All but the console's, which keep what they show (`ui-calls`). */
export const HOST_ANSWERS: Omit<Answers, UiMethod> = {
  ...STORE_ANSWERS,
  log({ text }, { desk: { logged, log } }) {
    const allowed = logged.take(Buffer.byteLength(text));
    if (allowed.ok) log(text);
    else if (allowed.last) log(`more than ${LOG_BYTES_A_SECOND} bytes in a second: the rest is dropped`);
    return {};
  },
  diagnostic: ({ severity, text }, request) =>
    request.speak(() => request.desk.standing.diagnostic(severity, text)),
  registered(found, { desk }) {
    if (desk.onRegistered === undefined) refuse("denied", "only what an MCP server contributes may change");
    desk.onRegistered(found);
    return {};
  },
  progress({ id, text }, { desk, signal }) {
    const toolCall = desk.toolCalls.get(id);
    if (toolCall) {
      toolCall(text);
      return {};
    }
    const command = desk.commands.named(id);
    if (!command) return alert(text, new AddonRequest(desk, { signal, during: id }));
    command.say(text);
    return {};
  },
  alert: ({ text }, request) => alert(text, request),
  notify: ({ text }, request) => notify(text, request),
  sendMessage({ text }, request) {
    const command = request.command();
    if (!command?.handles.sendMessage) return notify(text, request);
    command.countSent(text);
    command.handles.sendMessage(text);
    return {};
  },
  async exec({ command: line, args = [] }, request) {
    const { runningLines } = request.desk;
    const session = request.session();
    const run = serviceOf(request.services().exec());
    // A line fires events, which may come back here: without this an addon could call itself endlessly.
    if (runningLines.has(session)) refuse("limit", "another command line of this addon is running");
    runningLines.add(session);
    try {
      const { stdout, stderr, code } = await run(line, args, { signal: request.signal });
      return { stdout: clamp(stdout, TEXT_BUDGET), stderr: clamp(stderr, TEXT_BUDGET), code };
    } finally {
      runningLines.delete(session);
    }
  },
  async readFile({ path }, request) {
    const fs = serviceOf(request.services().files());
    const place = request.permitted(path);
    // Size and text come from one opening: between two, another file could take its place.
    const bytes = await refusingScope(fs.readBytes(place, { start: 0, maxBytes: MAX_READ_BYTES + 1 }));
    if (bytes.length > MAX_READ_BYTES) {
      const { size } = await refusingScope(fs.stat(place));
      refuse("limit", `${path} has ${size} bytes; at most ${MAX_READ_BYTES} are read`);
    }
    return { text: decodeUtf8(bytes) };
  },
  async writeFile({ path, text }, request) {
    const { isProtected } = request.desk;
    const place = request.permitted(path);
    const keepsOff = (realPath: string, written: string): boolean => {
      if (!isProtected(realPath) && !isProtected(written)) return false;
      return refuse("denied", `${path} is protected: other programs act on it without checking who wrote it`);
    };
    const fs = serviceOf(request.services().files({ keepsOff }));
    await refusingScope(fs.writeFile(place, text));
    return {};
  },
  sample: (params, request) => sampleForAddon(params, request),
  fetch: (params, request) => fetchForAddon(params, request.services(), request.signal),
  secret: ({ id }, request) => ({ value: serviceOf(request.services().secret(id)) }),
  async setModel({ name }, request) {
    const problem = await request.handle("setModel")(name);
    return problem === undefined ? {} : refuse("failed", problem);
  },
  async setThinking({ level }, request) {
    const problem = request.handle("setThinking")(level);
    return problem === undefined ? {} : refuse("failed", problem);
  },
};
