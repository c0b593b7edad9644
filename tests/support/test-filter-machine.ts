// The kernel's side of a system call filter, for tests: runs the program on one call and returns the verdict.

import type { FilterArchitecture } from "../../packages/induscode/src/addons/sandbox/calls/system-calls.ts";

export interface FilteredCall {
  readonly architecture?: FilterArchitecture | "other";
  readonly number: number;
  readonly args?: readonly (number | bigint)[];
}

export type Verdict = "allow" | "kill" | `errno ${number}`;

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7, other: 0x40000003 } as const;

/** The filter's verdict on the call; throws if the program is not valid. */
export function verdictOf(
  filter: Uint8Array,
  { architecture = "x64", number, args = [] }: FilteredCall,
): Verdict {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, AUDIT[architecture], true);
  args.forEach((value, index) => {
    data.setBigUint64(16 + 8 * index, BigInt.asUintN(64, BigInt(value)), true);
  });
  const code = new DataView(filter.buffer, filter.byteOffset, filter.byteLength);
  let accumulator = 0;
  for (let at = 0; at < filter.byteLength / 8; at++) {
    const op = code.getUint16(at * 8, true);
    const value = code.getUint32(at * 8 + 4, true);
    const jump = (taken: boolean): number => code.getUint8(at * 8 + (taken ? 2 : 3));
    switch (op) {
      case 0x20:
        accumulator = data.getUint32(value, true);
        break;
      case 0x54:
        accumulator = (accumulator & value) >>> 0;
        break;
      case 0x15:
        at += jump(accumulator === value);
        break;
      case 0x35:
        at += jump(accumulator >= value);
        break;
      case 0x45:
        at += jump((accumulator & value) >>> 0 !== 0);
        break;
      case 0x06:
        return verdictName(value);
      default:
        throw new Error(`no such instruction: ${op.toString(16)} at ${at}`);
    }
  }
  throw new Error("the program ends without a verdict");
}

function verdictName(value: number): Verdict {
  if (value === 0x7fff0000) return "allow";
  if (value === 0x80000000) return "kill";
  if (value >>> 16 === 5) return `errno ${value & 0xffff}`;
  throw new Error(`no such verdict: ${value.toString(16)}`);
}
