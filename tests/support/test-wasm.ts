// WebAssembly modules for tests, compiled from a few lines of AssemblyScript.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keptFolder } from "./kept-folder.ts";

/** Common to all modules of these tests: a memory, room for messages, and a way to answer. A test provides `reply`. */
const FRAME = `
@external("indus", "host_call") declare function host_call(at: usize, length: usize): u64;
export function indus_alloc(size: i32): usize { return heap.alloc(size); }
let held: ArrayBuffer = new ArrayBuffer(0);
function pack(text: string): u64 {
  held = String.UTF8.encode(text);
  return (<u64>changetype<usize>(held) << 32) | <u64>held.byteLength;
}
function call(text: string): string {
  const bytes = String.UTF8.encode(text);
  const packed = host_call(changetype<usize>(bytes), bytes.byteLength);
  return packed == 0 ? "" : String.UTF8.decodeUnsafe(<usize>(packed >> 32), <usize>(packed & 0xffffffff));
}
function idOf(message: string): string { return message.substring(message.indexOf('"id":') + 5, message.indexOf(',"method"')); }
function result(message: string, text: string): u64 { return pack('{"jsonrpc":"2.0","id":' + idOf(message) + ',"result":' + text + "}"); }
export function indus_handle(at: usize, length: i32): u64 { return reply(String.UTF8.decodeUnsafe(at, length)); }
`;

/** `reply` is the body of a function of `message: string` that returns a `u64`; `start` runs before anything else. */
export async function compileReply(
  reply: string,
  options: readonly string[] = BOUNDED,
  start = "",
): Promise<Uint8Array> {
  return compileWasm(`${FRAME}\n${start}\nfunction reply(message: string): u64 { ${reply} }`, options);
}

/** 2 MB. */
export const BOUNDED: readonly string[] = ["--maximumMemory", "32"];

const COMPILER: string = fileURLToPath(import.meta.resolve("assemblyscript/package.json"));

/** The module of a source text: compiled once for all files and runs, and the compiler is loaded only if needed. */
export async function compileWasm(source: string, options: readonly string[] = BOUNDED): Promise<Uint8Array> {
  const hash = createHash("sha256")
    .update(JSON.stringify([source, options, readFileSync(COMPILER, "utf8")]))
    .digest("hex");
  const known = join(keptFolder("wasm"), `${hash}.wasm`);
  if (existsSync(known)) return new Uint8Array(readFileSync(known));
  const built = await compile(source, options);
  const whole = `${known}.${process.pid}`;
  writeFileSync(whole, built);
  renameSync(whole, known); // atomic: whoever finds the file finds all of it
  return built;
}

async function compile(source: string, options: readonly string[]): Promise<Uint8Array> {
  const { default: asc } = await import("assemblyscript/asc");
  let built: Uint8Array | undefined;
  const { error, stderr } = await asc.main(["a.ts", "--outFile", "a.wasm", "--use", "abort=", ...options], {
    readFile: (path: string) => (path === "a.ts" ? source : null),
    writeFile: (_: string, content: string | Uint8Array) => {
      if (typeof content !== "string") built = content;
    },
    listFiles: () => [],
  });
  if (error || !built) throw new Error(`${String(error)}\n${stderr.toString()}`);
  return built;
}
