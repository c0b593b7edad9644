// How the host refuses a request of an addon: as an error answer that says why.

import { ScopeError } from "indusagi/capabilities";
import { Aborted, describeError } from "indusagi/core";
import type { ServiceAnswer } from "../../feature/services.ts";
import { RpcError } from "./protocol/contract.ts";
import { ERROR_CODES } from "./protocol/messages.ts";

export function refuse(kind: keyof typeof ERROR_CODES, message: string): never {
  throw new RpcError(ERROR_CODES[kind], message);
}

export function serviceOf<Service>(answer: ServiceAnswer<Service>): Service {
  return answer.ok ? answer.service : refuse(answer.why, answer.reason);
}

/** If the file seam refuses a path because of where it really points, the request is refused. */
export async function refusingScope<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ScopeError) refuse("denied", error.message);
    throw error;
  }
}

/** Turns a store's refusal into one of this request: an invalid request, or something it could not do. */
export async function kept<Store, T>(store: Promise<Store>, work: (store: Store) => Promise<T>): Promise<T> {
  try {
    return await work(await store);
  } catch (error) {
    const { kind } = error as { readonly kind?: unknown };
    if (error instanceof Aborted) throw error;
    const why =
      kind === "denied" ? kind : kind === "validation" || kind === "not_found" ? "params" : "failed";
    return refuse(why, describeError(error));
  }
}
