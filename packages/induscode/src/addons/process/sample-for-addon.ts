// One answer of the session's model in an addon's name.

import { Aborted, describeError } from "indusagi/core";
import type { AddonRequest } from "./addon-request.ts";
import type { AddonToHost } from "./protocol/messages.ts";
import { refuse, serviceOf } from "./refuse-request.ts";

const ANSWERS_A_CALL = 10;
const ANSWERS_A_SESSION = 50;
const MAX_TOKENS = 4_096;
/** Of all texts of one request, in bytes. */
const MAX_ASKED: number = 256 * 1024;

export async function sampleForAddon(
  { messages, system, maxTokens, temperature }: AddonToHost["sample"]["params"],
  request: AddonRequest,
): Promise<AddonToHost["sample"]["result"]> {
  const { session, ended } = request.asking();
  const sample = serviceOf(request.reach(session).services.sampling());
  const bytes = Buffer.byteLength(JSON.stringify([messages, system]));
  if (bytes > MAX_ASKED)
    refuse("limit", `the texts for the model may have ${MAX_ASKED} bytes together, but these have ${bytes}`);
  const { calls, sessions } = request.desk.samples;
  const [ofCall, ofSession] = [calls.get(ended) ?? 0, sessions.get(session) ?? 0];
  if (ofCall >= ANSWERS_A_CALL)
    refuse("limit", `the model gives at most ${ANSWERS_A_CALL} answers during a call`);
  if (ofSession >= ANSWERS_A_SESSION)
    refuse("limit", `the model gives an addon at most ${ANSWERS_A_SESSION} answers in a session`);
  calls.set(ended, ofCall + 1);
  sessions.set(session, ofSession + 1);
  const asked = { messages, system, temperature, maxTokens: Math.min(maxTokens, MAX_TOKENS) };
  try {
    return { ...(await sample(asked, AbortSignal.any([request.signal, ended]))) };
  } catch (error) {
    if (error instanceof Aborted) refuse("cancelled", "the call that asked has ended");
    return refuse("failed", describeError(error));
  }
}
