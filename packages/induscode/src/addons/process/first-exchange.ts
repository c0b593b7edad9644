// The first exchange with every process of an addon: it must register in time, in this protocol, and what is committed.

import { describeError } from "indusagi/core";
import { faultKindOf, HostError } from "../../feature/fault-kind.ts";
import type { AddonId } from "../contract.ts";
import { ProtocolBreach, type RequestOptions, RpcError } from "./protocol/contract.ts";
import { PROTOCOL_VERSION, type Registration } from "./protocol/messages.ts";
import { START_ADVICE } from "./protocol/start-advice.ts";

/** How long a process may take to start and register unless its manifest says otherwise, in milliseconds. */
export const START_MS = 10_000;
/** The same for a server, which may load models or reach a service first. */
export const SERVER_START_MS = 60_000;

export interface FirstExchangeFacts {
  /** For messages; `project:redact` once it is known. */
  readonly id: AddonId;
  /** From its manifest. */
  readonly startMs?: number | undefined;
  /** What its runner has beside that: it limits the time of what it starts itself, and says at which step that was. */
  readonly runnerMs?: number | undefined;
  /** It is there for an MCP server. */
  readonly isServer?: boolean;
  /** Called when a later start registers something else; absent where that makes the start fail. */
  readonly onChanged?: ((found: Registration) => void) | undefined;
}

/** `describe` asks the process; `before` is what the addon registered earlier. Rejects with why this process cannot be used. */
export async function firstExchange(
  {
    id,
    isServer = false,
    startMs = isServer ? SERVER_START_MS : START_MS,
    runnerMs = 0,
    onChanged,
  }: FirstExchangeFacts,
  describe: (options: RequestOptions) => Promise<Registration>,
  before: Registration | undefined,
): Promise<Registration> {
  const deadline = new AbortController();
  const late = new Error(
    isServer
      ? `the server did not answer within ${startMs / 1_000} s, ${START_ADVICE}`
      : `the addon ${id} did not register within ${startMs} ms`,
  );
  const timer = setTimeout(() => deadline.abort(late), startMs + runnerMs);
  const found = await describe({ signal: deadline.signal, isPatient: true }).finally(() =>
    clearTimeout(timer),
  );
  if (found.protocol !== PROTOCOL_VERSION)
    throw new Error(
      `the addon ${id} speaks protocol ${found.protocol}; this host speaks ${PROTOCOL_VERSION}`,
    );
  if (before === undefined || isSame(before, found)) return found;
  if (onChanged === undefined)
    throw new Error(
      `the addon ${id} registered something different from before: its registration must be the same at every start`,
    );
  onChanged(found);
  return found;
}

/** Why an addon did not start, with what its process last wrote unless the error already includes that. */
export function startFailure(error: unknown, lastWords: string, isServer = false): HostError {
  const faultKind = isRefusedRegistration(error) ? "register" : faultKindOf(error, "load");
  // An addon's own answer is complete, a runner's about its server is not; the words about an end already include the last lines.
  const isPlain =
    (error instanceof RpcError && !isServer) || (error instanceof ProtocolBreach && error.kind === "closed");
  return new HostError(`${describeError(error)}${isPlain ? "" : lastWords}`, { cause: error, faultKind });
}

/** Whether it registers the same; the words about what it leaves out may change. */
function isSame(one: Registration, other: Registration): boolean {
  const [first, second] = [one, other].map(({ skipped: _, ...registered }) => JSON.stringify(registered));
  return first === second;
}

/** Whether the answer to `describe` says that the addon's own `register` failed. */
function isRefusedRegistration(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  const { data } = error;
  return typeof data === "object" && data !== null && "kind" in data && data.kind === "register";
}
