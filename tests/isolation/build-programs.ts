// Builds the two hostile programs that are compiled: once a test file, into a folder of its own.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { MISSING_KINDS } from "./hook-points.ts";

export const SOURCES: string = join(import.meta.dirname, "programs");

/** What {@link buildPrograms} made. */
export interface Programs {
  /** The path of the program. */
  readonly process: string;
  readonly wasm: Buffer;
}

/** Rejects with what the compilers say. */
export async function buildPrograms(folder: string): Promise<Programs> {
  const program = join(folder, "hostile");
  const [, wasm] = await Promise.all([
    MISSING_KINDS.has("process") ||
      promisify(execFile)("g++", ["-O1", "-o", program, join(SOURCES, "hostile.cpp")]),
    buildModule(join(folder, "hostile.wasm")),
  ]);
  return { process: program, wasm };
}

/** 1,024 pages are the 64 MB of the addon's manifest. */
const OPTIONS = ["--optimize", "--noAssert", "--maximumMemory", "1024", "--use", "abort="];

async function buildModule(target: string): Promise<Buffer> {
  const { main } = await import("assemblyscript/asc");
  // The compiler takes .ts files only, and the rest of the project's tools would take this one for TypeScript.
  const files: Readonly<Record<string, string>> = {
    "hostile.ts": readFileSync(join(SOURCES, "hostile.as"), "utf8"),
  };
  const { error, stderr } = await main(["hostile.ts", "--outFile", "hostile.wasm", ...OPTIONS], {
    readFile: (path) => files[path] ?? null,
    writeFile: (_, content) => writeFileSync(target, content),
    listFiles: () => [],
  });
  if (error) throw new Error(`hostile.as: ${error.message}\n${stderr.toString()}`);
  return readFileSync(target);
}

const PLACEHOLDER = "ORDER".padEnd(48);

/** The module with its order in it. */
export function orderedModule(wasm: Buffer, order: string): Buffer {
  const at = wasm.indexOf(Buffer.from(PLACEHOLDER, "utf16le")); // given as a text, it is looked for at even places only
  if (at < 0 || order.length > PLACEHOLDER.length)
    throw new Error(`hostile.wasm has no room for the order "${order}"`);
  const ordered = Buffer.from(wasm);
  ordered.write(order.padEnd(PLACEHOLDER.length), at, "utf16le");
  return ordered;
}
