// The host's side of the TypeScript compiler: one confined process without any grant, started for the first file that has
// to be compiled and shared by all addons of the session. If a file ends the process, that is the file's fault.

import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { signalGroup, startGroup } from "indusagi/capabilities";
import { describeError } from "indusagi/core";
import { LoaderError } from "../contract.ts";
import { createLastLines } from "../process/last-lines.ts";
import type { CompilerHello } from "../runners/compile-runner.ts";
import type { CompiledSource, SourceFile, SourceProblem } from "../runners/compile-source.ts";
import { runnerFile } from "../runners/runner-file.ts";
import type { Sandbox } from "../sandbox/contract.ts";
import { STACK_BYTES } from "../sandbox/process-limits.ts";
import { addonEnvironment, policyOf } from "../sandbox/spec.ts";

export type { CompiledSource, SourceFile };

export interface SourceCompiler {
  /** Rejects with a {@link LoaderError} of kind `invalid`, with the place, if it is not TypeScript or cannot be compiled. */
  readonly compile: (file: SourceFile) => Promise<CompiledSource>;
  readonly warnings: readonly string[];
  /** A fallback: a better compiler may be available next time. */
  readonly isFallback: boolean;
}

export type LoadCompiler = () => Promise<SourceCompiler>;

interface CompilerOptions {
  /** For tests: the native libraries to try instead of the installed ones. */
  readonly bindings?: readonly string[];
  /** For tests: how long one file may take. */
  readonly fileMs?: number;
}

const MEMORY_BYTES: number = 512 * 1024 * 1024;
/** Limit of one answer: the code of the largest source with its map takes half of that. */
const MAX_ANSWER_BYTES: number = 32 * 1024 * 1024;
/** How long one file may take; the largest takes a third of a second. */
const FILE_MS = 30_000;
/** A compiler that is unused for this long is ended. */
const IDLE_MS = 2_000;
const MB: number = 1024 * 1024;

/** The compiler of a session. Costs nothing until it is used, and nothing again once it has been idle for a while. */
export function createSourceCompiler(sandbox: Sandbox, options: CompilerOptions = {}): LoadCompiler {
  let running: Promise<CompilerProcess> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let lastUse = 0;

  const start = (): Promise<CompilerProcess> => {
    running ??= startCompiler(sandbox, options).catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
  const endWhenIdle = async (): Promise<void> => {
    const use = ++lastUse;
    await delay(IDLE_MS, undefined, { ref: false });
    if (use !== lastUse) return;
    const idle = running;
    running = undefined;
    (await idle?.catch(() => undefined))?.end();
  };
  // One file at a time, so that it is known which one ended the process.
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    lastUse++;
    const done = turn.then(work).finally(() => void endWhenIdle());
    turn = done.catch(() => undefined);
    return done;
  };
  const compile = async (file: SourceFile): Promise<CompiledSource> => {
    let answer: CompiledSource | SourceProblem;
    try {
      answer = await (await start()).ask(file);
    } catch (error) {
      running = undefined; // it is gone or unusable: the next file starts another
      throw error;
    }
    if ("code" in answer) return answer;
    const { problem, ...place } = answer;
    throw new LoaderError({ kind: "invalid", path: file.path }, problem, place);
  };

  return () =>
    inTurn(async () => {
      const { missing } = await start();
      return {
        compile: (file) => inTurn(() => compile(file)),
        isFallback: missing !== undefined,
        warnings: missing === undefined ? [] : [standsIn(missing)],
      };
    });
}

function standsIn(why: string): string {
  return (
    `oxc-transform cannot be loaded (${why}); Node's own type stripping is used instead, without enums, ` +
    "namespaces, parameter properties and .tsx. Reinstall the product with its optional packages."
  );
}

interface CompilerProcess extends CompilerHello {
  /** Rejects with a {@link LoaderError} once the process is gone or has taken too long; in that case it is ended. */
  readonly ask: (file: SourceFile) => Promise<CompiledSource | SourceProblem>;
  readonly end: () => void;
}

async function startCompiler(sandbox: Sandbox, options: CompilerOptions): Promise<CompilerProcess> {
  const { bindings = installedBindings(), fileMs = FILE_MS } = options;
  const runner = runnerFile("compile-runner");
  const { argv } = sandbox.confine(
    [
      process.execPath,
      // The compiler is a native library; nothing else that matters is allowed to its process.
      ...["--allow-addons", "--disable-warning=PERM0001"],
      ...["--max-old-space-size=256", runner.path, ...bindings],
    ],
    {
      readable: [process.execPath, ...runner.readable, ...bindings].map((path) => realpathSync.native(path)),
      writable: [],
      protected: [],
      mayStartProcesses: false,
      isNode: true,
      maxMemoryBytes: MEMORY_BYTES,
    },
  );
  const env = addonEnvironment(policyOf([], "/"), {});
  const child = startGroup(argv, { cwd: dirname(runner.path), env, stdio: ["pipe", "pipe", "pipe"] });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error("the compiler's process has no pipes");
  const lastLines = createLastLines();
  let waiting:
    | { readonly resolve: (line: string) => void; readonly reject: (why: Error) => void }
    | undefined;
  let ended: Error | undefined;
  let held: Buffer[] = [];
  let heldBytes = 0;

  const end = (why: Error): void => {
    ended ??= why;
    signalGroup(child.pid, "SIGKILL");
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    waiting?.reject(ended);
    waiting = undefined;
  };
  stderr.on("data", (chunk: Buffer) => lastLines.add(chunk.toString("utf8")));
  stdout.on("data", (chunk: Buffer) => {
    const at = chunk.indexOf("\n");
    held.push(at < 0 ? chunk : chunk.subarray(0, at));
    heldBytes += chunk.length;
    if (heldBytes > MAX_ANSWER_BYTES)
      return end(new Error(`its answer has more than ${MAX_ANSWER_BYTES / MB} MB`));
    if (at < 0) return;
    const line = Buffer.concat(held).toString("utf8");
    held = [];
    heldBytes = 0;
    waiting?.resolve(line);
    waiting = undefined;
  });
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => undefined); // its exit gives the reason
  child.once("error", (error) => end(new Error(describeError(error))));
  child.once("close", (code, signal) => end(new Error(exitInWords(code, signal) + lastLines.inWords())));
  for (const held of [child, stdin, stdout, stderr]) setHeld(held, false);

  const line = (limitMs: number): Promise<string> =>
    new Promise<string>((resolve, reject) => {
      if (ended) return reject(ended);
      const late = setTimeout(() => end(new Error(`it took longer than ${limitMs / 1_000} s`)), limitMs);
      for (const each of [child, stdout]) setHeld(each, true);
      const settle = (): void => {
        clearTimeout(late);
        for (const each of [child, stdout]) setHeld(each, false);
      };
      waiting = {
        resolve(text) {
          settle();
          resolve(text);
        },
        reject(why) {
          settle();
          reject(why);
        },
      };
    });

  try {
    const { missing } = JSON.parse(await line(FILE_MS)) as CompilerHello;
    return {
      missing,
      async ask(file) {
        try {
          const answer = line(fileMs);
          stdin.write(`${JSON.stringify(file)}\n`);
          return JSON.parse(await answer) as CompiledSource | SourceProblem;
        } catch (cause) {
          end(new Error("the host ended it"));
          throw new LoaderError({ kind: "invalid", path: file.path }, beyond(file, describeError(cause)), {
            cause,
          });
        }
      },
      end: () => end(new Error("the host ended it")),
    };
  } catch (cause) {
    end(new Error(describeError(cause)));
    const detail = `the process that compiles TypeScript could not be started: ${describeError(cause)}`;
    throw new LoaderError({ kind: "io", path: runner.path }, detail, { cause });
  }
}

/** Describes what ended the compiler while it worked on a file. */
function beyond({ text }: SourceFile, why: string): string {
  const limits = `${STACK_BYTES / MB} MB of stack, ${MEMORY_BYTES / MB} MB of memory and ${FILE_MS / 1_000} s`;
  return (
    `it cannot be compiled: the compiler's process failed on its ${Buffer.byteLength(text)} bytes (${why}); code that nests too ` +
    `deeply or grows too large for ${limits} is rejected`
  );
}

function exitInWords(code: number | null, signal: NodeJS.Signals | null): string {
  // bubblewrap reports a signal as an exit code, as shells do.
  if (signal === null && code !== null && code > 128) return `signal ${code - 128}`;
  return signal === null ? `exit code ${code}` : `${signal}`;
}

interface Held {
  readonly ref?: () => void;
  readonly unref?: () => void;
}

/** Sets whether it keeps the product running: a child, or a socket typed as a plain stream. */
function setHeld(handle: object, isHeld: boolean): void {
  const { ref, unref } = handle as Held;
  (isHeld ? ref : unref)?.call(handle);
}

/** How the packages of the compiler's native libraries name the C library of a system. */
const C_LIBRARIES = ["", "-gnu", "-musl", "-msvc"];

/** The installed native libraries of the compiler: just one if the package manager skipped those for other systems. */
function installedBindings(): readonly string[] {
  const require = createRequire(import.meta.url);
  const system = `@oxc-transform/binding-${process.platform}-${process.arch}`;
  return C_LIBRARIES.flatMap((library) => {
    try {
      return [realpathSync.native(require.resolve(system + library))];
    } catch {
      return []; // for another system; the process reports if it has none
    }
  });
}
