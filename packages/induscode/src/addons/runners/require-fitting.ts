import type { JsonValue } from "indusagi/core";
import { checkParams, kindOfMethod } from "../process/protocol/check-message.ts";
import { RpcError } from "../process/protocol/contract.ts";
import { type DescribeParams, ERROR_CODES, PROTOCOL_VERSION } from "../process/protocol/messages.ts";

/**
 * Throws an {@link RpcError} if a request of the host does not fit the protocol's schema, or if the host does not speak
 * this end's version. Unknown methods are left to the caller.
 */
export function requireFitting(method: string, params: unknown): void {
  if (kindOfMethod(method, "hostToAddon") !== "request") return;
  const problem = checkParams(method, params as JsonValue); // it arrived as JSON
  if (problem !== undefined) throw new RpcError(ERROR_CODES.params, problem);
  if (method !== "describe") return;
  const { min, max } = (params as DescribeParams).protocol;
  if (min <= PROTOCOL_VERSION && PROTOCOL_VERSION <= max) return;
  const problemOfVersion = `this addon speaks protocol ${PROTOCOL_VERSION}; the host speaks ${min} to ${max}`;
  throw new RpcError(ERROR_CODES.params, problemOfVersion);
}
