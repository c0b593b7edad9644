// What every wire offers. Types only.

import type { ModelDelta, ModelProvider, ModelRequest } from "../contract.ts";
import type { Correspondent } from "../model-faults.ts";
import type { WireReader } from "../wire-call.ts";
import type { Pieces } from "../wire-json.ts";
import type { Endpoint } from "./endpoint.ts";

/** The exports of a wire's folder. */
export interface Wire {
  /** A provider on this wire. Throws a TypeError for an endpoint that cannot be used; its calls never reject. */
  readonly createProvider: (endpoint: Endpoint) => ModelProvider;
  /** Reads one answer; deltas are reported as they arrive. */
  readonly createReader: (whom: Correspondent, onDelta: (delta: ModelDelta) => void) => WireReader;
  /** Writes the requests of the provider with this id: what it sent earlier is sent back to it. */
  readonly createWriter: (provider: string) => (request: ModelRequest) => Pieces;
}
