import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BOUNDED, compileReply, compileWasm } from "../../../../../tests/support/test-wasm.ts";
import { checkWasm } from "./check-wasm.ts";
import { instantiate } from "./wasm-memory.ts";

const MB_64 = 1024;

test("a module with a bounded memory and the one import can be used", async () => {
  const bytes = await compileReply("return 0;");
  expect(checkWasm(bytes, MB_64)).toBeUndefined();
  expect(checkWasm(bytes, 32)).toBeUndefined();
});

test("one that imports nothing can be used as well", async () => {
  const source = `export function indus_alloc(size: i32): usize { return heap.alloc(size); }
    export function indus_handle(at: usize, length: i32): u64 { return 0; }`;
  expect(checkWasm(await compileWasm(source), MB_64)).toBeUndefined();
});

test("a memory without a maximum, or with a larger one, is refused with how to build it", async () => {
  const hint = "asc --maximumMemory 1024, or for clang -Wl,--max-memory=67108864";
  const open = checkWasm(await compileReply("return 0;", []), MB_64);
  expect(open).toMatch(/^its memory has no maximum; build it with one of at most 1024 pages \(64 MB\): /);
  expect(open).toContain(hint);
  const large = checkWasm(await compileReply("return 0;", ["--maximumMemory", "1025"]), MB_64);
  expect(large).toMatch(/^its memory may grow to 1025 pages \(64 MB\); /);
  expect(large).toMatch(/, or raise memory-mb in the manifest's \[run\]$/);
});

test("and without the check such a memory takes more than 64 MB, which a bounded one cannot", async () => {
  const grow = "memory.grow(2000); return result(message, memory.size().toString());";
  const pages = async (options: readonly string[]): Promise<number> => {
    const bytes = new Uint8Array(await compileReply(grow, options));
    const answer = instantiate(bytes, () => undefined).handle('{"id":1,"method":"m"}') ?? "";
    return (JSON.parse(answer) as { readonly result: number }).result;
  };
  expect(await pages([])).toBeGreaterThan(2_000);
  expect(await pages(["--maximumMemory", "1024"])).toBeLessThanOrEqual(1_024);
});

const EXPORTS = `export function indus_alloc(size: i32): usize { return heap.alloc(size); }
  export function indus_handle(at: usize, length: i32): u64 { return other(); }`;

test.each([
  ["another function", `@external("env", "system") declare function other(): u64;`, BOUNDED, `"env.system"`],
  [
    "WASI",
    `@external("wasi_snapshot_preview1", "fd_write") declare function other(): u64;`,
    BOUNDED,
    `"wasi_snapshot_preview1.fd_write"`,
  ],
  [
    "the one function's name from elsewhere",
    `@external("env", "host_call") declare function other(): u64;`,
    BOUNDED,
    `"env.host_call"`,
  ],
  [
    "a global",
    `@external("indus", "host_call") declare const g: u64; function other(): u64 { return g; }`,
    BOUNDED,
    `"indus.host_call"`,
  ],
  ["its memory", `function other(): u64 { return 0; }`, [...BOUNDED, "--importMemory"], `"env.memory"`],
] as const)("the import of %s is refused", async (_, declaration, options, name) => {
  const problem = checkWasm(await compileWasm(declaration + EXPORTS, options), MB_64);
  expect(problem).toContain(`it imports ${name}; it may import only the function indus.host_call, once`);
});

test("a second import is refused, be it the same", async () => {
  const bytes = await compileReply(`call(message); return 0;`);
  const doubled = withImports(bytes, 2);
  expect(checkWasm(withImports(bytes, 1), MB_64)).toBeUndefined();
  expect(checkWasm(doubled, MB_64)).toContain("once");
});

test.each([
  ["indus_handle", `export function indus_alloc(size: i32): usize { return size; }`, BOUNDED],
  ["indus_alloc", `export function indus_handle(at: usize, length: i32): u64 { return 0; }`, BOUNDED],
] as const)("a module without %s is refused", async (name, source, options) => {
  expect(checkWasm(await compileWasm(source, options), MB_64)).toBe(`it must export the function "${name}"`);
});

test("a memory that is not exported is refused", async () => {
  expect(checkWasm(await compileReply("return 0;", [...BOUNDED, "--noExportMemory"]), MB_64)).toBe(
    'it must export the memory "memory"',
  );
});

test("shared memory is refused", async () => {
  const options = [...BOUNDED, "--sharedMemory", "--enable", "threads"];
  expect(checkWasm(await compileReply("return 0;", options), MB_64)).toBe(
    "its memory is shared, has 64-bit addresses or a custom page size",
  );
});

test.each([
  [
    "without a maximum",
    [0x70, 0x00, 0x01],
    "it has a table without a maximum: build it without a growable table",
  ],
  [
    "that is too large",
    [0x70, 0x01, 0x01, 0xa1, 0x8d, 0x06],
    "its tables may grow to 100001 entries; at most 100000 are allowed",
  ],
  ["of another kind", [0x64, 0x70, 0x00, 0x01], "it has a table of a type other than funcref and externref"],
])("a table %s is refused", (_, table, problem) => {
  expect(checkWasm(Uint8Array.from([...HEADER, 4, table.length + 1, 1, ...table]), MB_64)).toBe(problem);
});

test("a module that is cut off at any byte, or has any byte changed, is used or refused, and never an error", () => {
  const path = new URL("../../../../../examples/addons/secret-scan/secret-scan.wasm", import.meta.url);
  const bytes = new Uint8Array(readFileSync(path));
  expect(checkWasm(bytes, MB_64)).toBeUndefined();
  for (let at = 0; at < bytes.length; at += 1) {
    const cut = checkWasm(bytes.subarray(0, at), MB_64);
    expect(cut === undefined || cut.length > 10).toBe(true);
    const changed = bytes.slice(0, 600);
    changed[at % 600] = (at * 7) % 256;
    expect(checkWasm(changed, MB_64)).not.toBe("");
  }
  expect(checkWasm(bytes.subarray(0, 300), MB_64)).toBeTypeOf("string");
  expect(checkWasm(new Uint8Array(), MB_64)).toBe("it is not a WebAssembly module of version 1");
  expect(checkWasm(Uint8Array.from([...HEADER, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 1]), MB_64)).toBe(
    "it contains a number that is too large",
  );
});

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** The module with its one import declared this many times. */
function withImports(bytes: Uint8Array, times: number): Uint8Array {
  const parts: number[] = [...HEADER];
  for (let at = HEADER.length; at < bytes.length; ) {
    const id = bytes[at] ?? 0;
    // Sections in tests are short enough for two digits of LEB128.
    const first = bytes[at + 1] ?? 0;
    const wide = first >= 0x80;
    const length = wide ? (first & 0x7f) + (bytes[at + 2] ?? 0) * 128 : first;
    const start = at + (wide ? 3 : 2);
    const body = [...bytes.subarray(start, start + length)];
    const [, ...entry] = body;
    const section = id === 2 ? [times, ...Array.from({ length: times }, () => entry).flat()] : body;
    parts.push(id, (section.length & 0x7f) | 0x80, section.length >> 7, ...section);
    at = start + length;
  }
  return Uint8Array.from(parts);
}
