// The instructions of a classic BPF program as used by a system call filter, and their encoding.

/** `onTrue` and `onFalse` say how many of the next instructions a condition skips. */
export interface Instruction {
  readonly op: number;
  readonly onTrue?: number;
  readonly onFalse?: number;
  readonly value: number;
}

// linux/bpf_common.h: class, size and mode in one number.
export const LOAD = 0x20;
export const AND = 0x54;
export const IF_EQUAL = 0x15;
export const IF_AT_LEAST = 0x35;
export const IF_ANY_BIT = 0x45;
export const RETURN = 0x06;

// linux/seccomp.h: the return values. An error carries its number in the low half.
export const ALLOW = 0x7fff0000;
export const KILL_PROCESS = 0x80000000;
export const EPERM = 0x00050001;
export const ENOSYS = 0x00050026;

// The field offsets in struct seccomp_data.
export const NUMBER = 0;
export const ARCHITECTURE = 4;

/** The offset of the lower 32 bits of an argument. */
export function argumentLow(index: number): number {
  return 16 + 8 * index;
}

/** The offset of the upper 32 bits of an argument. */
export function argumentHigh(index: number): number {
  return argumentLow(index) + 4;
}

/** The program as `struct sock_filter[]`: eight bytes an instruction, little-endian. */
export function encodeFilter(program: readonly Instruction[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(program.length * INSTRUCTION_BYTES));
  for (const [index, { op, onTrue = 0, onFalse = 0, value }] of program.entries()) {
    const at = index * INSTRUCTION_BYTES;
    view.setUint16(at, op, true);
    view.setUint8(at + 2, onTrue);
    view.setUint8(at + 3, onFalse);
    view.setUint32(at + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}

const INSTRUCTION_BYTES = 8;
