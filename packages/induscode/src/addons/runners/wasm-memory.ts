// JSON texts in and out of a module's linear memory. A module's numbers are checked, because its code is untrusted.

import { WASM_EXPORTS } from "./check-wasm.ts";
import { MAX_FRAME_BYTES } from "./pipe-lines.ts";

/** The parts of the engine that are used. TypeScript keeps these types with the browser's, which this project does not include. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
  readonly RuntimeError: new (message?: string) => Error;
};

export interface WasmInstance {
  /** Calls the module with a message; returns its answer's text, or undefined if it gave none. Throws for a trap. */
  readonly handle: (message: string) => string | undefined;
}

/** `hostCall` gets the module's message and returns the text to send back, if any. */
export function instantiate(
  bytes: Uint8Array<ArrayBuffer>,
  hostCall: (message: string) => string | undefined,
): WasmInstance {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
    indus: {
      host_call: (at: number, length: number) => {
        const answer = hostCall(take(at >>> 0, length >>> 0));
        return answer === undefined ? 0n : give(answer).packed;
      },
    },
  });
  const memory = exports[WASM_EXPORTS.memory] as { readonly buffer: ArrayBuffer };
  const alloc = exports[WASM_EXPORTS.alloc] as (size: number) => unknown;
  const handle = exports[WASM_EXPORTS.handle] as (at: number, length: number) => unknown;

  function take(at: number, length: number): string {
    if (length > MAX_FRAME_BYTES)
      throw new Error(`it passed ${length} bytes; at most ${MAX_FRAME_BYTES} are accepted`);
    if (at + length > memory.buffer.byteLength)
      throw new Error(`it passed ${length} bytes at ${at}, beyond its memory of ${memory.buffer.byteLength}`);
    return decoder.decode(new Uint8Array(memory.buffer, at, length));
  }

  function give(text: string): { readonly at: number; readonly length: number; readonly packed: bigint } {
    const source = encoder.encode(text);
    const at = Number(alloc(source.length)) >>> 0;
    if (at === 0 || at + source.length > memory.buffer.byteLength)
      throw new Error(`${WASM_EXPORTS.alloc} could not allocate ${source.length} bytes`);
    new Uint8Array(memory.buffer, at, source.length).set(source);
    return { at, length: source.length, packed: (BigInt(at) << 32n) | BigInt(source.length) };
  }

  return {
    handle(message) {
      const { at, length } = give(message);
      const packed = handle(at, length);
      if (typeof packed !== "bigint")
        throw new Error(`${WASM_EXPORTS.handle} must return an i64, got a ${typeof packed}`);
      const bits = BigInt.asUintN(64, packed);
      return bits === 0n ? undefined : take(Number(bits >> 32n), Number(bits & 0xffff_ffffn));
    },
  };
}

/** Whether the module aborted: a trap, or a stack overflow. */
export function isTrap(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}
