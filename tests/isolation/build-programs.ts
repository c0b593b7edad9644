// Builds the two hostile programs that are compiled: the native one once for all files of a run, the module once for all runs.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";
import { compileWasm } from "../support/test-wasm.ts";
import { MISSING_KINDS } from "./hook-points.ts";

export const SOURCES: string = join(import.meta.dirname, "programs");

/** What {@link buildPrograms} made. */
export interface Programs {
  /** The path of the program. */
  readonly process: string;
  readonly wasm: Buffer;
}

const PATIENCE_MS = 80_000;

/** Whoever asks first builds the native one, the others wait. Rejects with what the compilers say. */
export async function buildPrograms(): Promise<Programs> {
  const [program, wasm] = await Promise.all([buildProgram(), buildModule()]);
  return { process: program, wasm };
}

async function buildProgram(): Promise<string> {
  const source = join(SOURCES, "hostile.cpp");
  const hash = createHash("sha256").update(readFileSync(source)).digest("hex");
  const folder = join(tmpdir(), `hostile-programs-${hash.slice(0, 16)}`);
  const program = join(folder, "hostile");
  const ended = join(folder, "ended");
  if (isFirst(folder))
    await build(source, program).then(
      () => writeFileSync(ended, ""),
      (error: unknown) => writeFileSync(ended, String(error)),
    );
  await vi.waitUntil(() => existsSync(ended), { timeout: PATIENCE_MS, interval: 50 });
  const problem = readFileSync(ended, "utf8");
  if (problem !== "") throw new Error(problem);
  return program;
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "EEXIST") throw error;
    return false;
  }
}

async function build(source: string, program: string): Promise<void> {
  if (MISSING_KINDS.has("process")) return;
  await promisify(execFile)("g++", ["-O1", "-o", program, source]);
}

/** 1,024 pages are the 64 MB of the addon's manifest. */
const OPTIONS = ["--optimize", "--noAssert", "--maximumMemory", "1024"];

async function buildModule(): Promise<Buffer> {
  const source = readFileSync(join(SOURCES, "hostile.as"), "utf8");
  return Buffer.from(await compileWasm(source, OPTIONS));
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
