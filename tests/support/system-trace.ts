// Runs a command under strace and reads what it recorded: which programs were started, and what was done with sockets.
// Not visible: what a program does internally (libuv's own rings carry changes of its poll set, but no connections).

import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Finished } from "./indus.ts";

/** One attempt to start a program, including failed ones: looking for it there is already the mistake. */
export interface ProgramStart {
  readonly pid: number;
  /** As given; relative paths stay relative. For a start by file descriptor, preceded by the descriptor: `fd 5: `. */
  readonly program: string;
  readonly argv: readonly string[];
  /** `NAME=value`, in order. */
  readonly env: readonly string[];
  /** `0`, or the error's name. */
  readonly result: string;
}

export type SocketAddress =
  | { readonly family: "inet"; readonly host: string; readonly port: number }
  /** An abstract name begins with `@`. */
  | { readonly family: "unix"; readonly path: string }
  | { readonly family: "other"; readonly name: string };

/** One created socket, or one use of an address. */
export type SocketUse =
  | { readonly call: "socket"; readonly pid: number; readonly domain: string; readonly type: string }
  | {
      readonly call: "connect" | "bind" | "sendto" | "sendmsg" | "sendmmsg";
      readonly pid: number;
      readonly address: SocketAddress;
    };

export interface SystemTrace {
  readonly starts: readonly ProgramStart[];
  readonly sockets: readonly SocketUse[];
}

/** The text of an strace file as events in order. Throws on a line that it does not understand: it could be an attack. */
export function parseSystemTrace(text: string): SystemTrace {
  const starts: ProgramStart[] = [];
  const sockets: SocketUse[] = [];
  for (const { pid, name, args, result } of completeCalls(text)) {
    const { shape, texts } = takeTexts(args);
    if (name === "execve" || name === "execveat") {
      starts.push({ pid, ...startOf(name, shape, texts), result });
    } else if (name === "socket") {
      const [domain = "", type = ""] = shape.split(", ");
      sockets.push({ call: name, pid, domain, type: type.split("|")[0] ?? "" });
    } else {
      const call = callNamed(name);
      for (const address of addressesIn(shape, texts)) sockets.push({ call, pid, address });
    }
  }
  return { starts, sockets };
}

/** Why no trace can be made on this machine; undefined if it can. */
export function traceProblem(): string | undefined {
  const probe = tryTrace();
  if (probe.error) return `strace cannot be run: ${probe.error.message}`;
  return probe.status === 0 ? undefined : `strace may not trace: ${probe.stderr.trim()}`;
}

function tryTrace(...more: readonly string[]) {
  return spawnSync("strace", ["-f", ...more, "-o", "/dev/null", "-e", "trace=execve", "true"], {
    encoding: "utf8",
    timeout: DEADLINE_MS,
  });
}

let whereItCan: readonly string[] | undefined;

/** If strace supports it, it stops a process only at the listed calls instead of every call. */
export function stopAtListedCalls(): readonly string[] {
  whereItCan ??= tryTrace("--seccomp-bpf").status === 0 ? ["--seccomp-bpf"] : [];
  return whereItCan;
}

export interface TracedRun {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where the trace is written; without it the command runs untraced. */
  readonly traceFile?: string;
}

/**
 * Runs a command to its end, without a terminal and without input. After a minute it is killed with everything that it started:
 * its code is then null.
 */
export function runTraced(argv: readonly string[], { cwd, env, traceFile }: TracedRun): Promise<Finished> {
  const [program = "", ...args] = traceFile === undefined ? argv : [...traceCommand(traceFile), ...argv];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    // The whole group: a traced process outlives its tracer.
    const timer = setTimeout(() => child.pid && process.kill(-child.pid, "SIGKILL"), DEADLINE_MS);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
  });
}

/** The record that {@link runTraced} wrote. */
export function readSystemTrace(traceFile: string): SystemTrace {
  return parseSystemTrace(readFileSync(traceFile, "utf8"));
}

const DEADLINE_MS = 60_000;
const CALLS = "execve,execveat,socket,connect,bind,sendto,sendmsg,sendmmsg";

function traceCommand(traceFile: string): readonly string[] {
  // Absolute, because the traced command's own PATH must not matter. Complete environments and strings, since a truncated
  // one could hide what is searched for.
  const options = [
    "-f",
    ...stopAtListedCalls(),
    "-v",
    "-s",
    "131072",
    "-e",
    "signal=none",
    "-e",
    `trace=${CALLS}`,
  ];
  return [strace(), ...options, "-o", traceFile, "--"];
}

/** Its path. */
export function strace(): string {
  const found = spawnSync("sh", ["-c", "command -v strace"], { encoding: "utf8" }).stdout.trim();
  if (!found.startsWith("/")) throw new Error(`strace is not on the PATH: ${process.env.PATH}`);
  return found;
}

/** One system call, as strace writes it. */
export interface Call {
  readonly pid: number;
  readonly name: string;
  readonly args: string;
  /** Everything after the equals sign, or the error's name. */
  readonly result: string;
}

const CALL = /^(?<pid>\d+)\s+(?<name>\w+)\((?<args>.*)\)\s+= (?<result>.*)$/;
const UNFINISHED = /^(?<pid>\d+)\s+(?<name>\w+)\((?<args>.*?),? ?<unfinished \.\.\.>$/;
const RESUMED = /^(?<pid>\d+)\s+<\.\.\. (?<name>\w+) resumed>(?:, )?(?<args>.*)\)\s+= (?<result>.*)$/;
// Ends of processes, signals, and a thread whose process became another program.
const NO_CALL = /^\d+\s+(?:\+\+\+ .* \+\+\+|--- .* ---)$/;

/** Joins the calls of a thread that were split by another thread's lines. */
export function completeCalls(text: string): readonly Call[] {
  const calls: Call[] = [];
  const begun = new Map<string, string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "" || NO_CALL.test(line)) continue;
    const found = UNFINISHED.exec(line) ?? RESUMED.exec(line) ?? CALL.exec(line);
    const { pid = "", name = "", args = "", result } = found?.groups ?? {};
    if (!found)
      throw new Error(`line ${index + 1} of the trace is no system call that strace writes: ${line}`);
    if (result === undefined) {
      begun.set(`${pid} ${name}`, args);
      continue;
    }
    const head = begun.get(`${pid} ${name}`);
    begun.delete(`${pid} ${name}`);
    const whole = head === undefined ? args : `${head}${args === "" ? "" : `, ${args}`}`;
    const isError = result.startsWith("-1 ");
    calls.push({
      pid: Number(pid),
      name,
      args: whole,
      result: isError ? (result.split(" ")[1] ?? "") : result,
    });
  }
  // A call that never ended was still attempted: the process may have been killed in it.
  for (const [key, args] of begun) {
    const [pid = "", name = ""] = key.split(" ");
    calls.push({ pid: Number(pid), name, args, result: "unfinished" });
  }
  return calls;
}

/** Arguments with their strings extracted. */
export interface Texts {
  /** The arguments with every quoted string replaced by `"0"`, `"1"`, …: nothing in a string can look like structure. */
  readonly shape: string;
  readonly texts: readonly string[];
}

/** Extracts the strings, so that none is taken for the structure around it. */
export function takeTexts(args: string): Texts {
  const texts: string[] = [];
  const shape = args.replace(/"((?:[^"\\]|\\.)*)"(\.\.\.)?/g, (_whole, quoted: string, cut?: string) => {
    if (cut !== undefined) throw new Error(`strace cut a text short: ${quoted.slice(0, 200)}`);
    return `"${texts.push(decodeText(quoted)) - 1}"`;
  });
  return { shape, texts };
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v" };

/** Decodes strace's C escapes; bytes above 127 come as octal and are joined to UTF-8 again. */
function decodeText(quoted: string): string {
  const bytes = quoted.replace(/\\(?:([0-7]{1,3})|x([0-9a-f]{2})|(.))/g, (_whole, octal, hex, other) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return ESCAPES[other] ?? other;
  });
  return Buffer.from(bytes, "latin1").toString("utf8");
}

const START =
  /^(?:(?<descriptor>\w+), )?"(?<program>\d+)", (?<argv>\[[^\]]*\]|NULL), (?<env>\[[^\]]*\]|NULL)/;

/** The start of an execve or execveat. */
export function startOf(
  name: string,
  shape: string,
  texts: readonly string[],
): Pick<ProgramStart, "program" | "argv" | "env"> {
  const { descriptor, program, argv, env } = START.exec(shape)?.groups ?? {};
  if (program === undefined) throw new Error(`this ${name} of the trace has no program: ${shape}`);
  const list = (part = ""): readonly string[] =>
    [...part.matchAll(/"(\d+)"/g)].map(([, index]) => texts[Number(index)] ?? "");
  const path = texts[Number(program)] ?? "";
  const isByDescriptor = descriptor !== undefined && descriptor !== "AT_FDCWD";
  return { program: isByDescriptor ? `fd ${descriptor}: ${path}` : path, argv: list(argv), env: list(env) };
}

const ADDRESS_CALLS = ["connect", "bind", "sendto", "sendmsg", "sendmmsg"] as const;

function callNamed(name: string): (typeof ADDRESS_CALLS)[number] {
  const call = ADDRESS_CALLS.find((each) => each === name);
  if (!call) throw new Error(`the trace holds a call that was not asked for: ${name}`);
  return call;
}

/** Every address in a call; none for a send on a connected socket. */
function addressesIn(shape: string, texts: readonly string[]): readonly SocketAddress[] {
  return [...shape.matchAll(/\{sa_family=(\w+)([^}]*)/g)].map(([, family = "", rest = ""]): SocketAddress => {
    const text = /"(\d+)"/.exec(rest)?.[1];
    const value = text === undefined ? "" : (texts[Number(text)] ?? "");
    const port = /htons\((\d+)\)/.exec(rest)?.[1];
    if (port !== undefined) return { family: "inet", host: value, port: Number(port) };
    if (family !== "AF_UNIX") return { family: "other", name: family };
    return { family: "unix", path: `${rest.includes("sun_path=@") ? "@" : ""}${value}` };
  });
}
